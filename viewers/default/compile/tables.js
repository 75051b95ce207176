// The tables of one compile: symbols, inputs, kernels and partitioner decisions.
import { table } from "../../lib/list/table.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { shareBar } from "../../lib/page/figures.js";
import { placeLink } from "../../lib/page/place-link.js";
import { compileTimes } from "../runtime/runtime.js";
import { timesOf } from "../runtime/data.js";
import { placesText, recordProvenance } from "../shared/kernel-lines.js";
import { idText, numberOf } from "../shared/model.js";
import { recordLink } from "../shared/parts.js";
import { artifactLink, frameLink } from "../shared/program-line.js";
import { sourceName } from "../shared/source-name.js";
import { tuningsOf } from "../tables/autotuning.js";
import { codeName, KERNEL_KINDS, kernelsOf } from "../tables/kernels.js";
import { symbolsOf } from "../tables/symbol-data.js";
import { reasonWords, symbolBadge } from "../tables/symbols.js";
import { shapeText, tensorName, tensorsOf } from "../tables/tensor-data.js";
import { moduleSection } from "./modules.js";
import { tuningSection } from "./tunings.js";

const MOST_SHOWN = 12;

/** Build sections that load their tables. @param {import("../frame/viewer.js").Context} context @param {any} model @param {number} index */
export function compileTables({ log, state }, model, index) {
  const compile = model.compiles[index];
  const attempts = new Set(
    compile.id === null
      ? [index]
      : model.compiles.flatMap((/** @type {any} */ c, /** @type {number} */ i) =>
          c.id !== null && c.compile === compile.compile ? [i] : [],
        ),
  );
  const root = h("div", { class: "compile-tables" });
  const query = compile.id === null ? "" : idText(compile);
  const part = (/** @type {Promise<any>} */ load, /** @type {(value: any) => any} */ show) => {
    const place = h("div");
    load.then(
      (value) => fill(place, show(value)),
      (error) => fill(place, h("p", { class: "dim" }, error.message)),
    );
    return place;
  };
  return fill(
    root,
    part(timesOf(log), (times) => compileTimes({ log, state, model }, times, compile.compile ?? compile.key)),
    part(symbolsOf(log), ({ items }) =>
      symbolSection(
        model,
        items.filter((/** @type {any} */ item) => attempts.has(item.compile)),
        state,
        query,
      ),
    ),
    part(tensorsOf(log), (data) => tensorSection(data, attempts, state, query)),
    part(log.table("modules"), (rows) => moduleSection(rows, compile.compile)),
    part(kernelsOf(log), (table) => kernelSection(log, model, table, attempts, state, query)),
    part(tuningsOf(log), (table) => tuningSection(model, table.tunings, attempts, state, query)),
    part(
      Promise.all(
        ["partitions", "partition_candidates", "aliasing", "duplicate_backwards"].map((name) =>
          log.table(name),
        ),
      ),
      (tables) => partitionSection(log, model, tables, attempts, state),
    ),
  );
}

/** @param {string} title @param {number} n @param {string} href @param {...any} children */
const section = (title, n, href, ...children) =>
  h("section", null, h("h2", null, h("a", { href }, `${title} ${count(n)}`)), children);

/** @param {number} n @param {string} href */
const more = (n, href) => n > MOST_SHOWN && h("p", null, h("a", { href }, `all ${count(n)}`));

/** @param {any} model @param {import("../tables/symbol-data.js").Item[]} items @param {any} state @param {string} q */
function symbolSection(model, items, state, q) {
  if (items.length === 0) return null;
  const all = state.link({ view: "symbols", q });
  const order = ["error", "assumed", "constant", "unbacked", "symbol", "guard"];
  const sorted = [...items].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind));
  return section(
    "Symbols",
    items.length,
    all,
    h(
      "ul",
      null,
      sorted.slice(0, MOST_SHOWN).map((item) => {
        const last = item.constants[item.constants.length - 1];
        return h(
          "li",
          null,
          symbolBadge(item),
          " ",
          h(
            "a",
            { href: state.link({ view: "symbols", item: String(item.event) }) },
            h("code", null, item.name),
          ),
          item.source && [" from ", h("code", null, sourceName(item.source))],
          last !== undefined && [
            " specialized to ",
            h("b", null, last.value),
            h("span", { class: "dim" }, `: ${reasonWords(last.reason ?? "")}`),
          ],
          item.guards.length > 0 && h("span", { class: "dim" }, ` ${plural(item.guards.length, "guard")}`),
          item.frame && [" ", frameLink(model, item.frame)],
        );
      }),
    ),
    more(items.length, all),
  );
}

