// The summary of a compile on both sides: times, changes, and differing parts of cache keys.
import { h } from "../lib/page/dom.js";
import { time } from "../lib/page/format.js";
import { placeLink } from "../lib/page/place-link.js";
import { changeCard } from "./card.js";
import { CACHES, differenceText, minus } from "./words.js";

/** @typedef {import("./viewer.js").Context} Context */
/** @typedef {import("./document.js").Compared} Compared */

/** @type {Record<string, string>} */
const GRAPHS = { same: "= same graph", other: "≠ different graph", unknown: "–" };
/** @type {Record<string, string>} */
const CODES = {
  same: "= same code",
  other: "≠ different code",
  unknown: "– not generated in both runs, or not recorded",
};

/** @param {Context} context @param {Compared} compile @param {string} missing an artifact that neither side has @param {string} artifacts how many are the same */
export function summaryOf(context, compile, missing, artifacts) {
  const { run, pair } = context;
  const { changes, compiles } = run.document.logs[pair];
  const at = compiles.indexOf(compile);
  const concerned = changes.filter((change) => change.pair_indexes.includes(at));
  const { base, new: other } = compile;
  const place = (/** @type {typeof base} */ side) =>
    !side ? "not compiled" : side.file === null ? "–" : placeLink(side.file, side.line);
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
    { "class": "scroll padded compile-summary", "tabindex": "0", "role": "region", "aria-label": "Summary" },
    missing && h("p", { class: "note" }, `Neither run has ${missing}. Showing the summary.`),
    h(
      "table",
      { class: "plain" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["", "base", "new", "difference"].map((title) =>
            h("th", { scope: "col" }, title || h("span", { class: "visually-hidden" }, "What")),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        row(
          "Compile id",
          base?.compile ?? "–",
          other?.compile ?? "–",
          !base || !other || base.compile === other.compile ? "" : "different id, matched by code",
        ),
        row("Place", place(base), place(other), ""),
        row(
          "Compile time",
          time(compile.base_us),
          time(compile.new_us),
          differenceText(minus(compile.base_us, compile.new_us)),
        ),
        row("Dynamo graph", "", "", GRAPHS[compile.graph] ?? compile.graph),
        row("Generated code", "", "", CODES[compile.code] ?? compile.code),
        artifacts && row("Artifacts", "", "", artifacts),
      ),
    ),
    h(
      "section",
      { "aria-label": "Caches" },
      h("h2", null, "Different cache outcomes"),
      compile.lookups.length ? compile.lookups.map(lookup) : h("p", { class: "dim" }, "None."),
    ),
    h(
      "section",
      { "aria-label": "Changes" },
      h("h2", null, "Changes in this compile"),
      concerned.length
        ? h(
            "ul",
            { class: "findings" },
            concerned.map((change) =>
              h("li", null, changeCard(context, pair, change, { level: 3, where: "" })),
            ),
          )
        : h("p", { class: "dim" }, "None."),
    ),
  );
}

/** @param {Compared["lookups"][number]} lookup */
function lookup({ cache, base, new: other, different }) {
  const parts =
    different === null
      ? h("p", null, "Cache key parts: not recorded.")
      : different.length === 0
        ? h("p", null, "The keys are the same. The entry was not in the cache, or was evicted.")
        : h(
            "div",
            {
              "class": "scroll-x",
              "tabindex": "0",
              "role": "region",
              "aria-label": `Different parts of the ${CACHES[cache] ?? cache} cache key`,
            },
            h(
              "table",
              { class: "plain keys" },
              h(
                "thead",
                null,
                h(
                  "tr",
                  null,
                  ["Part of the key", "base", "new"].map((title) => h("th", { scope: "col" }, title)),
                ),
              ),
              h(
                "tbody",
                null,
                different.map((one) =>
                  h(
                    "tr",
                    null,
                    h("th", { scope: "row" }, h("code", null, one.part)),
                    [one.base, one.new].map((text) =>
                      h(
                        "td",
                        null,
                        text === null
                          ? h("span", { class: "dim" }, "– not in the key")
                          : h("pre", { class: "wrapped" }, text),
                      ),
                    ),
                  ),
                ),
              ),
            ),
          );
  return [h("h3", null, `${CACHES[cache] ?? cache}: ${base} → ${other}`), parts];
}
