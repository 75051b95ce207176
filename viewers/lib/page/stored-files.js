// What is kept in this browser as a file to hand on. It is made here; nothing is sent.
import { Python } from "../local/python.js";
import { zip } from "../local/zip.js";
import { stored } from "./stored.js";

/** A zip of the bundle's files, which any viewer opens. @param {string} id */
export async function zipOf(id) {
  const { about, all } = await stored(id, "bundle");
  return zip(all(), about.name);
}

/** One HTML page with the viewers, as 'tlparse-bundle export' makes it; Python starts for it, unless one is at hand. @param {string} id @param {Python | null} [python] */
export async function pageOf(id, python = null) {
  const { all } = await stored(id, "bundle");
  const own = python ?? new Python();
  try {
    return await own.export(all());
  } finally {
    if (own !== python) own.end();
  }
}
