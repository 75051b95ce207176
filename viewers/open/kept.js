// The list of bundles and comparisons stored in this browser.
import { keepPair } from "../lib/local/keep.js";
import { list, read, remove, removeAll } from "../lib/local/store.js";
import { fill, h } from "../lib/page/dom.js";
import { bytes, plural } from "../lib/page/format.js";
import { download } from "../lib/page/hand-over.js";
import { pageOf, zipOf } from "../lib/page/stored-files.js";

/** @typedef {import("../lib/local/store.js").Stored} Stored */
/** @typedef {import("../lib/local/python.js").Python} Python */

/** Ids of the bundles chosen for comparison, in the order chosen. @type {string[]} */
let chosen = [];
const DAY = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" }); // 2026-11-23 12:05

/** @param {Element} place @param {Python} python @param {import("./main.js").Busy} busy */
export async function drawKept(place, python, busy) {
  const kept = await list().catch(() => null);
  if (kept === null)
    return void fill(
      place,
      h(
        "p",
        { class: "dim" },
        "This browser does not store files for this page. Save what you open before you close the page.",
      ),
    );
  if (!kept.length) return void fill(place);
  const again = () => drawKept(place, python, busy);
  const gone = async (/** @type {string} */ question, /** @type {() => Promise<unknown>} */ run) => {
    if (!(await sure(question))) return;
    await run();
    await again();
  };
  const bundles = kept.filter(({ kind }) => kind === "bundle");
  const choice = bundles.length > 1 ? choiceOf(bundles, python, busy) : null;
  const total = kept.reduce((sum, { size_bytes: size }) => sum + size, 0);
  fill(
    place,
    h(
      "div",
      { class: "kept-head" },
      h("h2", null, "In this browser"),
      h(
        "span",
        { class: "dim" },
        `${plural(kept.length, "entry", "entries")}, ${bytes(total)}. They stay until you remove them or the browser needs the space.`,
      ),
      h("span", { class: "spring" }),
      choice?.button,
      h(
        "button",
        {
          class: "tool",
          onclick: () =>
            gone(`Remove all ${plural(kept.length, "entry", "entries")} from this browser?`, removeAll),
        },
        "Remove all",
      ),
    ),
    h(
      "table",
      null,
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          choice && h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Compare")),
          ["Name", "Kind", "Size", "Opened", "Save as"].map((title) =>
            h("th", { scope: "col", class: title === "Size" ? "number" : null }, title),
          ),
          h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Remove")),
        ),
      ),
      h(
        "tbody",
        null,
        kept.map((about) =>
          row(about, python, busy, gone, choice && (about.kind === "bundle" ? choice.box(about) : "")),
        ),
      ),
    ),
  );
}

/** Build the checkboxes and the button that compares two bundles, the older one first. @param {Stored[]} bundles @param {Python} python @param {import("./main.js").Busy} busy */
function choiceOf(bundles, python, busy) {
  const pair = () => bundles.filter(({ id }) => chosen.includes(id)).reverse();
  const compare = () => {
    const [base, other] = pair().map(({ id, name }) => ({ id, name, files: new Map(), left_out: "" }));
    return busy(`Comparing ${base.name} with ${other.name}`, "The comparison", async ({ signal }) =>
      location.assign(`../compare/?stored=${(await keepPair(base, other, python, signal)).id}`),
    );
  };
  const button = h("button", { class: "tool", onclick: compare });
  /** @type {HTMLInputElement[]} */
  const boxes = [];
  const draw = () => {
    const names = pair().map(({ name }) => name);
    button.disabled = names.length !== 2;
    button.textContent = names.length === 2 ? `Compare ${names.join(" → ")}` : "Compare two";
    for (const box of boxes) box.checked = chosen.includes(box.value);
  };
  const box = (/** @type {Stored} */ { id, name }) => {
    const choose = () => {
      chosen = [...chosen.filter((other) => other !== id), ...(element.checked ? [id] : [])].slice(-2);
      draw();
    };
    const element = /** @type {HTMLInputElement} */ (
      h("input", {
        "type": "checkbox",
        "value": id,
        "checked": chosen.includes(id),
        "aria-label": `Compare ${name}`,
        "onchange": choose,
      })
    );
    boxes.push(element);
    return element;
  };
  chosen = chosen.filter((id) => bundles.some((about) => about.id === id));
  draw();
  return { button, box };
}

/** @param {Stored} about @param {Python} python @param {import("./main.js").Busy} busy @param {(question: string, run: () => Promise<unknown>) => unknown} gone @param {any} box null where there is nothing to choose */
function row(about, python, busy, gone, box) {
  const { id, name, kind, size_bytes, stored_ms, log_count } = about;
  const pair = kind === "comparison";
  const page = () =>
    busy(`Writing a page of ${name}`, name, async ({ signal }) =>
      download(`${name}.html`, pair ? await pairPage(about, python, signal) : await pageOf(id, python)),
    );
  const zipped = () =>
    busy(`Writing a zip of ${name}`, name, async () => download(`${name}.zip`, await zipOf(id)));
  return h(
    "tr",
    null,
    box !== null && h("td", { class: "choose" }, box),
    h("th", { scope: "row" }, h("a", { href: `../${pair ? "compare" : "default"}/?stored=${id}` }, name)),
    h("td", { class: "what" }, pair ? "comparison" : plural(log_count, "log")),
    h("td", { class: "number" }, bytes(size_bytes)),
    h("td", { class: "when" }, DAY.format(stored_ms)),
    h(
      "td",
      { class: "ways" },
      h("button", { "class": "tool", "aria-label": `Save ${name} as one file`, "onclick": page }, "One file"),
      !pair &&
        h("button", { "class": "tool", "aria-label": `Save ${name} as zip`, "onclick": zipped }, "Zip"),
    ),
    h(
      "td",
      null,
      h(
        "button",
        {
          "class": "tool",
          "aria-label": `Remove ${name}`,
          "onclick": () => gone(`Remove ${name} from this browser?`, () => remove(id)),
        },
        "Remove",
      ),
    ),
  );
}

/** @param {Stored} about @param {Python} python @param {AbortSignal} signal */
async function pairPage({ id, base = "", new: other = "" }, python, signal) {
  const [document, ...sides] = await Promise.all([id, base, other].map(read));
  const file = document?.file("comparison.json");
  if (!file || !sides[0] || !sides[1])
    throw new Error("One of the two runs was removed from this browser. Open and compare both again.");
  return python.exportPair(sides[0].all(), sides[1].all(), file, { signal });
}

/** Ask for confirmation. @param {string} question @returns {Promise<boolean>} */
function sure(question) {
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { "class": "sure", "aria-labelledby": "sure-title" },
      h("h2", { id: "sure-title" }, question),
      h("p", { class: "dim" }, "The original files are not deleted."),
      h(
        "form",
        { method: "dialog", class: "answers" },
        h("button", { class: "tool main-tool", value: "yes" }, "Remove"),
        h("button", { class: "tool", value: "", autofocus: true }, "Keep"),
      ),
    )
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    }),
  );
}
