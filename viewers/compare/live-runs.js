// Marks live runs in the top bar, and offers to compare again when they have new records.
import { fill, h } from "../lib/page/dom.js";
import { Listener } from "../lib/live/listen.js";

/** @typedef {import("./places.js").Which} Which */

/** @param {import("./places.js").Run} run @param {Which[]} sides those of which a run goes on @returns {HTMLElement} for the bar */
export function liveRuns(run, sides) {
  const word = h("span", null, sides.length > 1 ? "both runs are live" : `the ${sides[0]} run is live`);
  const again = h("span", { role: "status" });
  const mark = h(
    "span",
    {
      class: "live",
      dataset: { how: "paused" },
      title: "The comparison shows the logs as they were when compared.",
    },
    h("span", { class: "live-text" }, h("span", { "class": "live-dot", "aria-hidden": "true" }), word),
    again,
  );
  if (run.page === null) return mark; // no server to compare again
  const tell = (/** @type {Which} */ side, /** @type {boolean} */ growing) => {
    const text = `the ${side} run ${growing ? "has new records" : "has ended"}`;
    if (word.textContent === text) return; // do not rebuild the button: it may have the focus
    word.textContent = text;
    mark.dataset.how = "live";
    fill(again, h("button", { class: "tool", onclick: () => location.reload() }, "Compare again"));
  };
  for (const side of sides) hear(run, side, (growing) => tell(side, growing));
  return mark;
}

/** Poll the manifest until its state differs from the compared one. @param {import("./places.js").Run} run @param {Which} side @param {(growing: boolean) => void} tell */
function hear({ document, sources }, side, tell) {
  const { url } = sources[side],
    { state } = document[side][0];
  if (!url || state === null) return; // only the first bundle of a side is followed
  const listener = new Listener(url, { onnews: () => void look(), onanswer: () => {}, onlost: () => {} });
  const look = async () => {
    const response = await fetch(new URL("manifest.json", url), { cache: "no-store" }).catch(() => null);
    const manifest = response?.ok ? await response.json().catch(() => null) : null;
    if (!manifest || manifest.live?.counter === state) return;
    tell(manifest.growing === true);
    if (!manifest.growing) listener.end();
  };
}
