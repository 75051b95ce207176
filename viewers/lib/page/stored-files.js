// Writes bundles that are stored in this browser to files to share. Nothing is uploaded.
import { Python } from "../local/python.js";
import { zip } from "../local/zip.js";
import { stored } from "./stored.js";

/** Zip the bundle's files; every viewer opens the result. @param {string} id */
export async function zipOf(id) {
  const { about, all } = await stored(id, "bundle");
  return zip(all(), about.name);
}

/**
 * Write one HTML page with the viewers, as 'tlparse-bundle export' does; starts Python unless one is given.
 * @param {string} id @param {Python | null} [python]
 */
export async function pageOf(id, python = null) {
  const { all } = await stored(id, "bundle");
  const own = python ?? new Python();
  try {
    return await own.export(all());
  } finally {
    if (own !== python) own.end();
  }
}
