// Entry point of the page that opens logs and bundles: Python in the browser builds them, and the browser stores them.
import { icon } from "../lib/frame/frame.js";
import { takeDropped, thingsOf } from "../lib/local/dropped.js";
import { keep, keepPair } from "../lib/local/keep.js";
import { Python } from "../lib/local/python.js";
import { fill, h } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { watchErrors } from "../lib/page/load.js";
import { allowed } from "../lib/page/page.js";
import { themeButton } from "../lib/page/remember.js";
import { failure, isCancelled, sentencesOf, working } from "../lib/page/working.js";
import { ask } from "./ask.js";
import { fetched } from "./fetched.js";
import { drawKept } from "./kept.js";
import { handOver } from "./unkept.js";

/** @typedef {import("../lib/local/dropped.js").Thing} Thing */
/** @typedef {import("../lib/local/keep.js").Made} Made */
/** @typedef {import("../lib/page/working.js").Work} Work */
/** @typedef {(label: string, what: string, run: (work: Work) => Promise<unknown>) => Promise<void>} Busy does it in sight; what: the thing, for the words when it fails */

watchErrors();
const python = new Python(); // start early: loading takes two seconds
const home = h("span"),
  pythonStatus = h("p", { class: "dim", role: "status" }),
  place = h("div", { class: "place-of-work" }),
  kept = h("section", { class: "kept" });
const files = h("input", { type: "file", multiple: true, class: "visually-hidden", onchange: chosen });
const folder = h("input", {
  type: "file",
  webkitdirectory: true,
  class: "visually-hidden",
  onchange: chosen,
});
const target = h(
  "section",
  { class: "target" },
  h("p", { class: "target-title" }, "Drop files anywhere on this page"),
  h(
    "p",
    null,
    "A log, a folder of logs, a ",
    h("code", null, ".gz"),
    ", ",
    h("code", null, ".zst"),
    " or ",
    h("code", null, ".zip"),
    " of logs, or a bundle. Drop two to compare them.",
  ),
  h(
    "p",
    { class: "choosers" },
    h("label", { class: "tool" }, "Choose files", files),
    h("label", { class: "tool" }, "Choose a folder", folder),
  ),
);
fill(
  document.body,
  h(
    "header",
    { class: "bar" },
    icon("bundle"),
    h("span", { class: "name" }, "tlparse-bundle"),
    h("span", { class: "spring" }),
    home,
    themeButton(),
  ),
  h(
    "main",
    { id: "main" },
    h("h1", null, "Open a log or a bundle"),
    h(
      "p",
      { class: "lead" },
      "Nothing leaves your machine: this page reads the files, and Python in this browser builds the bundle.",
    ),
    target,
    pythonStatus,
    place,
    kept,
    h(
      "section",
      { class: "record" },
      h("h2", null, "No log yet?"),
      h("p", null, "PyTorch writes one log per process into the TORCH_TRACE folder:"),
      h("pre", null, "TORCH_TRACE=/tmp/trace python train.py"),
    ),
  ),
);

let occupied = false;

/** @type {Busy} */
async function busy(label, what, run) {
  occupied = true;
  target.hidden = true;
  try {
    await working(place, label, run);
  } catch (error) {
    if (isCancelled(error)) tellOfPython();
    else fill(place, failure(error, what));
  } finally {
    occupied = false;
    target.hidden = false;
    void drawKept(kept, python, busy);
  }
}

/** Read items, then open one or ask what to do with two. @param {string} label @param {(work: Work) => Promise<Thing[]>} read */
async function take(label, read) {
  /** @type {Thing[]} */
  let things = [];
  await busy(`Reading ${label}`, label, async (work) => void (things = await read(work)));
  if (things.length === 2) ask(place, things, { pair: openPair, all: openAll });
  else if (things.length) await openAll(things);
}

/** @param {Thing[]} things */
async function openAll(things) {
  const logs = things.filter(({ kind }) => kind === "logs"),
    bundles = things.filter(({ kind }) => kind === "bundle");
  const all = logs.length > 1 ? [...bundles, oneRun(logs)] : [...bundles, ...logs];
  /** @type {Made[]} */
  const made = [];
  for (const thing of all)
    await busy(labelOf(thing), thing.name, async (work) => void made.push(await keep(thing, python, work)));
  if (made.length !== all.length) return;
  const [{ name, id, left_out }] = made;
  if (id === null) handOver(place, made, python, busy);
  else if (all.length > 1)
    fill(
      place,
      h(
        "p",
        { class: "note", role: "status" },
        `${plural(made.length, "bundle")} stored in this browser, listed below.`,
      ),
    );
  else if (left_out)
    fill(
      place,
      h(
        "div",
        { class: "note", role: "status" },
        h("p", null, left_out),
        h("p", null, h("a", { href: `../default/?stored=${id}` }, `Open ${name}`)),
      ),
    );
  else leave(`../default/?stored=${id}`);
}

