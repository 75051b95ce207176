// Bundles that the browser cannot store. They can be saved until the page is closed.
import { zip } from "../lib/local/zip.js";
import { fill, h } from "../lib/page/dom.js";
import { download } from "../lib/page/hand-over.js";

/** @typedef {import("../lib/local/keep.js").Made} Made */

/** @param {Element} place @param {Made[]} made @param {import("../lib/local/python.js").Python} python @param {import("./main.js").Busy} busy */
export function handOver(place, made, python, busy) {
  const again = () => handOver(place, made, python, busy);
  const save = (/** @type {Made} */ { name, files }) =>
    h(
      "p",
      { class: "answers" },
      h("strong", null, name),
      h(
        "button",
        {
          class: "tool",
          onclick: () =>
            busy(`Writing a page of ${name}`, name, async (work) =>
              download(`${name}.html`, await python.export(files, work)),
            ).then(again),
        },
        "Save as one file",
      ),
      h(
        "button",
        {
          class: "tool",
          onclick: () =>
            busy(`Writing a zip of ${name}`, name, async () =>
              download(`${name}.zip`, await zip(files, name)),
            ).then(again),
        },
        "Save as zip",
      ),
    );
  fill(
    place,
    h(
      "section",
      { class: "note", role: "status" },
      h(
        "p",
        null,
        "This browser does not store files for this page (private window?). Save the bundle before you close the page:",
      ),
      made.map(save),
      h(
        "p",
        null,
        "The single file opens from disk. To open the zip, drop it on ",
        h("a", { href: "../default/" }, "the viewer"),
        ".",
      ),
    ),
  );
}
