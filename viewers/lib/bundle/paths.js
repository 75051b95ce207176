// The names that a file of a bundle can have. A bundle names its own files: nothing else is ever asked for.

const OWN = /^(manifest\.json|(schemas\.json|ranks\/\w[\w.-]*\.json|logs\/\w[\w.-]*\/(\w[\w.-]*\.json|\w+\/\d{4,16}\.\w{1,16})|blobs\/[0-9a-f]{2}\/[0-9a-f]{64})(\.zst|\.gz)?)$/;
const MOST = 1000;

/** Whether a file of this path may be part of a bundle. @param {unknown} path */
export const isOwn = (path) => typeof path === "string" && path.length <= MOST && OWN.test(path);

/** Whether it may be a file of this log. @param {unknown} path @param {string} logId */
export const isOfLog = (path, logId) => isOwn(path) && /** @type {string} */ (path).startsWith(`logs/${logId}/`);
