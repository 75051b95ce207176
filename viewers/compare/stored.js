// Opens a comparison stored in this browser with both bundles ('?stored=ID').
import { readFile } from "../lib/bundle/source.js";
import { MOST_TABLE_BYTES } from "../lib/bundle/bounded.js";
import { stored, storedSource } from "../lib/page/stored.js";

/** Source of a bundle that was removed. The comparison itself still opens. @type {import("../lib/bundle/source.js").Source} */
const GONE = {
  url: null,
  label: "the bundle",
  file: () => null,
  absent: "A bundle of this comparison was removed from this browser. Open and compare both runs again.",
};

/** @param {string} id @returns {Promise<import("./places.js").Place & {text: string}>} */
export async function storedPlace(id) {
  const {
    about: { base = "", new: other = "", name },
    file,
  } = await stored(id, "comparison");
  const data = file("comparison.json") ?? new Blob();
  const [text, ...sources] = await Promise.all([
    readFile({ data }, MOST_TABLE_BYTES),
    ...[base, other].map((side) => storedSource(side).catch(() => GONE)),
  ]);
  return {
    address: null,
    label: name,
    made: false,
    home: new URL("../open/", location.href).href,
    sources: { base: sources[0], new: sources[1] },
    text: new TextDecoder().decode(text),
  };
}