/** @param {import("../tables/tensor-data.js").Tensors} data @param {Set<number>} attempts @param {any} state @param {string} q */
function tensorSection(data, attempts, state, q) {
  const rows = data.rows.flatMap((row, i) => (attempts.has(row.compile) && row.sources.length ? [i] : []));
  if (rows.length === 0) return null;
  const all = state.link({ view: "tensors", q });
  return section(
    "Input tensors",
    rows.length,
    all,
    table(
      [
        {
          title: "Input",
          cell: (i) =>
            h(
              "a",
              {
                href: state.link({ view: "tensors", item: String(data.rows[i].event) }),
                title: data.rows[i].sources.join("\n"),
              },
              h("code", { class: "cut" }, tensorName(data.rows[i])),
            ),
          sort: (i) => tensorName(data.rows[i]),
        },
        {
          title: "Shape",
          cell: (i) => {
            const shape = shapeText(data.rows[i].shape),
              input = data.inputOf(i);
            return [
              h("code", null, shape),
              input &&
                shapeText(input.shape) !== shape &&
                h("span", { class: "dim mono" }, ` in the graph ${shapeText(input.shape)}`),
            ];
          },
          sort: (i) => shapeText(data.rows[i].shape),
        },
        {
          title: "dtype",
          cell: (i) => data.rows[i].dtype?.replace("torch.", ""),
          sort: (i) => data.rows[i].dtype,
        },
        { title: "Device", cell: (i) => data.rows[i].device, sort: (i) => data.rows[i].device },
        { title: "Flags", class: "dim", cell: (i) => data.rows[i].flags.join(", ") },
      ],
      rows.slice(0, MOST_SHOWN),
      { class: "compact" },
    ),
    more(rows.length, all),
  );
}

/** @param {any} kernel @returns {number | null} */
const lineOf = (kernel) => kernel.line ?? kernel.call_lines[0] ?? null;

/** @param {any} log @param {any} model @param {Awaited<ReturnType<typeof kernelsOf>>} table @param {Set<number>} attempts @param {any} state @param {string} q */
function kernelSection(log, model, { kernels, codeOf, infoOf, linesOf }, attempts, state, q) {
  const own = /** @type {any[]} */ (kernels).filter((kernel) => attempts.has(numberOf(model, kernel)));
  if (own.length === 0) return null;
  const all = state.link({ view: "kernels", q });
  const timeOf = (/** @type {any} */ kernel) => infoOf(kernel)?.compile_time_us ?? null;
  return section(
    "Kernels and calls",
    own.length,
    all,
    table(
      [
        {
          title: "Kernel",
          cell: (kernel) =>
            h(
              "a",
              {
                href: state.link({ view: "kernels", item: `${kernel.code_event}:${kernel.name}` }),
                title: kernel.name,
              },
              h("code", { class: "cut" }, kernel.name),
            ),
          sort: (kernel) => kernel.name,
        },
        {
          title: "Source lines",
          cell: (kernel) => {
            const places = linesOf(kernel);
            return places.length > 0 && placeLink(places[0].file, places[0].line, placesText(model, places));
          },
          sort: (kernel) => placesText(model, linesOf(kernel)),
        },
        {
          title: "Kind",
          cell: (kernel) => KERNEL_KINDS[kernel.kind]?.[0] ?? kernel.kind,
          sort: (kernel) => KERNEL_KINDS[kernel.kind]?.[0] ?? kernel.kind,
        },
        {
          title: "Code",
          cell: (kernel) => codeName(codeOf(kernel)),
          sort: (kernel) => codeName(codeOf(kernel)),
        },
        {
          title: "Line",
          cell: (kernel) => {
            const line = lineOf(kernel);
            return (
              line !== null &&
              artifactLink(
                log,
                model,
                state,
                numberOf(model, kernel),
                kernel.code_event,
                `line ${count(line)}`,
                line,
              )
            );
          },
          sort: lineOf,
        },
        ...(own.some((kernel) => timeOf(kernel) !== null)
          ? [
              {
                title: "Compile time",
                number: true,
                cell: (/** @type {any} */ kernel) => {
                  const us = timeOf(kernel);
                  return us === null ? "–" : time(Math.round(us));
                },
                sort: timeOf,
              },
            ]
          : []),
      ],
      own.slice(0, MOST_SHOWN),
      { class: "compact" },
    ),
    more(own.length, all),
    recordProvenance(
      model,
      own.some((/** @type {any} */ kernel) => linesOf(kernel).length > 0),
    ),
  );
}

