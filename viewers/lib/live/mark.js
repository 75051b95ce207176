// The mark in the bar: whether the page is live, how old what it shows is, and the button that holds it.
import { fill, h } from "../page/dom.js";
import { since, stopAt, tick } from "./clock.js";

/** @typedef {"live" | "waits" | "paused" | "lost" | "finished"} How */

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
/** Word, and what it means. @type {Record<How, [string, string]>} */
const WORDS = {
  live: ["live", "New records appear here by themselves. The time is since bytes last came to a log."],
  waits: ["live", "There is something new. It appears as soon as nothing is selected or pressed."],
  paused: ["paused", "The page stays as it is until you resume; the bundle grows on."],
  lost: [
    "no answer",
    "The server does not answer. What you see is the last state that came; the page asks again by itself.",
  ],
  finished: ["finished", "The logs have ended; this is the whole."],
};

export class Mark {
  /** @param {() => void} onpause the button was pressed */
  constructor(onpause) {
    this.dot = h("span", { "class": "live-dot", "aria-hidden": "true" });
    this.word = h("span", null);
    this.age = h("span", { class: "live-age number" });
    this.told = h("span", { class: "visually-hidden", role: "status" });
    this.button = h("button", { class: "tool live-pause", onclick: onpause });
    this.element = h(
      "span",
      { class: "live" },
      this.button,
      h("span", { class: "live-text" }, this.dot, this.word, this.age),
      this.told,
    );
    /** @type {How | null} */
    this.how = null;
  }

  /** The state that the page shows, for who looks at pages by a program; null while it is being shown, and at the end. @param {number | null} counter */
  of(counter) {
    this.element.dataset.state = counter === null ? "" : String(counter);
  }

  /** @param {How} how @param {{read_us: number | null, state_us: number}} of the state that is shown: when bytes last came, and when it was written */
  show(how, { read_us, state_us }) {
    if (how !== this.how) {
      const [word, help] = WORDS[how];
      this.element.dataset.how = how;
      this.element.title = help;
      this.word.textContent = word;
      if (word !== (this.how && WORDS[this.how][0])) this.told.textContent = word; // not each second
      const paused = how === "paused";
      this.button.hidden = how === "finished";
      this.button.title = paused ? "Show what came since, and go on" : "Keep the page as it is";
      this.button.setAttribute("aria-label", paused ? "Resume" : "Pause");
      fill(this.button, h("span", { "aria-hidden": "true" }, paused ? "▶" : "❚❚"));
      this.how = how;
    }
    const age =
      how === "finished"
        ? ""
        : how === "paused"
          ? ` · state of ${CLOCK.format(state_us / 1e3)}`
          : read_us === null
            ? " · no record yet"
            : ` · ${since(read_us)} ago`;
    if (this.age.textContent !== age) this.age.textContent = age;
  }
}

/** Of a bundle that was copied, or saved as one file, while it grew. @param {import("../bundle/bundle.js").Bundle} bundle @param {{place: () => Element | null}} page */
export function stateMark({ manifest }, { place }) {
  const at = manifest.live?.written_epoch_us;
  stopAt(at ?? null);
  tick(document);
  place()?.replaceChildren(
    h(
      "span",
      {
        class: "live",
        dataset: { how: "paused" },
        title: "This was saved while the program ran: it shows what its logs held then.",
      },
      h(
        "span",
        { class: "live-text" },
        h("span", { "class": "live-dot", "aria-hidden": "true" }),
        at ? `as of ${CLOCK.format(at / 1e3)}, not finished` : "not finished",
      ),
    ),
  );
}
