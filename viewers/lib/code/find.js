// Search in a code pane: the field and its options, the number of matches, and their positions.
import { fill, h, searchField } from "../page/dom.js";
import { count } from "../page/format.js";
import { findExpression } from "./find-job.js";
import { escaped, expressionOf, findWords } from "./find-text.js";

const MOST_FOUND = 10_000;
const LINE = /^:\d*$/;
/** @typedef {import("./find-text.js").How} How */
/** @type {[keyof How, string, string, string][]} option, sign, name, key with Alt */
export const CHOICES = [
  ["sameCase", "Aa", "Match case", "KeyC"],
  ["word", "ab", "Whole words", "KeyW"],
  ["pattern", ".*", "Regular expression", "KeyR"],
];

/**
 * @typedef {object} Options
 * @property {() => string} text
 * @property {() => void} onfound the matches changed and need a redraw
 * @property {(at: number) => void} onstep gets the start of the current match
 * @property {(line: number) => void} online
 * @property {() => void} onleave
 * @property {() => number} [place] where to start
 * @property {() => string} [selected] the selected text
 * @property {() => void} [ontell] the numbers changed; then the first match does not become the current one by itself
 */

export class Find {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    /** @type {import("./find-text.js").Found} */
    this.found = { starts: [], ends: [] };
    this.at = -1;
    this.from = 0; // where the search starts until there is a current match
    /** @type {How} */
    this.how = { word: false, pattern: false, sameCase: false };
    this.problem = this.note = "";
    this.busy = false;
    this.stop = () => {};
    this.field = searchField("Find in this text", "Find, or :line", () => this.search(), {
      class: "find",
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.key(event),
      onfocus: () => {
        if (this.at < 0) this.from = this.options.place?.() ?? 0;
      },
    });
    this.status = h("span", { "class": "find-status", "aria-live": "polite" });
    this.choices = CHOICES.map(([name, sign, title, key]) =>
      h(
        "button",
        {
          "class": "tool find-choice",
          "aria-pressed": "false",
          "aria-label": `${title} ${sign}`,
          "title": `${title} (Alt+${key.slice(3)})`,
          "onclick": () => this.choose(name),
        },
        sign,
      ),
    );
    this.elements = [
      h("span", { "class": "find-box", "role": "group", "aria-label": "Find" }, this.field, this.choices),
      this.status,
      h(
        "button",
        {
          "class": "tool",
          "aria-label": "Previous match",
          "title": "Previous match (Shift+F3)",
          "onclick": () => this.step(-1),
        },
        "↑",
      ),
      h(
        "button",
        {
          "class": "tool",
          "aria-label": "Next match",
          "title": "Next match (F3)",
          "onclick": () => this.step(1),
        },
        "↓",
      ),
    ];
  }

  clear() {
    this.field.value = "";
    this.forget();
  }

  forget() {
    this.stop();
    this.stop = () => {};
    this.found = { starts: [], ends: [] };
    this.at = -1;
    this.problem = this.note = "";
    this.busy = false;
  }

  /** @param {keyof How} name */
  choose(name) {
    this.how[name] = !this.how[name];
    CHOICES.forEach(([other], i) => this.choices[i].setAttribute("aria-pressed", String(this.how[other])));
    this.search();
  }

  /** Focus the field and fill it with the selected text. */
  enter() {
    const selected = this.options.selected?.();
    this.from = this.options.place?.() ?? 0;
    if (selected) {
      this.field.value = this.how.pattern ? escaped(selected) : selected;
      this.at = -1;
      this.search();
    }
    this.field.focus();
    this.field.select();
  }

  search() {
    const wanted = this.field.value;
    if (this.at >= 0) this.from = this.found.starts[this.at];
    this.forget();
    if (LINE.test(wanted)) {
      if (wanted.length > 1) this.options.online(Number(wanted.slice(1)));
    } else if (wanted && this.how.pattern) return this.searchExpression(wanted);
    else if (wanted) return this.searchWords(wanted);
    this.options.onfound();
    this.tell();
  }

  /** @param {string} wanted */
  searchWords(wanted) {
    const slices = findWords(this.options.text(), wanted, this.how, MOST_FOUND, this.found);
    const go = () => {
      this.busy = !slices.next().done;
      this.show();
      if (!this.busy) return;
      const timer = setTimeout(go);
      this.stop = () => clearTimeout(timer);
    };
    go();
  }

  /** @param {string} wanted */
  searchExpression(wanted) {
    this.problem = expressionOf(wanted, this.how).problem;
    if (this.problem) return this.show();
    this.busy = true;
    this.stop = findExpression(
      this.options.text(),
      wanted,
      this.how,
      MOST_FOUND,
      ({ found, line, done, stopped }) => {
        for (let i = 0; i < found.length; i += 2) {
          this.found.starts.push(found[i]);
          this.found.ends.push(found[i + 1]);
        }
        this.busy = !done;
        if (stopped) this.note = `, stopped after line ${count(line)}: the expression is too slow`;
        if (found.length || done) this.show();
        else this.tell();
      },
    );
    this.show();
  }

  /** Update the matches; the first one after the start becomes the current match. */
  show() {
    const { starts } = this.found;
    if (
      !this.options.ontell &&
      this.at < 0 &&
      starts.length &&
      (!this.busy || starts[starts.length - 1] >= this.from)
    ) {
      const next = firstAtLeast(starts, this.from);
      this.at = next < starts.length ? next - 1 : -1;
      this.options.onfound();
      this.step(1);
    } else {
      this.options.onfound();
      this.tell();
    }
  }

  tell() {
    const { length } = this.found.starts;
    const total = `${count(length)}${length >= MOST_FOUND ? " or more" : ""}${this.busy ? " …" : ""}`;
    const wanted = this.field.value && !LINE.test(this.field.value);
    fill(
      this.status,
      !wanted
        ? ""
        : this.problem
          ? `not a regular expression: ${this.problem}`
          : (length
              ? `${this.at < 0 ? "" : `${count(this.at + 1)} of `}${total}`
              : this.busy
                ? "searching …"
                : "not found") + this.note,
    );
    this.status.classList.toggle("wrong", Boolean(this.problem));
    if (this.problem) this.field.setAttribute("aria-invalid", "true");
    else this.field.removeAttribute("aria-invalid");
    this.options.ontell?.();
  }

  /** @param {number} by */
  step(by) {
    const { starts } = this.found;
    if (!starts.length) return;
    this.at = (Math.max(this.at, by < 0 ? 0 : -1) + by + starts.length) % starts.length;
    this.options.onstep(starts[this.at]);
    this.tell();
  }

  /**
   * Build the tokens of a part of a line, split at matches.
   * @param {[string, string][]} tokens kind and text @param {number} start offset of the line in the text
   * @param {number} from @param {number} to columns
   * @param {Map<number, string>} [styles] classes of some columns, in place of the token classes
   */
  pieces(tokens, start, from, to, styles) {
    const { starts, ends } = this.found;
    const nodes = [];
    let next = firstAtLeast(ends, start + from + 1);
    let at = 0;
    for (const [kind, text] of tokens) {
      const stop = Math.min(at + text.length, to);
      const style = styles?.get(at) ?? (kind && `t-${kind}`);
      for (let i = Math.max(at, from); i < stop;) {
        while (next < ends.length && ends[next] <= start + i) next++;
        const begin = next < starts.length ? starts[next] - start : Infinity;
        const inside = begin <= i;
        const end = Math.min(stop, inside ? ends[next] - start : begin);
        const piece = text.slice(i - at, end - at);
        if (inside) nodes.push(h("mark", { class: next === this.at ? "current" : null }, piece));
        else nodes.push(style ? h("span", { class: style }, piece) : piece);
        i = end;
      }
      at += text.length;
      if (at >= to) break;
    }
    return nodes;
  }

  /** Go to the next or previous match. @param {KeyboardEvent} event */
  again(event) {
    event.preventDefault();
    event.stopPropagation();
    if (!this.field.value) this.enter();
    else this.step(event.shiftKey ? -1 : 1);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const choice =
      event.altKey && !event.ctrlKey && !event.metaKey && CHOICES.find(([, , , key]) => key === event.code);
    if (choice) {
      event.preventDefault();
      this.choose(choice[0]);
    } else if (event.key === "Enter") this.again(event);
    else if (event.key === "Escape") {
      this.clear();
      this.search();
      this.options.onleave();
    }
  }
}

/**
 * Return the first i with sorted[i] >= value, or the length.
 * @param {number[]} sorted @param {number} value
 */
function firstAtLeast(sorted, value) {
  let low = 0,
    high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
