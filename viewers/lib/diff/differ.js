// The body of a comparison: two texts by meaning, if their kind allows it, or line by line. The address
// has the choice.
import { h } from "../page/dom.js";
import { prettyJson } from "../page/text.js";
import { compareMeanings } from "./job.js";
import { MeaningPane } from "./meaning-pane.js";
import { DiffPane } from "./pane.js";

/**
 * Languages compared by meaning: how, and what a text lacks if that is impossible.
 * @type {Record<string, {by: string, none: string}>}
 */
const UNITS = {
  guards: { by: "Pair guards by source and kind, in any order", none: "no readable guards" },
  fx: { by: "Pair nodes by computation, under any name", none: "no readable nodes" },
  python: { by: "Pair kernels by code, under any number", none: "no readable kernels or functions" },
};
const CODE = /output_code/;

/**
 * @typedef {{name: string, languages: [string | null, string | null], texts: string[], sameProcess: boolean}}
 *   Both null: missing on that side
 */
/**
 * @typedef {{element: HTMLElement, tools: HTMLElement | null, key: (event: KeyboardEvent) => boolean}} Made
 *   tools: the switch between both ways
 */

/**
 * @param {Both} both @param {any} state @param {import("./meaning-pane.js").Link} link
 * @param {AbortSignal} [signal]
 * @returns {Promise<Made>}
 */
export async function differ({ name, languages, texts: [left, right], sameProcess }, state, link, signal) {
  const label = `Difference of ${name}`;
  const language = languages[0] ?? languages[1] ?? "text";
  const unit =
    languages[0] !== null &&
    languages[1] !== null &&
    (language !== "python" || CODE.test(name)) &&
    Object.hasOwn(UNITS, language)
      ? UNITS[language]
      : null;
  const byLine = state.current.by === "line";
  let why =
    unit && languages[0] !== languages[1]
      ? `Compared by line: the left is “${languages[0]}”, the right is “${languages[1]}”.`
      : "";
  const meaning =
    unit && !why && !byLine ? await compareMeanings({ language, left, right, sameProcess }) : null;
  signal?.throwIfAborted();
  if (unit && !why && !byLine && !meaning) why = `Compared by line: one side has ${unit.none}.`;
  const button = (
    /** @type {string} */ text,
    /** @type {boolean} */ on,
    /** @type {string} */ by,
    /** @type {string} */ title,
  ) =>
    h(
      "button",
      {
        "class": "tool",
        "aria-pressed": String(on),
        title,
        "onclick": () => on || state.go(state.patched({ by })),
      },
      text,
    );
  const tools =
    unit && !why
      ? h(
          "span",
          { "role": "group", "aria-label": "Compare", "class": "diff-ways" },
          button("By meaning", !byLine, "", unit.by),
          button("By line", byLine, "line", "Compare the text as torch wrote it"),
        )
      : null;
  if (meaning) {
    const pane = new MeaningPane(meaning, { label, language, link });
    return { element: pane.element, tools, key: (event) => pane.key(event) };
  }
  const pane = new DiffPane({
    label,
    unified: state.current.pane === "unified",
    onunified: (on) => state.replace({ pane: on ? "unified" : "" }),
  });
  const json = language === "json" || language === "none";
  const laidOut = json ? [left, right].map((text) => prettyJson(text) ?? text) : [left, right];
  await pane.set(laidOut[0], laidOut[1], json ? "json" : language);
  const element = why
    ? h("div", { class: "fill" }, h("p", { class: "dim meaning-why" }, why), pane.element)
    : pane.element;
  return { element, tools, key: (event) => pane.key(event) };
}
