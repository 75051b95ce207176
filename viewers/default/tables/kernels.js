// The kernels view: kernels in Inductor's generated code, with fused operators and locations.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { damaged } from "../../lib/bundle/shape.js";
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { fill, h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { findingsOf, functionName, hasRows, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs, recordLink, sourceLine } from "../shared/parts.js";
import { artifactLink, framePlace } from "../shared/program-line.js";
import { cards, provenanceLink } from "../shared/finding-leads.js";
import {
  kernelKey,
  kernelLinesOf,
  placesCell,
  placesText,
  recordProvenance,
} from "../shared/kernel-lines.js";

/** Words and help. @type {Record<string, [string, string]>} */
export const KERNEL_KINDS = {
  triton: ["Triton", "A kernel that Inductor generated in Triton"],
  cpp: ["C++", "A kernel that Inductor generated in C++"],
  other: ["other", "A kernel that Inductor generated in another language"],
  extern: ["extern", "A library call, such as a matrix multiplication"],
  fallback: ["fallback", "An operator that Inductor doesn't lower"],
  collective: ["collective", "Communication between ranks"],
};
const ROLES = /** @type {Record<string, string>} */ ({
  output: "output code",
  wrapper: "C++ wrapper",
  kernel: "C++ kernels",
  header: "C++ header",
  autotuning: "autotuning",
  other: "other code",
});

/** @param {any} code */
export const codeName = (code) =>
  [code.direction ?? ROLES[code.role] ?? code.role, code.subgraph_name].filter(Boolean).join(" of ");

/** @param {string} kind */
const kindWord = (kind) => KERNEL_KINDS[kind]?.[0] ?? kind;

/**
 * Return the kernels of a log with their code, Triton information and source lines; empty if a redacted bundle has none.
 * @param {import("../../lib/bundle/log.js").Log} log
 */
export async function kernelsOf(log) {
  const [[codes, kernels, infos], lines] = await Promise.all([
    Promise.all(
      ["generated_code", "kernels", "triton_kernels"].map(async (name) => (await log.table(name)) ?? []),
    ),
    kernelLinesOf(log),
  ]);
  const byEvent = new Map(codes.map((/** @type {any} */ code) => [code.event, code]));
  if (kernels.some((/** @type {any} */ kernel) => !byEvent.has(kernel.code_event)))
    throw damaged(
      `Log ${log.id}`,
      "table 'kernels' refers to code that is missing from table 'generated_code'",
    );
  const triton = new Map(infos.map((/** @type {any} */ info) => [`${info.event} ${info.name}`, info]));
  return {
    codes,
    kernels,
    infos,
    codeOf: (/** @type {any} */ kernel) => byEvent.get(kernel.code_event),
    infoOf: (/** @type {any} */ kernel) => triton.get(`${kernel.triton_event} ${kernel.name}`),
    linesOf: (/** @type {any} */ kernel) => lines.get(kernelKey(kernel.code_event, kernel.name)) ?? [],
  };
}

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openKernels({ log, state }) {
  const [model, table, found] = await Promise.all([modelOf(log), kernelsOf(log), findingsOf(log)]);
  const { codes, kernels, infos, codeOf, infoOf, linesOf } = table;
  if (kernels.length === 0) {
    return emptyPage(
      "No kernels",
      codes.length
        ? `No kernels recognized in the ${plural(codes.length, "generated module")} of this log.`
        : "The log has no generated code (inductor_output_code): Inductor didn't run, or loaded its result from a cache.",
    );
  }
  const code = (/** @type {number} */ i) => codeOf(kernels[i]);
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, kernels[i])];
  const us = (/** @type {number} */ i) => infoOf(kernels[i])?.compile_time_us ?? null;
  const timed = infos.length > 0;
  const kinds = Object.keys(KERNEL_KINDS).filter((kind) =>
    kernels.some((/** @type {any} */ kernel) => kernel.kind === kind),
  );
  const ops = (/** @type {number} */ i) =>
    kernels[i].aten_ops.map((/** @type {string} */ op) => op.replace(/^aten\./, "")).join(", ");
  const view = listDetail({
    state,
    name: "kernels",
    label: "Kernels",
    noun: ["kernel or call", "kernels and calls"],
    length: kernels.length,
    share: 0.6,
    // Several codes can have the same name; one code defines it once.
    id: (i) => `${kernels[i].code_event}:${kernels[i].name}`,
    title: (i) => `${idText(compile(i))} ${kernels[i].name} ${kindWord(kernels[i].kind)}`,
    text: (i) =>
      [
        idText(compile(i)),
        compile(i).function,
        codeName(code(i)),
        kernels[i].name,
        kernels[i].kind,
        kindWord(kernels[i].kind),
        ...kernels[i].aten_ops,
        ...kernels[i].source_nodes,
        ...linesOf(kernels[i]).map((place) => `${framePlace(model, place)} ${place.source_line ?? ""}`),
      ].join("\n"),
    choices: [
      {
        key: "type",
        label: "Kind",
        all: "all kinds",
        options: kinds.map((kind) => [kind, kindWord(kind)]),
        fits: (i, value) => kernels[i].kind === value,
      },
    ],
    above: h(
      "div",
      { class: "intro" },
      h(
        "ul",
        { class: "facts-line" },
        h("li", null, `in ${plural(codes.length, "generated module")}`),
        hasRows(model, "autotunings") &&
          h("li", null, h("a", { href: state.link({ view: "autotuning" }) }, "Autotuning")),
        kinds.map((kind) =>
          h(
            "li",
            null,
            h(
              "a",
              { href: state.link({ view: "kernels", type: kind }), title: KERNEL_KINDS[kind][1] },
              `${kindWord(kind)} ${count(kernels.filter((/** @type {any} */ kernel) => kernel.kind === kind).length)}`,
            ),
          ),
        ),
      ),
    ),
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => kernels[i].code_event,
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "name",
        title: "Name",
        least: "10rem",
        class: "mono",
        sort: (i) => kernels[i].name,
        cell: (i) => cutMiddle(kernels[i].name),
      },
      {
        id: "source",
        title: "Source line",
        least: "8.5rem",
        sort: (i) => placesText(model, linesOf(kernels[i])) || null,
        cell: (i) => placesCell(model, linesOf(kernels[i])),
        help: "Lines of the program that the kernel computes: the first one, and how many more",
      },
      { id: "kind", title: "Kind", sort: (i) => kernels[i].kind, cell: (i) => kindWord(kernels[i].kind) },
      {
        id: "code",
        title: "Generated code",
        least: "6rem",
        sort: (i) => codeName(code(i)),
        cell: (i) => cutMiddle(codeName(code(i)), code(i).filename ?? undefined),
      },
      {
        id: "ops",
        title: "Operators",
        least: "7rem",
        sort: (i) => kernels[i].aten_ops.length || null,
        cell: (i) => h("span", { title: ops(i) }, ops(i) || "–"),
        help: "Operators fused into the kernel; torch doesn't record them for C++ kernels",
      },
      {
        id: "calls",
        title: "Calls",
        number: true,
        sort: (i) => kernels[i].call_lines.length,
        cell: (i) => count(kernels[i].call_lines.length),
        help: "Lines of the generated code that call it",
      },
      ...(timed
        ? [
            {
              id: "time",
              title: "Compile time",
              number: true,
              sort: us,
              cell: (/** @type {number} */ i) => {
                const known = us(i);
                return known === null ? "" : time(Math.round(known));
              },
              help: "Time to compile this Triton kernel",
            },
          ]
        : []),
    ],
    detail: (i) => kernelDetail({ log, state }, model, table, found, i),
  });
  return { ...view, title: "Kernels" };
}

