// Download of the timeline as torch logged it, in one file for Perfetto and chrome://tracing.
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count } from "../../lib/page/format.js";

const OPEN = 0x5b,
  CLOSE = 0x5d; // [ ]

/**
 * Return the trace events of a log as one JSON array, joined from the arrays in its blobs.
 * @param {import("../../lib/bundle/log.js").Log} log @param {(part: number) => void} [progress] @returns {Promise<Blob>}
 */
async function traceOf(log, progress) {
  const timeline = (await log.table("blobs")).filter((/** @type {any} */ row) => row.kind === "timeline");
  /** @type {any[]} */
  const parts = [];
  for (const [n, { blob, size_bytes: size }] of timeline.entries()) {
    progress?.(n / timeline.length);
    const whole = await log.payload({ blob, offset: 0, size_bytes: size });
    if (!whole) continue;
    const inner = whole.subarray(whole.indexOf(OPEN) + 1, whole.lastIndexOf(CLOSE));
    if (!inner.some((byte) => byte > 0x20)) continue; // an empty array
    parts.push(parts.length ? ",\n" : "[\n", inner);
  }
  return new Blob([...parts, parts.length ? "\n]\n" : "[]\n"], { type: "application/json" });
}

/** @param {import("../../lib/bundle/log.js").Log} log */
export function traceButton(log) {
  const label = "Download trace";
  const button = h(
    "button",
    {
      class: "tool",
      title: "Download the timeline in Trace Event Format, for ui.perfetto.dev or chrome://tracing",
      onclick: () => void run(),
    },
    label,
  );
  const run = async () => {
    button.disabled = true;
    try {
      const blob = await traceOf(log, (part) => fill(button, `Reading … ${count(Math.floor(part * 100))} %`));
      const url = URL.createObjectURL(blob);
      h("a", { href: url, download: `${log.id}-timeline.json` }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
      fill(button, label);
      button.title = `${bytes(blob.size)}. Open it in ui.perfetto.dev or chrome://tracing.`;
    } catch (error) {
      fill(button, "Download failed: try again");
      button.title = /** @type {Error} */ (error).message;
    }
    button.disabled = false;
  };
  return button;
}
