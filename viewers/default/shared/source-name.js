// Names of inputs as in the user's program.

/** Turn "L['x']" into "x", and "L['self']._modules['a']._parameters['w']" into "self.a.w". @param {string | null} source */
export const sourceName = (source) =>
  source?.replace(/\bL\['(\w+)'\]/g, "$1").replace(/\._(?:modules|parameters|buffers)\['(\w+)'\]/g, ".$1") ??
  null;