/** @param {{log: any, state: any}} context @param {any} model @param {Awaited<ReturnType<typeof kernelsOf>>} table @param {any} found @param {number} i */
function kernelDetail({ log, state }, model, { kernels, codeOf, infoOf, linesOf }, found, i) {
  const kernel = kernels[i];
  const code = codeOf(kernel);
  const info = infoOf(kernel);
  const number = numberOf(model, kernel);
  const compile = model.compiles[number];
  const places = linesOf(kernel);
  const line = (/** @type {number} */ at) =>
    artifactLink(log, model, state, number, code.event, `line ${count(at)}`, at);
  const provenance = h("span");
  const noOperators = h("div");
  compileArtifacts(log, compile).then(
    (artifacts) => {
      const link = provenanceLink(log, compile, artifacts, state);
      fill(provenance, link);
      if (link === null && kernel.aten_ops.length === 0 && kernel.kind === "cpp")
        fill(
          noOperators,
          h(
            "p",
            { class: "dim" },
            "torch doesn't record the operators of a C++ kernel. Its name has the main ones.",
          ),
        );
    },
    () => {},
  );
  const also = kernels.filter((/** @type {any} */ other) => other !== kernel && other.name === kernel.name);
  return [
    h("h2", null, h("code", null, kernel.name)),
    h("p", null, compileLink(model, number, state), " ", functionName(compile), " ", provenance),
    ...cards(model, state, found, (finding) => isAbout(finding, kernel)),
    pairs([
      ["Kind", KERNEL_KINDS[kernel.kind]?.[1] ?? kernel.kind],
      [
        "Generated code",
        [
          artifactLink(log, model, state, number, code.event, codeName(code)),
          h("span", { class: "dim" }, ` ${plural(code.line_count, "line")}`),
        ],
      ],
      ["Defined at", kernel.line === null ? null : line(kernel.line)],
      [
        "Called at",
        kernel.call_lines.length === 0
          ? "not called"
          : kernel.call_lines
              .slice(0, 50)
              .map((/** @type {number} */ at, /** @type {number} */ k) => [k > 0 && ", ", line(at)]),
      ],
      ["File", code.filename && h("code", { class: "dim" }, code.filename)],
      ["Compile time", info && info.compile_time_us !== null ? time(Math.round(info.compile_time_us)) : null],
      ["Autotuning configurations", info?.config_count ?? null],
      ["Autotuning cache", info?.autotune_cache_state],
      ["Record", info && recordLink(info.event, state)],
    ]),
    places.length > 0 && [
      h("h3", null, "Source lines"),
      places
        .slice(0, 50)
        .map((place) => [
          sourceLine(place),
          h(
            "p",
            null,
            h(
              "a",
              { href: state.link({ view: "kernels", q: framePlace(model, place) }) },
              `Kernels of ${framePlace(model, place)}`,
            ),
          ),
        ]),
    ],
    recordProvenance(model, places.length > 0),
    kernel.aten_ops.length > 0 && [h("h3", null, "Operators"), codeList(kernel.aten_ops)],
    kernel.source_nodes.length > 0 && [h("h3", null, "Graph nodes"), codeList(kernel.source_nodes)],
    noOperators,
    also.length > 0 && [
      h("h3", null, "Same name in other generated code"),
      h(
        "ul",
        null,
        also
          .slice(0, 30)
          .map((/** @type {any} */ other) =>
            h(
              "li",
              null,
              compileLink(model, numberOf(model, other), state),
              " ",
              h(
                "a",
                { href: state.link({ view: "kernels", item: `${other.code_event}:${other.name}` }) },
                codeName(codeOf(other)),
              ),
            ),
          ),
      ),
      also.length > 30 && h("p", { class: "dim" }, `and ${count(also.length - 30)} more`),
    ],
  ];
}

/** Whether a finding is about the operator that a call runs. @param {import("../../lib/finding/card.js").Finding} finding @param {any} kernel */
const isAbout = (finding, kernel) =>
  finding.kind === "fallback" &&
  finding.events.includes(kernel.code_event) &&
  kernel.name.includes(/** @type {string} */ (finding.details.operator).replace("aten.", ""));

/** @param {string[]} names */
const codeList = (names) =>
  h(
    "ul",
    { class: "parts-list" },
    names.slice(0, 500).map((name) => h("li", null, h("code", null, name))),
  );
