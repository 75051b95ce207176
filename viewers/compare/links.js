// Links from compiles and changes to their pages here and in the default viewer.
import { h } from "../lib/page/dom.js";
import { inDefault, SIDES } from "./places.js";

/** @typedef {import("./viewer.js").Context} Context */
/** @typedef {import("./document.js").Pair} Pair */
/** @typedef {import("./places.js").Which} Which */

/** Return the state that opens a compile in the default viewer. @param {Pair} pair @param {Which} which @param {string} key @returns {Record<string, string>} */
const atCompile = (pair, which, key) => ({ log: pair[which]?.id ?? "", view: "compile", compile: key });

/** Return the URL state of a compile. @param {import("./document.js").Compared} compile */
export const compileState = ({ base, new: other }) => ({
  view: "compile",
  left: base?.compile ?? "",
  right: other?.compile ?? "",
});

/** @param {Context} context @param {number} pair position of the pair @param {number} compile position of the compile @param {any} text */
export function compileLink({ run, state }, pair, compile, text) {
  return h(
    "a",
    { href: state.link({ log: String(pair), ...compileState(run.document.logs[pair].compiles[compile]) }) },
    text,
  );
}

/** Link to one side of a compile; null when it is not compiled there or the side has no URL. @param {Context} context @param {Pair} pair @param {import("./document.js").Compared} compile @param {Which} which */
export function sideLink({ run }, pair, compile, which) {
  const side = compile[which];
  const href = side && inDefault(run, which, atCompile(pair, which, side.compile));
  return href
    ? h(
        "a",
        { href, class: "away", title: `Open in the default viewer (${which} run)` },
        `${which} [${side.compile}] ›`,
      )
    : null;
}

/**
 * Links of a change: the comparison of its first compile, and the finding (or compile) on each side.
 * @param {Context} context @param {number} at position of the pair @param {import("./document.js").Change} change
 */
export function changeLinks(context, at, change) {
  const { run, state } = context;
  const pair = run.document.logs[at];
  const compiles = change.pair_indexes.map((index) => pair.compiles[index]);
  const both =
    change.pair_indexes.find((index) => pair.compiles[index].base && pair.compiles[index].new) ??
    change.pair_indexes[0];
  const sides = SIDES.map((which) => {
    const known = which === "base" ? change.base_finding_index : change.new_finding_index;
    const { fingerprint } = /** @type {{fingerprint?: unknown}} */ (change.details);
    const item =
      known !== null && typeof fingerprint === "string"
        ? inDefault(run, which, { log: pair[which]?.id ?? "", view: "overview", item: fingerprint })
        : null;
    if (item)
      return h(
        "a",
        { href: item, class: "away", title: `Open the finding in the default viewer (${which} run)` },
        `finding in ${which} ›`,
      );
    const compile = compiles.find((one) => one[which] && ((one.base && one.new) || one === compiles[0]));
    return compile ? sideLink(context, pair, compile, which) : null;
  });
  return [
    both !== undefined &&
      compileLink(context, at, both, compiles.length === 1 ? "compare ›" : "compare the first compile ›"),
    compiles.length > 1 &&
      h(
        "a",
        {
          href: state.link({
            view: "compiles",
            log: String(at),
            change: String(pair.changes.indexOf(change)),
          }),
        },
        `all ${compiles.length} compiles ›`,
      ),
    ...sides,
  ].filter(Boolean);
}
