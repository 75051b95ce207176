// The tensors view: inputs of compiles with shape, strides, dtype, device and shared memory.
import { emptyPage, listDetail } from "../../lib/list/list-detail.js";
import { tableBox } from "../../lib/list/table.js";
import { cutMiddle } from "../../lib/page/cut-middle.js";
import { h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { functionName, idText, modelOf } from "../shared/model.js";
import { compileLink, pairs, recordLink } from "../shared/parts.js";
import { badge } from "../shared/program-line.js";
import { sourceName } from "../shared/source-name.js";
import { shapeText, tensorName, tensorsOf } from "./tensor-data.js";

const MOST_SHOWN = 100;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openTensors({ log, state }) {
  const [model, data] = await Promise.all([modelOf(log), tensorsOf(log)]);
  if (data.rows.length === 0) {
    return emptyPage(
      "No tensors",
      "torch logs the input tensors of a compile (describe_tensor). This log has none.",
    );
  }
  const { rows } = data;
  const compile = (/** @type {number} */ i) => model.compiles[rows[i].compile];
  const known = (/** @type {"dtype" | "device"} */ cell) =>
    /** @type {string[]} */ ([...new Set(rows.map((row) => row[cell]))].filter((value) => value !== null));
  const choice = (
    /** @type {string} */ key,
    /** @type {string} */ label,
    /** @type {string} */ all,
    /** @type {"dtype" | "device"} */ cell,
  ) => ({
    key,
    label,
    all,
    options: known(cell).map((value) => /** @type {[string, string]} */ ([value, value])),
    fits: (/** @type {number} */ i, /** @type {string} */ value) => rows[i][cell] === value,
  });
  const FLAGS = /** @type {[string, string][]} */ ([
    ["parameter", "parameters"],
    ["grad", "with requires_grad"],
    ["shared", "sharing memory"],
    ["view", "views"],
    ["dynamic", "marked dynamic"],
  ]);
  const view = listDetail({
    state,
    name: "tensors",
    label: "Tensors",
    noun: ["tensor", "tensors"],
    length: rows.length,
    share: 0.6,
    id: (i) => String(rows[i].event),
    title: (i) =>
      `${idText(compile(i))} ${tensorName(rows[i])} ${shapeText(rows[i].shape)} ${rows[i].dtype ?? ""}`,
    text: (i) =>
      [
        idText(compile(i)),
        compile(i).function,
        tensorName(rows[i]),
        ...rows[i].sources,
        shapeText(rows[i].shape),
        rows[i].dtype,
        rows[i].device,
        ...rows[i].flags,
      ].join("\n"),
    choices: [
      choice("type", "Dtype", "all dtypes", "dtype"),
      choice("by", "Device", "all devices", "device"),
      {
        key: "status",
        label: "Flag",
        all: "any flags",
        options: FLAGS,
        fits: (i, value) => rows[i].flags.includes(value),
      },
    ],
    columns: [
      {
        id: "compile",
        title: "Compile",
        class: "mono",
        sort: (i) => rows[i].compile,
        cell: (i) => (compile(i).id === null ? "–" : idText(compile(i))),
      },
      {
        id: "name",
        title: "Tensor",
        least: "9rem",
        class: "mono",
        sort: (i) => tensorName(rows[i]),
        cell: (i) => cutMiddle(tensorName(rows[i]), rows[i].sources.join("\n")),
      },
      {
        id: "shape",
        title: "Shape",
        least: "5rem",
        class: "mono",
        sort: (i) => shapeText(rows[i].shape),
        cell: (i) => shapeText(rows[i].shape),
      },
      {
        id: "stride",
        title: "Strides",
        least: "5rem",
        class: "mono",
        sort: (i) => shapeText(rows[i].stride),
        cell: (i) => shapeText(rows[i].stride),
      },
      {
        id: "dtype",
        title: "Dtype",
        sort: (i) => rows[i].dtype,
        cell: (i) => rows[i].dtype?.replace("torch.", "") ?? "–",
      },
      { id: "device", title: "Device", sort: (i) => rows[i].device, cell: (i) => rows[i].device ?? "–" },
      {
        id: "flags",
        title: "Flags",
        least: "6rem",
        sort: (i) => rows[i].flags.join(", ") || null,
        cell: (i) => h("span", { title: rows[i].flags.join(", ") }, rows[i].flags.join(", ")),
      },
    ],
    detail: (i) => tensorDetail({ log, state }, model, data, i),
  });
  return { ...view, title: "Tensors" };
}

/** @param {{log: any, state: any}} context @param {any} model @param {import("./tensor-data.js").Tensors} data @param {number} i */
function tensorDetail({ state }, model, data, i) {
  const row = data.rows[i];
  const shared = data.sharing(i);
  const input = data.inputOf(i);
  const yes = (/** @type {boolean} */ value) => (value ? "yes" : "no");
  const tensor = (/** @type {number} */ at) =>
    h(
      "a",
      { href: state.link({ view: "tensors", item: String(data.rows[at].event) }) },
      h("code", null, tensorName(data.rows[at])),
    );
  return [
    h("h2", null, h("code", null, tensorName(row))),
    h("p", null, compileLink(model, row.compile, state), " ", functionName(model.compiles[row.compile])),
    row.sources.length === 0 &&
      h(
        "p",
        { class: "dim" },
        "Not an input itself, but part of a different tensor, such as the base of a view or a gradient.",
      ),
    pairs([
      [
        "Sources",
        row.sources.length === 0
          ? null
          : h(
              "ul",
              null,
              row.sources.map((source) =>
                h(
                  "li",
                  null,
                  h("code", null, sourceName(source)),
                  source !== sourceName(source) && h("span", { class: "dim mono" }, `  ${source}`),
                ),
              ),
            ),
      ],
      ["Shape", h("code", null, shapeText(row.shape))],
      ["Strides", h("code", null, shapeText(row.stride))],
      ["Dtype", row.dtype],
      ["Device", row.device],
      [
        "In the graph",
        input && [
          h("code", null, input.name),
          " ",
          h("code", null, shapeText(input.shape)),
          input.shape?.some((/** @type {any} */ size) => typeof size === "string") && [
            " ",
            h(
              "a",
              { href: state.link({ view: "symbols", q: idText(model.compiles[row.compile]) }) },
              "its symbols",
            ),
          ],
        ],
      ],
      ["Dynamic dimensions", row.dynamic && ` ${row.dynamic.join(", ")}`],
      ["Parameter", yes(row.flags.includes("parameter"))],
      ["Requires grad", yes(row.flags.includes("grad"))],
      ["Leaf", yes(row.leaf)],
      ["View", yes(row.flags.includes("view"))],
      ...Object.entries(row.other)
        .filter(([key]) => key !== "base")
        .map(
          ([key, value]) =>
            /** @type {[string, any]} */ ([
              key.replaceAll("_", " "),
              h("code", null, typeof value === "string" ? value : JSON.stringify(value)),
            ]),
        ),
      ["View of", data.baseOf(i) >= 0 ? tensor(data.baseOf(i)) : null],
      ["Record", recordLink(row.event, state)],
    ]),
    row.storage !== null && [
      h("h3", null, "Memory"),
      h(
        "p",
        null,
        data.storageSize(row.storage),
        shared.length === 0
          ? ", not shared"
          : [
              ", ",
              badge("break", "⇄", `shared with ${plural(shared.length, "other tensor", "other tensors")}`),
            ],
      ),
      shared.length > 0 &&
        h(
          "ul",
          null,
          shared
            .slice(0, MOST_SHOWN)
            .map((at) =>
              h(
                "li",
                null,
                tensor(at),
                " ",
                h("code", { class: "dim" }, shapeText(data.rows[at].shape)),
                " ",
                data.rows[at].other.storage_offset !== undefined &&
                  h("span", { class: "dim" }, `storage offset ${data.rows[at].other.storage_offset}`),
              ),
            ),
          shared.length > MOST_SHOWN &&
            h("li", { class: "dim" }, `and ${count(shared.length - MOST_SHOWN)} more`),
        ),
    ],
    graphTables(model, data, row, input),
  ];
}

/** Build the inputs of the compile's graphs, with symbols for sizes. @param {any} model @param {import("./tensor-data.js").Tensors} data @param {any} row @param {any} input */
function graphTables(model, data, row, input) {
  return data.graphsOf(model, row.compile).map((/** @type {any} */ graph) => [
    h("h3", null, `Graph inputs: ${count(graph.inputs.length)}`),
    tableBox(
      "Graph inputs",
      [
        { title: "Name", cell: ({ name }) => h("code", null, name), sort: ({ name }) => name },
        {
          title: "Shape",
          cell: ({ shape }) => h("code", null, shapeText(shape)),
          sort: ({ shape }) => shapeText(shape),
        },
      ],
      graph.inputs.slice(0, MOST_SHOWN),
      { row: (/** @type {any} */ at) => ({ class: input && at.name === input.name ? "here" : null }) },
    ),
    graph.inputs.length > MOST_SHOWN &&
      h("p", { class: "dim" }, `The first ${MOST_SHOWN} of ${count(graph.inputs.length)}`),
  ]);
}
