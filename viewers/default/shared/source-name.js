// Names of inputs as in the user's program.

/** Turn "L['x']" into "x". @param {string | null} source */
export const sourceName = (source) => source?.replace(/\bL\['(\w+)'\]/g, "$1") ?? null;
