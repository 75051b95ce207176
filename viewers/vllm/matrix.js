// The matrix of submodules and sizes: a cell is a piece, colored by time or outcome. Equal submodules share a row.
import { h } from "../lib/page/dom.js";
import { plural, time } from "../lib/page/format.js";
import { counterpart, nameOf, outcomesOf, rangeText, tokensText } from "./data.js";
import { ORDER, countsText, outcomeOf } from "./outcome.js";

/** @typedef {import("./data.js").Start} Start */
/** @typedef {import("./data.js").Piece} Piece */
/** @typedef {{names: string[], id: string}} Row submodules with one graph */

const STEPS = 5; // colors for times

/**
 * @param {Start} start @param {number} number of the backend @param {Start | null} other
 * @param {import("../lib/page/hash-state.js").HashState} state
 */
export function matrix(start, number, other, state) {
  const { by, open, piece: chosen } = state.current;
  const pieces = start.pieces.filter(({ row, submodule }) => row.backend === number && submodule !== null);
  const nameless = start.pieces.filter(({ row, submodule }) => row.backend === number && submodule === null);
  const opened = new Set(open.split(",").filter(Boolean));
  const columns = [
    ...new Map(
      pieces
        .filter(({ range }) => range !== null)
        .map(({ range }) => [rangeText(range), /** @type {[number, number]} */ (range)]),
    ).values(),
  ].sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[0] - b[0]);
  const rows = rowsOf(start, number, pieces, opened);
  const slowest = Math.max(1, ...pieces.map(({ row }) => row.duration_us ?? 0));
  const prefix = start.tables.backends[number].prefix;
  /** @param {Row} row @param {[number, number]} range */
  const cell = ({ names }, range) => {
    const own = pieces.filter(
      (one) =>
        one.submodule !== null && names.includes(one.submodule) && rangeText(one.range) === rangeText(range),
    );
    return h(
      "td",
      null,
      own.length
        ? button(own, { by, slowest, chosen, other, prefix, state })
        : h("span", { class: "dim" }, "–"),
    );
  };
  return [
    pieces.length > 0 &&
      h(
        "div",
        { class: "table-box" },
        h(
          "table",
          { "class": "plain pieces", "aria-label": "Pieces" },
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              h("th", { scope: "col" }, "Submodule"),
              columns.map((range) => h("th", { scope: "col" }, tokensText(range))),
            ),
          ),
          h(
            "tbody",
            null,
            rows.map((row) =>
              h(
                "tr",
                null,
                h("th", { scope: "row" }, rowName(row, opened, state)),
                columns.map((range) => cell(row, range)),
              ),
            ),
          ),
        ),
      ),
    nameless.length > 0 &&
      h(
        "ul",
        { "class": "loads", "aria-label": "Unnamed pieces" },
        nameless.map((one) =>
          h(
            "li",
            null,
            button(
              [one],
              {
                by,
                slowest: Math.max(1, ...nameless.map(({ row }) => row.duration_us ?? 0)),
                chosen,
                other,
                prefix,
                state,
              },
              nameOf(one),
            ),
          ),
        ),
      ),
  ];
}

/** @param {Start} start @param {number} number @param {Piece[]} pieces @param {Set<string>} opened @returns {Row[]} */
function rowsOf({ tables }, number, pieces, opened) {
  const names = [...new Set(pieces.map(({ submodule }) => /** @type {string} */ (submodule)))].sort((a, b) =>
    a.localeCompare(b, "en", { numeric: true }),
  );
  /** @type {Map<string, Row>} */
  const rows = new Map();
  for (const name of names) {
    const first =
      tables.submodules.find((row) => row.backend === number && row.name === name)?.same_as ?? name;
    const id = opened.has(first) ? name : first;
    const row = rows.get(id);
    if (row) row.names.push(name);
    else rows.set(id, { names: [name], id: first });
  }
  return [...rows.values()];
}

