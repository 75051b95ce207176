// Compilation metrics: all fields with unit and meaning, in groups; configurations and their differences.
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural, time } from "../../lib/page/format.js";
import { errorBox } from "../../lib/page/load.js";
import { prettyJson } from "../../lib/page/text.js";
import { recordLink } from "../shared/parts.js";

const GROUPS = /** @type {[string, string][]} */ ([
  ["failure", "Failure and restarts"],
  ["time", "Times"],
  ["counts", "Graph, guards, parameters"],
  ["cache", "Caches"],
  ["frame", "What was compiled"],
  ["environment", "Versions"],
  ["config", "Configuration"],
  ["other", "Other"],
]);
const IN_US = /** @type {Record<string, number>} */ ({ us: 1, ms: 1e3, s: 1e6 });

/**
 * Build the metrics of a record, which load with the table.
 * @param {any} log @param {number} eventIndex @param {any} state @param {any} metadata of the record, for fields that the table lacks
 */
export function metricsTable(log, eventIndex, state, metadata) {
  const element = h("div", {
    "class": "scroll padded",
    "tabindex": "0",
    "role": "region",
    "aria-label": "Metrics",
  });
  const load = () =>
    Promise.all(["metrics", "metric_configs", "metric_fields"].map((name) => log.table(name)))
      .then(([metrics, configs, fields]) => {
        const row = metrics?.find((/** @type {any} */ one) => one.event === eventIndex);
        fill(
          element,
          row
            ? sections({ metrics, configs: configs ?? [], fields: fields ?? [] }, row, state, metadata)
            : plainFields(metadata),
        );
      })
      .catch((/** @type {unknown} */ error) => fill(element, errorBox(error, load)));
  load();
  return element;
}

/** @typedef {{metrics: any[], configs: any[], fields: any[]}} Tables */

/** @param {Tables} tables @param {any} row @param {any} state @param {any} metadata */
function sections(tables, row, state, metadata) {
  const known = tables.fields.filter((field) => field.name in row.values || field.name in row.configs);
  const same = tables.metrics.filter(
    (other) => other.compile === row.compile && other.attempt === row.attempt && other !== row,
  );
  const written =
    Object.values(metadata ?? {}).find((value) => value !== null && typeof value === "object") ?? {};
  const empty = Object.keys(written).filter((name) => written[name] === null);
  return [
    h(
      "p",
      null,
      h("b", null, row.type.replaceAll("_", " ")),
      " ",
      recordLink(row.event, state),
      same.length > 0 && [
        h("span", { class: "dim" }, " · other metrics of this compile: "),
        same
          .slice(0, 20)
          .map((other, i) => [
            i > 0 && ", ",
            recordLink(other.event, state, other.type.replaceAll("_", " ")),
          ]),
      ],
    ),
    GROUPS.map(([group, title]) => {
      const fields = known.filter(
        (field) => (GROUPS.some(([id]) => id === field.group) ? field.group : "other") === group,
      );
      return (
        fields.length > 0 &&
        h(
          "section",
          { class: "metrics-group" },
          h("h3", null, title),
          h(
            "dl",
            { class: "pairs metrics" },
            fields.map((field) => [
              h("dt", { class: "mono", title: field.meaning }, field.name),
              h(
                "dd",
                null,
                field.name in row.configs
                  ? config(tables, row, field.name)
                  : value(field, row.values[field.name]),
                row.cut.includes(field.name) && h("span", { class: "dim" }, " (cut; the record has all)"),
                field.meaning && h("span", { class: "meaning" }, ` ${field.meaning}`),
              ),
            ]),
          ),
        )
      );
    }),
    empty.length > 0 &&
      h(
        "details",
        null,
        h("summary", null, `${plural(empty.length, "field")} without a value`),
        h("p", { class: "dim mono" }, empty.join(", ")),
      ),
  ];
}

