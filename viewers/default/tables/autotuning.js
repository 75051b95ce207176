// The autotuning view: benchmarked operators, and the candidates of each as bars.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, plural, time } from "../../lib/page/format.js";
import { cards } from "../shared/finding-leads.js";
import { findingsOf, functionName, idText, modelOf, numberOf } from "../shared/model.js";
import { compileLink, pairs, recordLink } from "../shared/parts.js";

/** Words and help. @type {Record<string, [string, string]>} */
export const CHOICE_KINDS = {
  extern: ["library", "A library call, such as ATen's: what Inductor uses without autotuning"],
  triton: ["Triton", "A kernel from a Triton template of Inductor"],
  cpp: ["C++", "A kernel from a C++ template of Inductor"],
  cutlass: ["CUTLASS", "A kernel of NVIDIA's CUTLASS"],
  ck: ["CK", "A kernel of AMD's Composable Kernel"],
  cutedsl: ["CuTeDSL", "A kernel in CuTeDSL"],
  other: ["other", "A different kernel, or an unknown one"],
};
const MOST_CHOICES = 200;

/** @param {string | null} kind */
const kindWord = (kind) => (kind === null ? "–" : (CHOICE_KINDS[kind]?.[0] ?? kind));

/** @param {any} row */
export const tuningUs = (row) => (row.duration_us ?? 0) + (row.precompile_us ?? 0);

/** Return the autotunings of a log and their candidates; empty if a redacted bundle has none. @param {import("../../lib/bundle/log.js").Log} log */
export async function tuningsOf(log) {
  const [tunings, choices] = await Promise.all(
    ["autotunings", "autotune_choices"].map(async (name) => (await log.table(name)) ?? []),
  );
  const byTuning = new Map(/** @type {[number, any[]][]} */ ([]));
  for (const choice of choices) {
    const rows = byTuning.get(choice.autotuning);
    if (rows) rows.push(choice);
    else byTuning.set(choice.autotuning, [choice]);
  }
  return { tunings, choicesOf: (/** @type {any} */ row) => byTuning.get(row.id) ?? [] };
}

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openAutotuning({ log, state }) {
  const [model, found, { tunings, choicesOf }] = await Promise.all([
    modelOf(log),
    findingsOf(log),
    tuningsOf(log),
  ]);
  if (tunings.length === 0)
    return emptyPage(
      "No autotuning",
      "Inductor benchmarks kernels with mode='max-autotune'. This log has no such benchmark, or a cache had the results.",
    );
  const compile = (/** @type {number} */ i) => model.compiles[numberOf(model, tunings[i])];
  const kinds = Object.keys(CHOICE_KINDS).filter((kind) =>
    tunings.some((/** @type {any} */ row) => row.best_kind === kind),
  );
  return listDetail({
    state,
    name: "autotuning",
    label: "Autotuning",
    noun: ["autotuning", "autotunings"],
    length: tunings.length,
    share: 0.5,
    id: (i) => String(tunings[i].id),
    title: (i) => `${idText(compile(i))} ${tunings[i].operator} ${tunings[i].shapes ?? ""}`,
    text: (i) =>
      [
        idText(compile(i)),
        functionName(compile(i)),
        tunings[i].operator,
        tunings[i].shapes,
        tunings[i].best,
        kindWord(tunings[i].best_kind),
        ...choicesOf(tunings[i]).flatMap((choice) => [choice.name, choice.description, choice.error]),
      ].join("\n"),
    choices:
      kinds.length > 1
        ? [
            {
              key: "type",
              label: "Winner",
              all: "all winners",
              options: kinds.map((kind) => [kind, kindWord(kind)]),
              fits: (i, value) => tunings[i].best_kind === value,
            },
          ]
        : [],
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => numberOf(model, tunings[i]),
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "operator",
        title: "Operator",
        least: "5rem",
        class: "mono",
        sort: (i) => tunings[i].operator,
        cell: (i) => cutMiddle(tunings[i].operator),
      },
      {
        id: "shapes",
        title: "Input shapes",
        least: "8rem",
        class: "mono",
        sort: (i) => tunings[i].shapes,
        cell: (i) => cutMiddle(tunings[i].shapes ?? "–"),
      },
      {
        id: "best",
        title: "Winner",
        least: "11rem",
        class: "mono",
        sort: (i) => tunings[i].best,
        cell: (i) => winner(tunings[i]),
        help: "The fastest candidate",
      },
      {
        id: "count",
        title: "Candidates",
        number: true,
        sort: (i) => tunings[i].choice_count,
        cell: (i) => (tunings[i].choice_count === null ? "–" : count(tunings[i].choice_count)),
        help: "Benchmarked candidates",
      },
      ...(tunings.some((/** @type {any} */ row) => row.failed_count > 0)
        ? [
            {
              id: "failed",
              title: "Failed",
              number: true,
              sort: (/** @type {number} */ i) => tunings[i].failed_count,
              cell: (/** @type {number} */ i) =>
                tunings[i].failed_count ? count(tunings[i].failed_count) : "",
              help: "Candidates that did not compile",
            },
          ]
        : []),
      {
        id: "time",
        title: "Time",
        number: true,
        sort: (i) => tuningUs(tunings[i]),
        cell: (i) => time(tuningUs(tunings[i])),
        help: "Time to compile and to benchmark the candidates",
      },
    ],
    detail: (i) => tuningDetail({ log, state }, model, found, tunings[i], choicesOf(tunings[i])),
  });
}

