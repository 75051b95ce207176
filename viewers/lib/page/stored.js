// Opens a bundle stored in this browser: '?stored=ID'.
import { BundleError } from "../bundle/shape.js";
import { read } from "../local/store.js";

/** @typedef {import("../bundle/source.js").Source} Source */

/**
 * Return what is stored under an id. Throws a BundleError if there is nothing of this kind.
 * @param {string} id @param {"bundle" | "comparison"} kind
 */
export async function stored(id, kind) {
  const kept = await read(id);
  if (kept?.about.kind === kind) return kept;
  throw new BundleError(
    `This browser has no stored ${kind} for this link: it was removed, or the link is from a different browser. Open the log or the bundle here.`,
  );
}

/** @param {string} id @returns {Promise<Source>} */
export async function storedSource(id) {
  const { about, file } = await stored(id, "bundle");
  return {
    url: null,
    stored: id,
    label: about.name,
    file: (path) => {
      const data = file(path);
      return data && { data };
    },
    absent: "The bundle is incomplete. Open the log or the bundle again.",
  };
}
