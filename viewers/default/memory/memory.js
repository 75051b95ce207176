// The memory view: what generated code allocates, computed from the code.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { bytes, plural } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { codeMemory } from "./code-memory.js";
import { curveOf, groupsOf, heldBy, peakOf } from "./data.js";
import { savedValues } from "./saved.js";

/** @typedef {import("./data.js").Group} Group */

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openMemory({ log, state }) {
  const [model, found, groups] = await Promise.all([modelOf(log), findingsOf(log), groupsOf(log)]);
  if (groups.length === 0)
    return emptyPage("No memory to show", "The log has no generated code (inductor_output_code).");
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, groups[i].row)];
  const peaks = groups.map(peakOf);
  const saved = groups.map((group) => savedBytes(group));
  const largest = peaks.reduce((best, peak, i) => (peak.bytes > peaks[best].bytes ? i : best), 0);
  const view = listDetail({
    state,
    name: "memory",
    label: "Memory",
    noun: ["compile", "compiles"],
    length: groups.length,
    share: 0.34,
    id: (i) => groups[i].key,
    title: (i) => `${idText(compile(i))} ${functionName(compile(i))} ${bytes(peaks[i].bytes)}`,
    text: (i) =>
      [
        idText(compile(i)),
        functionName(compile(i)),
        ...groups[i].codes.flatMap(({ title, row }) => [title, row.device, ...row.operators]),
      ].join("\n"),
    above: h(
      "p",
      { class: "intro" },
      `Largest peak: ${words(peaks[largest])} in ${idText(compile(largest))}. `,
      h(
        "span",
        { class: "dim" },
        "Computed from the generated code: buffers that it allocates, without its inputs.",
      ),
    ),
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => numberOf(model, groups[i].row),
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "function",
        title: "Function",
        least: "5rem",
        sort: (i) => functionName(compile(i)),
        cell: (i) => cutMiddle(functionName(compile(i))),
      },
      {
        id: "peak",
        title: "Peak",
        number: true,
        sort: (i) => peaks[i].bytes,
        cell: (i) => words(peaks[i]),
        help: "The most bytes that buffers of one generated code have at one time; “≥” when an operator may allocate more",
      },
      {
        id: "saved",
        title: "Saved",
        number: true,
        sort: (i) => saved[i],
        cell: (i) => (saved[i] === null ? "–" : bytes(saved[i])),
        help: "New buffers that the forward keeps for its backward",
      },
    ],
    detail: (i) => groupDetail({ log, state }, model, found, groups[i]),
  });
  return { ...view, title: "Memory" };
}

/** "≥ 1.2 MB" @param {{bytes: number, exact: boolean}} peak */
const words = (peak) => `${peak.exact ? "" : "≥ "}${bytes(peak.bytes)}`;

/** Return the bytes that the forward codes of a group save; null when not known. @param {Group} group */
function savedBytes({ codes }) {
  const forwards = codes.filter(({ code }) => code?.direction === "forward");
  const known = forwards.map(({ row }) => row.saved_bytes).filter((size) => size !== null);
  return known.length === 0 ? null : known.reduce((sum, size) => sum + size, 0);
}

/** @param {{log: any, state: any}} context @param {any} model @param {any} found @param {Group} group */
function groupDetail({ log, state }, model, found, group) {
  const number = numberOf(model, group.row);
  const compile = model.compiles[number];
  const curves = group.codes.map((code) => {
    const held = heldBy(group, code);
    return { code, held, points: curveOf(code.buffers, held) };
  });
  const most = curves
    .flatMap(({ points }) => points)
    .reduce((largest, { own, held }) => Math.max(largest, own + held), 0);
  return [
    h("h2", null, compile.id === null ? "Code outside any compile" : functionName(compile)),
    h(
      "p",
      null,
      compile.id !== null && [compileLink(model, number, state), " "],
      h("span", { class: "dim" }, plural(group.codes.length, "generated code", "generated codes")),
      group.codes.some(({ row }) => row.is_hint) &&
        h("span", { class: "dim" }, " · sizes are those of the hints of dynamic dimensions"),
    ),
    ...cards(
      model,
      state,
      found,
      (finding) =>
        ["memory-peak", "saved-recomputable"].includes(finding.kind) &&
        finding.compiles.includes(group.row.compile),
    ),
    legend(curves.some(({ held }) => held.length > 0)),
    h(
      "div",
      { class: "memory-codes" },
      curves.map((curve) => codeMemory({ log, state, model, number }, curve, most)),
    ),
    savedValues({ log, state, model, number }, group),
  ];
}

/** @param {boolean} hasHeld */
const legend = (hasHeld) =>
  h(
    "p",
    { class: "legend memory-legend" },
    [
      ["own", "allocated by the code"],
      ...(hasHeld ? [["held", "saved by the forward, until its last use"]] : []),
    ].map(([id, text]) =>
      h(
        "span",
        null,
        h("span", { "class": `swatch memory-swatch-${id}`, "aria-hidden": "true" }),
        ` ${text}`,
      ),
    ),
    [
      ["intermediate", "intermediate"],
      ["output", "output"],
      ["saved", "saved for the backward"],
    ].map(([id, text]) =>
      h("span", null, h("span", { "class": `swatch role-${id}`, "aria-hidden": "true" }), ` ${text}`),
    ),
  );
