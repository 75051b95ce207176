// Symbols that became constants: which, to what, and on which line of the program. Read when somebody asks.
import { fill, h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { errorBox } from "../../lib/page/load.js";
import { kindCount } from "../shared/model.js";
import { compileLink, sourceLine, verdict } from "../shared/parts.js";
import { sourceName } from "../shared/words.js";

const MOST_SHOWN = 50;

/** @param {any} model @param {any} state */
export function specializedSection(model, state) {
  const n = kindCount(model, "symbolic_shape_specialization");
  if (n === 0) return null;
  const list = h("ul");
  let asked = false;
  const load = () => {
    asked = true;
    fill(list, h("li", { class: "dim", role: "status" }, "Reading the symbols …"));
    Promise.all([model.log.table("symbols"), model.log.stacks()]).then(([table, stacks]) => fill(list, rows(model, table, stacks, state)), (error) => fill(list, errorBox(error, load)));
  };
  const fold = h("details", { ontoggle: () => { if (!asked) load(); } }, h("summary", null, "Which, and on which line"), list);
  return verdict("◆", "recompile", h("a", { href: state.link({ view: "symbols" }) }, words(n)), [], fold);
}

/** "1 symbol became a constant" @param {number} n */
export const words = (n) => `${plural(n, "symbol")} became ${n === 1 ? "a constant" : "constants"}`;

/** @param {any} model @param {any} table @param {any} stacks @param {any} state */
function rows(model, table, stacks, state) {
  const { strings, specializations: s } = table;
  const text = (/** @type {number} */ at) => strings[at] ?? "?";
  const shown = s.event_index.slice(0, MOST_SHOWN).map((/** @type {number} */ event, /** @type {number} */ i) => {
    const frames = s.user_stack_index[i] < 0 ? [] : stacks.stack(s.user_stack_index[i]);
    const at = frames[frames.length - 1];
    return h("li", null, h("code", null, text(s.name[i])), " = ", h("b", null, text(s.value[i])), " from ",
      s.sources[i].map((/** @type {number} */ source, /** @type {number} */ k) => [k > 0 && ", ", h("code", null, sourceName(text(source)))]), " ", compileLink(model, s.compile_index[i], state), " ",
      h("a", { href: state.link({ view: "events", event: String(event) }), class: "dim" }, text(s.reason[i]).replaceAll("_", " ")),
      at && sourceLine({ file: at.file, line: at.line, function: at.name, source_line: at.loc }));
  });
  return [shown, s.event_index.length > MOST_SHOWN && h("li", { class: "dim" }, `${MOST_SHOWN} of ${count(s.event_index.length)} shown`)];
}