/** @param {any} candidate */
const decision = ({ saved, recomputed }) => (saved ? "↓ saved" : recomputed ? "↻ recomputed" : "–");

/** Build the tensors saved for backward, the recomputed ones, and the mutations. @param {any} log @param {any} model @param {any[]} tables null: left out of a redacted bundle @param {Set<number>} attempts @param {any} state */
function partitionSection(log, model, [partitions, candidates, aliasing, duplicates], attempts, state) {
  const mine = (/** @type {any[] | null} */ rows) =>
    (rows ?? []).filter((row) => attempts.has(numberOf(model, row)));
  const changed = mine(aliasing).filter(
    (row) =>
      row.mutated_input_count + row.metadata_mutated_input_count > 0 ||
      Object.keys(row.output_types).some((type) => type !== "non_alias"),
  );
  const gb = (/** @type {number | null} */ n) => (n === null ? "–" : bytes(Math.round(n * 1e9)));
  return [
    mine(partitions).map((cut) => {
      const own = (candidates ?? []).filter((/** @type {any} */ c) => c.partition_event === cut.event);
      const recomputed = own.filter((/** @type {any} */ c) => c.recomputed).length;
      const saved = own.filter((/** @type {any} */ c) => c.saved).length;
      const whole = own.reduce(
        (/** @type {number} */ n, /** @type {any} */ c) => n + (c.memory_bytes ?? 0),
        0,
      );
      return h(
        "section",
        null,
        h(
          "h2",
          null,
          artifactLink(
            log,
            model,
            state,
            numberOf(model, cut),
            cut.event,
            "Saved for backward or recomputed",
          ),
        ),
        h(
          "p",
          null,
          cut.memory_budget !== null && ["Memory budget ", h("b", null, cut.memory_budget), ". "],
          `${plural(own.length, "candidate")}: ${count(saved)} saved, ${count(recomputed)} recomputed. Saved activations ${gb(cut.saved_activation_gb)} (minimum ${gb(cut.min_activation_gb)}, maximum ${gb(cut.max_activation_gb)}).`,
        ),
        table(
          [
            { title: "Node", cell: (c) => h("code", null, c.node), sort: (c) => c.node },
            {
              title: "Operator",
              cell: (c) => h("code", { class: "dim" }, c.target ?? ""),
              sort: (c) => c.target,
            },
            { title: "Size", number: true, cell: (c) => bytes(c.memory_bytes), sort: (c) => c.memory_bytes },
            { title: "Share", class: "bar-cell", cell: (c) => shareBar(c.memory_bytes, whole) },
            { title: "Decision", cell: decision, sort: decision },
          ],
          /** @type {any[]} */ (own.slice(0, MOST_SHOWN)),
          { class: "compact" },
        ),
        own.length > MOST_SHOWN &&
          h("p", { class: "dim" }, `and ${count(own.length - MOST_SHOWN)} more in the record`),
      );
    }),
    changed.length > 0 &&
      h(
        "section",
        null,
        h("h2", null, "Inputs and outputs"),
        h(
          "ul",
          null,
          changed.map((row) =>
            h(
              "li",
              null,
              [
                row.mutated_input_count > 0 &&
                  `${plural(row.mutated_input_count, "input")} of ${count(row.input_count)} mutated`,
                row.metadata_mutated_input_count > 0 &&
                  `${plural(row.metadata_mutated_input_count, "input")} with mutated metadata (shape or strides)`,
                ...Object.entries(row.output_types)
                  .filter(([type]) => type !== "non_alias")
                  .map(
                    ([type, n]) =>
                      `${plural(/** @type {number} */ (n), "output")}: ${type.replaceAll("_", " ")}`,
                  ),
              ]
                .filter(Boolean)
                .join("; "),
              " ",
              recordLink(row.event, state),
            ),
          ),
        ),
      ),
    mine(duplicates).map((row) =>
      h(
        "section",
        { class: "verdict tone-recompile" },
        h("h2", null, "Duplicate backward compile"),
        h("p", null, [row.explanation, row.common_cause, row.suggested_action].filter(Boolean).join(" ")),
        recordLink(row.event, state),
      ),
    ),
  ];
}
