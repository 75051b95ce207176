// Names of inputs as the program has them.

/** "L['x']" as the name that the user wrote. @param {string | null} source */
export const sourceName = (source) => source?.replace(/\bL\['(\w+)'\]/g, "$1") ?? null;
