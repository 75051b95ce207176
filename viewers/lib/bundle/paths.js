// The names that a file of a bundle can have, as format/layout.py has them: nothing else is ever asked for.

const OWN =
  /^(manifest\.json|(schemas\.json|ranks\/[A-Za-z0-9_][A-Za-z0-9._-]*\.json|logs\/[A-Za-z0-9_][A-Za-z0-9._-]*\/([A-Za-z0-9_][A-Za-z0-9._-]*\.json|[a-z_]+\/[0-9]{4,18}\.(json|log))|blobs\/([0-9a-f]{2})\/\5[0-9a-f]{62})(\.zst|\.gz)?)$/;
const MOST = 1000;

/** Whether a file of this path may be part of a bundle. @param {unknown} path */
export const isOwn = (path) => typeof path === "string" && path.length <= MOST && OWN.test(path);

/** Whether it may be a file of this log. @param {unknown} path @param {string} logId */
export const isOfLog = (path, logId) => isOwn(path) && /** @type {string} */ (path).startsWith(`logs/${logId}/`);