/** @param {any} row */
const winner = (row) =>
  row.best === null ? "–" : cutMiddle(row.best_kind === "extern" ? `${row.best} (library)` : row.best);

/** @param {{log: any, state: any}} context @param {any} model @param {any} found @param {any} row @param {any[]} choices */
function tuningDetail({ state }, model, found, row, choices) {
  const number = numberOf(model, row);
  const ran = choices.filter(({ position }) => position !== null);
  const failed = choices.filter(({ position }) => position === null);
  const events = [row.end_event, row.precompile_event].filter((event) => event !== null);
  return [
    h("h2", null, h("code", null, row.operator), row.shapes && [" ", h("code", null, row.shapes)]),
    h(
      "p",
      null,
      model.compiles[number].id === null
        ? "outside any compile"
        : [compileLink(model, number, state), " ", functionName(model.compiles[number])],
    ),
    verdict(row),
    h("h3", null, "Candidates"),
    ran.length > 0 ? choiceBars(ran) : h("p", { class: "dim" }, "This torch does not log the candidates."),
    row.choice_count !== null &&
      row.choice_count > ran.length &&
      h(
        "p",
        { class: "dim" },
        `torch logs only the fastest candidate and the fastest in Triton: ${plural(row.choice_count - ran.length, "more candidate")} without a time.`,
      ),
    failed.length > 0 && [
      h("h3", null, `${plural(failed.length, "candidate")} did not compile`),
      h(
        "ul",
        { class: "failed-choices" },
        failed
          .slice(0, MOST_CHOICES)
          .map((choice) =>
            h(
              "li",
              null,
              h("b", null, choice.error_type ?? "error"),
              ` ${kindWord(choice.kind)} `,
              choice.description && h("code", { class: "dim" }, choice.description),
              choice.error && h("pre", null, choice.error),
            ),
          ),
      ),
    ],
    h("h3", null, "Benchmark"),
    pairs([
      ["dtypes", row.dtypes.map((/** @type {string} */ name) => name.replace("torch.", "")).join(", ")],
      ["Strides", row.strides && h("code", null, row.strides)],
      ["Candidates", row.choice_count === null ? null : count(row.choice_count)],
      ["In Triton", row.triton_choice_count === null ? null : count(row.triton_choice_count)],
      ["Time to compile them", row.precompile_us === null ? null : time(row.precompile_us)],
      ["Time to benchmark them", row.duration_us === null ? null : time(row.duration_us)],
      [
        "Records",
        events.length === 0 ? null : events.map((event, at) => [at > 0 && ", ", recordLink(event, state)]),
      ],
    ]),
    ...cards(
      model,
      state,
      found,
      (finding) =>
        finding.kind === "autotune" &&
        finding.details.when === "compile" &&
        finding.compiles.includes(row.compile),
    ),
  ];
}

/** Build the sentence about the winner and its margin. @param {any} row */
function verdict(row) {
  if (row.best === null) return null;
  const margin =
    row.runner_up_ratio === null
      ? ""
      : row.runner_up_ratio < 1.005
        ? ", as fast as the runner-up"
        : `, ${((row.runner_up_ratio - 1) * 100).toFixed(row.runner_up_ratio < 1.1 ? 1 : 0)} % faster than the runner-up`;
  return h("p", null, h("code", null, row.best), ` (${kindWord(row.best_kind)}) won${margin}.`);
}

/** Build a list of candidates by time, each with a bar. @param {any[]} choices */
function choiceBars(choices) {
  const slowest = Math.max(...choices.map((choice) => choice.time_us ?? 0));
  return h(
    "ul",
    { class: "choices" },
    choices
      .slice(0, MOST_CHOICES)
      .map((choice) =>
        h(
          "li",
          { class: choice.position === 0 ? "winner" : null },
          h(
            "div",
            { class: "choice-head" },
            h("span", { class: "dim" }, `${count(choice.position + 1)}. `),
            h("code", null, choice.name ?? "–"),
            " ",
            h("span", { class: "dim", title: CHOICE_KINDS[choice.kind]?.[1] }, kindWord(choice.kind)),
            choice.position === 0 && h("b", { class: "won" }, " ✔ winner"),
          ),
          h(
            "div",
            { class: "choice-time" },
            bar(choice.time_us, slowest),
            h("span", null, choice.time_us === null ? "no time" : time(choice.time_us)),
            choice.ratio !== null &&
              choice.position !== 0 &&
              h("span", { class: "dim" }, `${choice.ratio.toFixed(2)} × the fastest`),
          ),
          choice.description && h("div", { class: "dim choice-description" }, choice.description),
        ),
      ),
  );
}

/** @param {number | null} us @param {number} slowest */
const bar = (us, slowest) =>
  h(
    "span",
    { "class": "portion-bar choice-bar", "aria-hidden": "true" },
    us !== null && slowest > 0 && h("span", { style: { width: `${Math.max(1, (100 * us) / slowest)}%` } }),
  );
