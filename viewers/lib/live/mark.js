// The live mark in the top bar: the status, the age of the data, and the pause button.
import { fill, h } from "../page/dom.js";
import { since, stopAt, tick } from "./clock.js";

/** @typedef {"live" | "waits" | "paused" | "lost" | "finished"} How */

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
/** Word and tooltip. @type {Record<How, [string, string]>} */
const WORDS = {
  live: ["live", "New records appear automatically. The time counts from the newest record."],
  waits: ["live", "New data is waiting. It appears when nothing is selected or pressed."],
  paused: ["paused", "The page does not change until you resume. The bundle keeps growing."],
  lost: [
    "no answer",
    "The server does not respond. The page shows the last state and retries automatically.",
  ],
  finished: ["finished", "The logs are complete, and the page shows all of their records."],
};

export class Mark {
  /** @param {() => void} onpause called when the button is pressed */
  constructor(onpause) {
    this.dot = h("span", { "class": "live-dot", "aria-hidden": "true" });
    this.word = h("span", null);
    this.age = h("span", { class: "live-age number" });
    this.announced = h("span", { class: "visually-hidden", role: "status" });
    this.button = h("button", { class: "tool live-pause", onclick: onpause });
    this.element = h(
      "span",
      { class: "live" },
      this.button,
      h("span", { class: "live-text" }, this.dot, this.word, this.age),
      this.announced,
    );
    /** @type {How | null} */
    this.how = null;
  }

  /**
   * Set the state that the page shows, for programs that read the page; null while it changes and at the end.
   * @param {number | null} counter
   */
  of(counter) {
    this.element.dataset.state = counter === null ? "" : String(counter);
  }

  /**
   * @param {How} how
   * @param {{read_us: number | null, state_us: number}} state when bytes last arrived, and when the shown
   *   state was written
   */
  show(how, { read_us, state_us }) {
    if (how !== this.how) {
      const [word, help] = WORDS[how];
      this.element.dataset.how = how;
      this.element.title = help;
      this.word.textContent = word;
      if (word !== (this.how && WORDS[this.how][0])) this.announced.textContent = word; // not every second
      const paused = how === "paused";
      this.button.hidden = how === "finished";
      this.button.title = paused ? "Show new data and resume" : "Pause updates";
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

/**
 * Show the mark of a bundle that was copied, or saved as one file, while it grew.
 * @param {import("../bundle/bundle.js").Bundle} bundle @param {{place: () => Element | null}} page
 */
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
        title: "Saved while the program was running, so later records are missing.",
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
