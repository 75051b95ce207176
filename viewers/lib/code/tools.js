// The toolbar of a code pane: size of the text, search and buttons.
import { fill, h } from "../page/dom.js";
import { bytes as showBytes, plural } from "../page/format.js";
import { copyText, download } from "../page/hand-over.js";

/** @param {import("./pane.js").CodePane} pane */
export function drawTools(pane) {
  const toggle = (
    /** @type {string} */ label,
    /** @type {boolean} */ on,
    /** @type {() => void} */ run,
    /** @type {string} */ title,
  ) =>
    h(
      "button",
      {
        "class": "tool",
        "aria-pressed": String(on),
        "onclick": () => {
          run();
          focusTool(pane, label);
        },
        title,
      },
      label,
    );
  const chosen = pane.lineEnd > pane.line ? ` ${plural(pane.lineEnd - pane.line + 1, "line")}` : "";
  fill(
    pane.tools,
    pane.facts,
    pane.options.tools,
    h("span", { class: "spring" }),
    pane.search.elements,
    pane.outline.items.length > 1 &&
      toggle(
        "Outline",
        pane.outline.open,
        () => pane.outline.toggle(),
        "Functions, classes and kernels of this text",
      ),
    toggle("Wrap", pane.wrap, () => pane.setWrap(!pane.wrap), "Break long lines"),
    toggle(
      "Fold",
      pane.closed.size > 0,
      () => pane.foldAll(),
      "Fold the outermost blocks, or unfold everything (Z); one block: z, or the sign beside the line",
    ),
    pane.laidOut !== null &&
      toggle(
        "Pretty",
        pane.pretty,
        () => {
          pane.pretty = !pane.pretty;
          pane.prepare();
        },
        "Format the JSON",
      ),
    h(
      "button",
      {
        class: "tool",
        onclick: (/** @type {Event} */ e) =>
          copyText(/** @type {HTMLElement} */ (e.currentTarget), pane.chosenText()),
      },
      `Copy${chosen}`,
    ),
    h(
      "button",
      {
        class: "tool",
        title: `As ${pane.content.fileName}`,
        onclick: () => download(pane.content.fileName, pane.content.bytes ?? pane.content.text),
      },
      "Download",
    ),
  );
}

/**
 * Return the size of the text, or a note that all of it is selected.
 * @param {import("./pane.js").CodePane} pane
 */
export function drawFacts(pane) {
  const lines = plural(pane.lines.length, "line");
  fill(
    pane.facts,
    pane.selection.all
      ? h("b", null, `all ${lines} selected`)
      : `${lines}, ${showBytes(pane.content.bytes?.length ?? new Blob([pane.content.text]).size)}`,
  );
}

/**
 * Keep the focus when a click redraws the buttons.
 * @param {import("./pane.js").CodePane} pane @param {string} label
 */
function focusTool(pane, label) {
  /** @type {HTMLElement[]} */ ([...pane.tools.querySelectorAll("button")])
    .find((button) => button.textContent === label)
    ?.focus();
}
