// The Changes view: headline, totals, changes with consequences, and where the time went.
import { append, h, rich } from "../lib/page/dom.js";
import { count, plural, time } from "../lib/page/format.js";
import { changeCard } from "./card.js";
import { ledTo, ranksText, roots } from "./changes-data.js";
import { runTimes } from "./run-times.js";
import { phaseBars, spanBars } from "./times.js";
import { differenceText, minus, pairName } from "./words.js";

/** @typedef {import("./viewer.js").Context} Context */
/** @typedef {import("./changes-data.js").Root} Root */

const MOST = 12; // causes shown at first
const MOST_LED = 4;

/** @param {Context} context @returns {Promise<import("./viewer.js").View>} */
export async function openChanges(context) {
  const {
    run: { document },
    pair,
  } = context;
  const { summary } = document;
  const all = roots(document);
  const element = h(
    "div",
    { class: "page changes" },
    h(
      "header",
      { class: "answer" },
      h("h1", null, rich(summary.text)),
      summary.notes.length > 0 &&
        h(
          "ul",
          { "class": "notes", "aria-label": "Notes" },
          summary.notes.map((note) => h("li", { class: "note" }, rich(note))),
        ),
      compared(context),
    ),
    h(
      "div",
      { class: "columns" },
      h(
        "section",
        { "aria-label": "Changes" },
        all.length > 0
          ? folded(all, (root) => item(context, root), MOST, { "class": "findings", "aria-label": "Changes" })
          : h(
              "p",
              { class: "nothing" },
              "No changes. Compared: torch and its settings, backend, findings, graphs, caches, generated code and times.",
            ),
      ),
      h(
        "aside",
        { "aria-label": "Times" },
        document.logs.length > 1 && h("p", { class: "dim" }, `Log: ${pairName(document.logs[pair])}`),
        phaseBars(document.logs[pair]),
        spanBars(context),
        noise(document.logs[pair]),
      ),
    ),
    runTimes(context),
  );
  return { element, title: "Changes" };
}

/** Row titles by count. Compiles always have a row. @type {Record<string, string>} */
const COUNTS = {
  functions: "Functions",
  graph_breaks: "Graph breaks",
  recompiles: "Recompiles",
  recompile_limits: "Functions at the recompile limit",
  restarts: "Restarts",
  failures: "Failures",
  unfinished: "Unfinished compiles",
  generated_codes: "Generated code files",
  fx_graph_hits: "FX graph cache hits",
  fx_graph_misses: "FX graph cache misses",
  fx_graph_bypasses: "FX graph cache bypasses",
  aot_autograd_hits: "AOTAutograd cache hits",
  aot_autograd_misses: "AOTAutograd cache misses",
  aot_autograd_bypasses: "AOTAutograd cache bypasses",
};

/** @param {number | null} number "–" when the log does not record it */
const amount = (number) => (number === null ? "–" : count(number));

/** Return "+3", "−2", or "–" if a count is not recorded. @param {number | null} left @param {number | null} right */
const countDifference = (left, right) =>
  left === null || right === null ? "–" : `${right > left ? "+" : "−"}${count(Math.abs(right - left))}`;

/** Build the table of totals of both sides. @param {Context} context */
function compared({ run: { document }, pair }) {
  const names = (/** @type {"base" | "new"} */ which) => document[which].map(({ name }) => name).join(", ");
  const { summary, logs } = document;
  const { compiles, compile_us: times, base, new: other, counts = [] } = logs[pair];
  const total = counts.find(({ name }) => name === "compiles"); // the list of pairs also has refused compiles
  const torch = [base?.torch_version ?? "–", other?.torch_version ?? "–"],
    unknown = torch.includes("–");
  const row = (
    /** @type {string} */ title,
    /** @type {any} */ left,
    /** @type {any} */ right,
    /** @type {any} */ more,
  ) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, title),
      h("td", null, left),
      h("td", null, right),
      h("td", null, more),
    );
  return h(
    "div",
    { "class": "compared-box", "tabindex": "0", "role": "region", "aria-label": "Comparison totals" },
    h(
      "table",
      { class: "plain compared" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h(
            "th",
            { scope: "col" },
            document.logs.length > 1
              ? pairName(document.logs[pair])
              : h("span", { class: "visually-hidden" }, "What"),
          ),
          h("th", { scope: "col" }, `base: ${names("base")}`),
          h("th", { scope: "col" }, `new: ${names("new")}`),
          h("th", { scope: "col" }, "difference"),
        ),
      ),
      h(
        "tbody",
        null,
        logs.length > 1 &&
          summary.compile_us &&
          row(
            "Compile time, all logs",
            time(summary.compile_us.base),
            time(summary.compile_us.new),
            differenceText(summary.net_us ?? null),
          ),
        row(
          "Compile time",
          time(times?.base),
          time(times?.new),
          differenceText(minus(times?.base, times?.new)),
        ),
        row(
          "Compiles",
          amount(total?.base ?? null),
          amount(total?.new ?? null),
          `${count(compiles.filter((compile) => compile.base && compile.new).length)} in both`,
        ),
        counts
          .filter(({ name, base: left, new: right }) => Object.hasOwn(COUNTS, name) && left !== right)
          .map(({ name, base: left, new: right }) =>
            row(COUNTS[name], amount(left), amount(right), countDifference(left, right)),
          ),
        row("torch", torch[0], torch[1], unknown ? "–" : torch[0] === torch[1] ? "same" : "≠ different"),
      ),
    ),
  );
}

/** @param {import("./document.js").Pair} pair */
function noise({ noise: known }) {
  if (!known) return null;
  const from =
    known.measured === 0
      ? "No unchanged compiles to measure noise, so a default factor applies."
      : `Measured on ${plural(known.measured, "unchanged compile")}.`;
  const total =
    known.total_us === undefined
      ? ""
      : ` A difference of up to ${time(known.total_us)} in total time is noise.`;
  return h(
    "p",
    { class: "dim noise" },
    `Compile times that differ by less than a factor of ${Number(known.factor.toFixed(2))}, or by less than ${time(known.least_us)}, are treated as noise. ${from}${total}`,
  );
}

/** Build the item of a cause with its consequences. @param {Context} context @param {Root} root */
function item(context, { pair, index, pairs }) {
  const { document } = context.run;
  const { changes } = document.logs[pair];
  const where =
    document.logs.length > 1
      ? ranksText(document, pairs) + (pairs.length > 1 ? `, showing ${pairName(document.logs[pair])}` : "")
      : "";
  /** @param {number} at @param {number} level @param {string} text @returns {HTMLElement} */
  const one = (at, level, text) => {
    const led = ledTo(changes, at);
    return h(
      "li",
      null,
      changeCard(context, pair, changes[at], { level, where: text }),
      led.length > 0 &&
        folded(led, (next) => one(next, level + 1, ""), MOST_LED, {
          "class": "findings",
          "aria-label": "Consequences",
        }),
    );
  };
  return one(index, 2, where);
}

/** Build a list of the first items, with a button that shows the rest. @template T @param {T[]} items @param {(one: T) => HTMLElement} render @param {number} most @param {Record<string, string>} props */
function folded(items, render, most, props) {
  const list = h("ul", props, items.slice(0, most).map(render));
  if (items.length > most) {
    const all = () => {
      list.lastElementChild?.remove();
      append(list, items.slice(most).map(render));
      list.children[most]?.querySelector("a, button, summary")?.focus();
    };
    list.append(
      h(
        "li",
        { class: "more-changes" },
        h("button", { class: "tool", onclick: all }, `${count(items.length - most)} more`),
      ),
    );
  }
  return list;
}
