// A bundle that this browser keeps, as a source: '?stored=ID' names it.
import { BundleError } from "../bundle/shape.js";
import { read } from "../local/store.js";

/** @typedef {import("../bundle/source.js").Source} Source */

/** What is kept under an id. Throws a BundleError when there is nothing of this kind. @param {string} id @param {"bundle" | "comparison"} kind */
export async function stored(id, kind) {
  const kept = await read(id);
  if (kept?.about.kind === kind) return kept;
  throw new BundleError(
    `This browser keeps no ${kind} of this address. It was removed, or the link was made in another browser: such a link opens only where it was made. Open the log or the bundle here.`,
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
