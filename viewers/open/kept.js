// The list of bundles and comparisons stored in this browser.
import { table } from "../lib/list/table.js";
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
    table(columns(python, busy, gone, choice), kept),
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

/**
 * @param {Python} python @param {import("./main.js").Busy} busy
 * @param {(question: string, run: () => Promise<unknown>) => unknown} gone
 * @param {{box: (about: Stored) => HTMLElement} | null} choice null where there is nothing to choose
 * @returns {import("../lib/list/table.js").TableColumn<Stored>[]}
 */
function columns(python, busy, gone, choice) {
  const what = (/** @type {Stored} */ about) =>
    about.kind === "comparison" ? "comparison" : plural(about.log_count, "log");
  const viewer = (/** @type {Stored} */ { kind }) => (kind === "comparison" ? "compare" : "default");
  return [
    ...(choice
      ? [
          {
            title: "Compare",
            class: "choose",
            cell: (/** @type {Stored} */ about) => about.kind === "bundle" && choice.box(about),
          },
        ]
      : []),
    {
      title: "Name",
      head: true,
      cell: (about) => h("a", { href: `../${viewer(about)}/?stored=${about.id}` }, about.name),
      sort: ({ name }) => name,
    },
    { title: "Kind", class: "what", cell: what, sort: what },
    {
      title: "Size",
      number: true,
      cell: ({ size_bytes: size }) => bytes(size),
      sort: ({ size_bytes: size }) => size,
    },
    {
      title: "Opened",
      class: "when",
      cell: ({ stored_ms: opened }) => DAY.format(opened),
      sort: ({ stored_ms: opened }) => opened,
    },
    { title: "Save as", class: "ways", cell: (about) => saveButtons(about, python, busy) },
    {
      title: "Remove",
      class: "remove",
      cell: ({ id, name }) =>
        tool("Remove", `Remove ${name}`, () => gone(`Remove ${name} from this browser?`, () => remove(id))),
    },
  ];
}

/** @param {string} text @param {string} label @param {() => unknown} press */
const tool = (text, label, press) =>
  h("button", { "class": "tool", "aria-label": label, "onclick": press }, text);

/** @param {Stored} about @param {Python} python @param {import("./main.js").Busy} busy */
function saveButtons(about, python, busy) {
  const { id, name, kind } = about;
  const page = () =>
    busy(`Writing a page of ${name}`, name, async ({ signal }) =>
      download(
        `${name}.html`,
        kind === "comparison" ? await pairPage(about, python, signal) : await pageOf(id, python),
      ),
    );
  const zipped = () =>
    busy(`Writing a zip of ${name}`, name, async () => download(`${name}.zip`, await zipOf(id)));
  return [
    tool("One file", `Save ${name} as one file`, page),
    kind === "bundle" && tool("Zip", `Save ${name} as zip`, zipped),
  ];
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
