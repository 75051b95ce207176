// Where the time of a start went.
import { h } from "../lib/page/dom.js";
import { plural, time } from "../lib/page/format.js";
import { countsText } from "./outcome.js";
import { outcomesOf, totalOf } from "./data.js";

/** @typedef {import("./data.js").Start} Start */
/** @typedef {{id: string, title: string, us: number, help: string}} Part */

/** Return the parts of a backend's time; null when not recorded. @param {Start} start @param {number} number of the backend @returns {Part[] | null} */
export function partsOf({ tables, pieces }, number) {
  const backend = tables.backends[number];
  if (backend.duration_us === null) return null;
  if (backend.is_loaded)
    return [
      {
        id: "load",
        title: "loading the pieces",
        us: backend.duration_us,
        help: "From the start of the first load to the end of the last. Loads overlap.",
      },
    ];
  const own = pieces.filter(({ row }) => row.backend === number);
  const known = own.every(({ row }) => row.duration_us !== null);
  const inPieces = own.reduce((sum, { row }) => sum + (row.duration_us ?? 0), 0);
  const inductor = own.reduce((sum, { row }) => sum + (row.inductor_time_us ?? 0), 0);
  const loads = own.reduce((sum, { row }) => sum + (row.load_time_us ?? 0), 0);
  const save = backend.save_time_us ?? 0,
    split = backend.split_time_us;
  const before =
    backend.capture_epoch_us !== null && backend.start_epoch_us !== null
      ? backend.start_epoch_us - backend.capture_epoch_us
      : null;
  const parts = [
    before !== null && {
      id: "dynamo",
      title: "Dynamo",
      us: before,
      help: "Captures the model as one graph.",
    },
    split !== null && {
      id: "split",
      title: "splitting",
      us: split,
      help: "vLLM splits the graph into pieces.",
    },
    known && { id: "inductor", title: "Inductor", us: inductor, help: "Generates the code of the pieces." },
    known && loads > 0 && { id: "load", title: "loading", us: loads, help: "Loads pieces from the cache." },
    known &&
      save > 0 && { id: "save", title: "saving", us: save, help: "Saves compiled pieces to the cache." },
    known && {
      id: "piece",
      title: "other work on pieces",
      us: inPieces - inductor - loads - save,
      help: "AOTAutograd, cache keys and graphs.",
    },
  ].filter((part) => part !== false);
  const rest = (backend.capture_time_us ?? backend.duration_us) - parts.reduce((sum, { us }) => sum + us, 0);
  return [
    ...parts,
    {
      id: "rest",
      title: "other",
      us: rest,
      help: "After the last piece: guards and the code that calls the pieces.",
    },
  ].filter(({ us }) => us > 0);
}

/** @param {Start} start */
export function startup(start) {
  const total = totalOf(start),
    { wallUs } = start;
  const outside = total !== null && wallUs !== null && wallUs > total ? wallUs - total : null;
  return h(
    "section",
    { "class": "startup", "aria-labelledby": "startup" },
    h("h2", { id: "startup" }, "Where the time went"),
    start.tables.backends.map((backend, number) =>
      h(
        "div",
        { class: "backend" },
        start.tables.backends.length > 1 && h("h3", null, backend.prefix ?? `backend ${number}`),
        bar(start, number),
      ),
    ),
    wallUs !== null &&
      h(
        "p",
        { class: "dim" },
        outside === null
          ? `The log covers ${time(wallUs)}.`
          : `The log covers ${time(wallUs)} from its first record to its last. ${time(outside)} of that is not shown here.`,
        " vLLM does not log other work, such as loading weights or capturing CUDA graphs.",
      ),
  );
}

/** @param {Start} start @param {number} number */
function bar(start, number) {
  const parts = partsOf(start, number);
  if (!parts || !parts.length) return h("p", { class: "dim" }, "Times not recorded.");
  const sum = parts.reduce((us, part) => us + part.us, 0);
  const share = (/** @type {Part} */ part) =>
    `${((100 * part.us) / sum).toFixed(part.us * 10 < sum ? 1 : 0)} %`;
  return [
    h(
      "div",
      {
        "class": "time-bar",
        "role": "img",
        "aria-label": `${time(sum)}: ${parts.map((part) => `${part.title} ${time(part.us)}`).join(", ")}`,
      },
      parts.map((part) =>
        h("span", {
          class: `part-${part.id}`,
          style: { "flex-grow": part.us },
          title: `${part.title}: ${time(part.us)}`,
        }),
      ),
    ),
    h(
      "ul",
      { "class": "time-legend", "aria-label": "Parts" },
      parts.map((part) =>
        h(
          "li",
          { title: part.help },
          h("span", { "class": `swatch part-${part.id}`, "aria-hidden": "true" }),
          h("span", null, part.title),
          h("b", { class: "number" }, time(part.us)),
          h("span", { class: "dim number" }, share(part)),
        ),
      ),
    ),
  ];
}

/** Return the headline. @param {Start} start */
export function headline(start) {
  const total = totalOf(start),
    loaded = start.tables.backends.length > 0 && start.tables.backends.every((backend) => backend.is_loaded);
  const took =
    total === null
      ? "vLLM's pieces"
      : loaded
        ? `${time(total)} to load precompiled code`
        : `${time(total)} to compile`;
  return `${took}: ${plural(start.pieces.length, "piece")}${start.pieces.length ? `, ${countsText(outcomesOf(start.pieces))}` : ""}`;
}