/** @param {Row} row @param {Set<string>} opened @param {import("../lib/page/hash-state.js").HashState} state */
function rowName({ names, id }, opened, state) {
  const flip = (/** @type {boolean} */ on) =>
    state.replace(
      { open: [...(on ? [...opened, id] : [...opened].filter((one) => one !== id))].join(",") },
      true,
    );
  if (names.length > 1)
    return [
      h(
        "button",
        {
          "class": "link-quiet",
          "dataset": { id: `open ${id}` },
          "aria-expanded": "false",
          "onclick": () => flip(true),
        },
        `${names[0]} … ${names[names.length - 1]}`,
      ),
      h("span", { class: "dim" }, ` ${names.length} submodules, one graph`),
    ];
  return opened.has(id) && id === names[0]
    ? [
        h("code", null, names[0]),
        " ",
        h(
          "button",
          {
            "class": "link-quiet",
            "dataset": { id: `open ${id}` },
            "aria-expanded": "true",
            "onclick": () => flip(false),
          },
          "fold",
        ),
      ]
    : h("code", null, names[0]);
}

/** @param {Piece[]} own @param {{by: string, slowest: number, chosen: string, other: Start | null, prefix: string | null, state: import("../lib/page/hash-state.js").HashState}} options @param {string} [name] */
function button(own, { by, slowest, chosen, other, prefix, state }, name) {
  const known = own.map(({ row }) => row.duration_us).filter((us) => us !== null);
  const us = known.length ? known.reduce((sum, one) => sum + one, 0) : null;
  const worst = [...own].sort((a, b) => (b.row.duration_us ?? 0) - (a.row.duration_us ?? 0))[0];
  const outcome =
    ["failed", "unfinished", ...ORDER].find((key) => own.some(({ row }) => (row.outcome ?? "") === key)) ??
    "";
  const [sign, word] = outcomeOf(outcome);
  const outcomeText = own.length === 1 ? word : countsText(outcomesOf(own));
  const theirs = other ? own.map((one) => counterpart(other, one, prefix)).filter((one) => one !== null) : [];
  const before = theirs.length
    ? `${theirs.length === 1 ? outcomeOf(theirs[0].row.outcome)[1] : countsText(outcomesOf(theirs))}${theirs.some(({ row }) => row.duration_us !== null) ? ` ${time(theirs.reduce((sum, { row }) => sum + (row.duration_us ?? 0), 0))}` : ""}`
    : "";
  const longest = Math.max(0, ...known);
  const look =
    by === "outcome"
      ? `outcome-${outcome || "none"}`
      : longest === 0
        ? "heat-none"
        : `heat-${Math.min(STEPS - 1, Math.floor(STEPS * Math.sqrt(longest / slowest)))}`;
  return h(
    "button",
    {
      "class": `piece-cell ${look}`,
      "aria-pressed": String(own.some(({ id }) => String(id) === chosen)),
      "dataset": { id: `piece ${own[0].id}` },
      "onclick": () => state.replace({ piece: String(worst.id) }, true),
    },
    name
      ? h("span", { class: "cell-name" }, name)
      : h(
          "span",
          { class: "visually-hidden" },
          `${own.length === 1 ? nameOf(own[0]) : `${own[0].submodule} and ${plural(own.length - 1, "other")}`}: `,
        ),
    h("b", { class: "number" }, us === null ? "not recorded" : time(us)),
    " ",
    h("span", { class: "cell-word" }, h("span", { "aria-hidden": "true" }, `${sign} `), outcomeText),
    before && h("span", { class: "cell-other" }, `compared: ${before}`),
  );
}

/** Build the legend. @param {string} by @param {Start} start */
export function legend(by, start) {
  if (by !== "outcome")
    return h(
      "p",
      { class: "legend dim" },
      "short",
      Array.from({ length: STEPS }, (_, i) =>
        h("span", { "class": `swatch heat-${i}`, "aria-hidden": "true" }),
      ),
      "long",
    );
  const there = ORDER.filter((key) => start.pieces.some(({ row }) => (row.outcome ?? "") === key));
  return h(
    "p",
    { class: "legend" },
    there.map((key) =>
      h(
        "span",
        { title: outcomeOf(key)[2] },
        h("span", { "class": `swatch outcome-${key || "none"}`, "aria-hidden": "true" }),
        ` ${outcomeOf(key)[1]}`,
      ),
    ),
  );
}
