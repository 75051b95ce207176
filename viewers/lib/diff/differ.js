// The body of a comparison: two texts by what they mean, where that is known of their kind, or line by line. Which of both
// stands in the address.
import { h } from "../page/dom.js";
import { prettyJson } from "../page/text.js";
import { compareMeanings } from "./job.js";
import { MeaningPane } from "./meaning-pane.js";
import { DiffPane } from "./pane.js";

/** What is compared by meaning, by what, and what the others are that this does not hold for. @type {Record<string, {by: string, none: string}>} */
const UNITS = {
  guards: { by: "Guards by source and kind, whatever their order", none: "no guards that can be read" },
  fx: { by: "Node by node, whatever their names", none: "no nodes that can be read" },
  python: {
    by: "Kernel by kernel, whatever their numbers",
    none: "no kernels and functions that can be read",
  },
};
const CODE = /output_code/;

/** @typedef {{name: string, languages: [string | null, string | null], texts: string[], sameProcess: boolean}} Both null: that side does not have it */
/** @typedef {{element: HTMLElement, tools: HTMLElement | null, key: (event: KeyboardEvent) => boolean}} Made tools: the choice between both ways */

/**
 * @param {Both} both @param {any} state @param {import("./meaning-pane.js").Link} link @param {AbortSignal} [signal]
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
      ? `Shown by line: the left is of the kind “${languages[0]}”, the right of the kind “${languages[1]}”.`
      : "";
  const meaning =
    unit && !why && !byLine ? await compareMeanings({ language, left, right, sameProcess }) : null;
  signal?.throwIfAborted();
  if (unit && !why && !byLine && !meaning) why = `Shown by line: one of the sides has ${unit.none}.`;
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
          button("By line", byLine, "line", "The texts as torch wrote them"),
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