/** @param {{name: string, unit: string | null}} field @param {any} v */
function value({ name, unit }, v) {
  if (typeof v === "number") return h("span", { title: String(v), class: "quantity" }, number(v, unit, name));
  if (typeof v === "boolean") return v ? "yes" : "no";
  if (v === "") return h("span", { class: "dim" }, "empty");
  if (Array.isArray(v) && v.every((item) => typeof item === "string")) {
    if (v.length > 1)
      return h(
        "details",
        null,
        h("summary", null, plural(v.length, "line")),
        h(
          "ul",
          null,
          v.map((item) => h("li", null, h("pre", { class: "wrapped" }, item))),
        ),
      );
    return v.length ? h("pre", { class: "wrapped" }, v[0]) : h("span", { class: "dim" }, "none");
  }
  const text = typeof v === "string" ? (prettyJson(v) ?? v) : JSON.stringify(v, null, 2);
  if (text.length < 200 && !text.includes("\n")) return h("span", { class: "mono" }, text);
  return h(
    "details",
    null,
    h(
      "summary",
      null,
      typeof v === "object" && !Array.isArray(v)
        ? plural(Object.keys(v).length, "entry", "entries")
        : `${count(text.length)} characters`,
    ),
    h("pre", { class: "wrapped" }, text),
  );
}

/** @param {number} n @param {string | null} unit @param {string} name */
function number(n, unit, name) {
  if (unit === "epoch_us" || unit === "epoch_s") {
    const ms = unit === "epoch_us" ? n / 1000 : n * 1000;
    return Number.isFinite(ms) && Math.abs(ms) < 8e15
      ? new Date(ms).toISOString().replace("T", " ").replace("Z", " UTC")
      : String(n);
  }
  if (unit === "bytes") return bytes(n);
  if (unit !== null && unit in IN_US) return time(Math.round(n * IN_US[unit]));
  return Number.isInteger(n) && !/line|version/.test(name) ? count(n) : String(n);
}

/** Build a configuration: differences from the first one of its field, and all settings in a fold. @param {Tables} tables @param {any} row @param {string} field */
function config({ configs }, row, field) {
  const own = configs[row.configs[field]];
  if (!own) return h("span", { class: "dim" }, "only in the record (too many different configurations)");
  const base = own.base === null ? null : configs[own.base];
  const others = configs.filter((other) => other.field === field).length;
  if (own.text !== null)
    return h("details", null, h("summary", null, "as recorded"), h("pre", { class: "wrapped" }, own.text));
  const settings = base === null ? (own.value ?? {}) : { ...base.value, ...own.changes };
  for (const name of own.removed) delete settings[name];
  const changed = [...Object.keys(own.changes), ...own.removed];
  const list = h("div");
  const open = () =>
    list.childElementCount === 0 &&
    fill(
      list,
      settingsTable(
        Object.entries(settings)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, v]) => [name, [v]]),
        ["Setting", "Value"],
      ),
    );
  return [
    h(
      "span",
      null,
      `${plural(Object.keys(settings).length, "setting")}, in ${plural(own.record_count, "record")}`,
      others > 1 && `. ${plural(others, "different configuration")} in this log`,
    ),
    base &&
      changed.length > 0 && [
        h("div", null, `${plural(changed.length, "setting")} different from the first:`),
        settingsTable(
          changed.map((name) => [
            name,
            [base.value?.[name], own.removed.includes(name) ? undefined : own.changes[name]],
          ]),
          ["Setting", "First", "Here"],
        ),
      ],
    h("details", { ontoggle: open }, h("summary", null, `All settings of ${field}`), list),
  ];
}

/** @param {[string, any[]][]} rows @param {string[]} titles */
const settingsTable = (rows, titles) =>
  h(
    "table",
    { class: "plain settings" },
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        titles.map((title) => h("th", null, title)),
      ),
    ),
    h(
      "tbody",
      null,
      rows.map(([name, values]) =>
        h(
          "tr",
          null,
          h("td", { class: "mono" }, name),
          values.map((v) => h("td", { class: "mono" }, v === undefined ? "(not set)" : JSON.stringify(v))),
        ),
      ),
    ),
  );

/** Build the fields as torch wrote them, for a bundle without the table. @param {any} metadata */
function plainFields(metadata) {
  const fields = Object.entries(
    Object.values(metadata ?? {}).find((v) => v !== null && typeof v === "object") ?? {},
  );
  return h(
    "dl",
    { class: "pairs metrics" },
    fields
      .filter(([, v]) => v !== null)
      .map(([name, v]) => [h("dt", { class: "mono" }, name), h("dd", null, value({ name, unit: null }, v))]),
  );
}