/** @param {Thing[]} things before and after */
async function openPair(things) {
  /** @type {Made[]} */
  const made = [];
  for (const thing of things)
    await busy(labelOf(thing), thing.name, async (work) => void made.push(await keep(thing, python, work)));
  const [base, other] = made;
  if (!base || !other) return;
  await busy(`Comparing ${base.name} with ${other.name}`, "The comparison", async ({ signal }) => {
    const { id } = await keepPair(base, other, python, signal);
    if (id) leave(`../compare/?stored=${id}`);
  });
  if (!base.id || !other.id) handOver(place, made, python, busy);
}

/** Open a page without a history entry that would rebuild the bundle. @param {string} address */
const leave = (address) =>
  new URLSearchParams(location.search).has("log") ? location.replace(address) : location.assign(address);

/** @param {Thing} thing */
const labelOf = ({ name, kind }) => (kind === "logs" ? `Building ${name}` : `Storing ${name}`);

/** Merge the logs of several folders into one run. @param {Thing[]} logs @returns {Thing} */
function oneRun(logs) {
  const all = logs.flatMap(({ name, files }, i) =>
    [...files].map(([path, data]) => /** @type {[string, Blob]} */ ([`${i + 1} ${name}/${path}`, data])),
  );
  return { name: logs.map(({ name }) => name).join(", "), kind: "logs", files: new Map(all) };
}

/** @param {Event} event */
function chosen(event) {
  const input = /** @type {HTMLInputElement} */ (event.target),
    all = [...(input.files ?? [])];
  input.value = ""; // allows choosing the same file again
  if (all.length) void take(all[0].webkitRelativePath.split("/")[0] || namesOf(all), () => thingsOf(all));
}

const EMPTY =
  "If the TORCH_TRACE folder is empty, nothing was compiled, or the variable was not set when the process imported torch.";

/** @param {{name: string}[]} all */
const namesOf = (all) => (all.length > 3 ? `${all.length} files` : all.map(({ name }) => name).join(", "));

addEventListener("dragover", (event) => {
  event.preventDefault();
  target.classList.add("over");
  if (event.dataTransfer) event.dataTransfer.dropEffect = occupied ? "none" : "copy";
});
addEventListener("dragleave", (event) => event.relatedTarget ?? target.classList.remove("over"));
addEventListener("drop", (event) => {
  event.preventDefault();
  target.classList.remove("over");
  if (occupied) return;
  const dropped = takeDropped(event.dataTransfer);
  if (dropped.length) void take(namesOf(dropped), () => thingsOf(dropped));
  else fill(place, failure(new Error(`No files found. Drop a log, a folder or a bundle. ${EMPTY}`)));
});
addEventListener("focus", () => void (occupied || drawKept(kept, python, busy))); // another tab may have removed something

function tellOfPython() {
  pythonStatus.textContent = "Loading Python …";
  python.ready?.then(
    () => fill(pythonStatus, "Python is ready."),
    (error) =>
      fill(
        pythonStatus,
        `${sentencesOf(error).join(" ")} `,
        h("strong", null, "You can still open bundles here."),
      ),
  );
}

/** Open the logs that '?log=' names. */
async function asked() {
  const addresses = new URLSearchParams(location.search).getAll("log");
  if (!addresses.length) return;
  await take(addresses.join(", "), async (work) => {
    const found = [];
    for (const address of addresses) found.push(await fetched(allowed(address, "log"), work));
    return thingsOf(found);
  });
}

/** Link to the list of bundles. On a site, also register the service worker for offline use. */
async function beside() {
  const list = new URL("../../bundles.json", location.href);
  const response = await fetch(list).catch(() => null);
  if (!response?.ok) return;
  const { bundles, offline } = await response.json();
  if (bundles.length) fill(home, h("a", { href: "../home/" }, "All bundles"));
  if (offline && navigator.serviceWorker)
    await navigator.serviceWorker.register(new URL("sw.js", list)).catch(() => {}); // offline use is optional
}

tellOfPython();
void drawKept(kept, python, busy);
void beside();
void asked();
