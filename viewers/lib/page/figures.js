// Small figures: tiles with a number, shares of a total, and the five statuses.
import { h } from "./dom.js";
import { time } from "./format.js";

/**
 * Build a bar and a percentage; the column heading names the total.
 * @param {number | null} part @param {number} total
 */
export function shareBar(part, total) {
  if (part === null || !total) return h("span", { class: "portion" });
  return h(
    "span",
    { class: "portion" },
    h(
      "span",
      { "class": "portion-bar", "aria-hidden": "true" },
      h("span", { style: { width: `${part ? Math.max(1, (100 * part) / total) : 0}%` } }),
    ),
    h("span", { class: "number" }, percent(part, total)),
  );
}

/** "12 %", "0.4 %". @param {number} part @param {number} total */
export const percent = (part, total) => `${((100 * part) / total).toFixed(part * 10 < total ? 1 : 0)} %`;

/**
 * Build a bar of times as shares of their sum, with a legend.
 * @param {{id: string, title: string, us: number}[]} phases @param {string} total @param {boolean} [timed] with
 *   the time of each phase
 */
export function shares(phases, total, timed = false) {
  const measured = phases.filter((phase) => phase.us > 0);
  const sum = measured.reduce((us, phase) => us + phase.us, 0);
  if (measured.length === 0) return null;
  return h(
    "span",
    { class: "shares" },
    h(
      "span",
      {
        "class": "stacked",
        "role": "img",
        "aria-label": `of ${time(sum)} ${total}: ${measured.map((p) => `${p.title} ${percent(p.us, sum)}`).join(", ")}`,
      },
      measured.map((p) => h("span", { class: `phase-${p.id}`, style: { "flex-grow": p.us } })),
    ),
    h(
      "span",
      { class: "legend" },
      measured.map((p) =>
        h(
          "span",
          { title: time(p.us) },
          h("span", { "class": `swatch phase-${p.id}`, "aria-hidden": "true" }),
          ` ${p.title} `,
          timed && `${time(p.us)} `,
          h("b", null, percent(p.us, sum)),
        ),
      ),
      h("span", { class: "dim" }, `of ${time(sum)} ${total}`),
    ),
  );
}

/**
 * Build a linked tile with a number and a noun, colored only when the number is bad.
 * @param {{number: string, noun: string, note: any, href: string, tone?: string, more?: any}} tile
 */
export function tile({ number, noun, note, href, tone, more }) {
  const bad = tone && number !== "0" && number !== "–"; // unknown is not bad
  return h(
    "a",
    { class: `tile${bad ? ` tile-${tone}` : ""}`, href },
    h(
      "span",
      { class: "tile-head" },
      h("b", { class: "tile-number" }, number),
      " ",
      h("span", { class: "tile-noun" }, noun),
    ),
    h("span", { class: "tile-note", title: typeof note === "string" ? note : null }, note),
    more,
  );
}

// The five statuses: always a sign and a word. Color is only additional.

/** @type {Record<string, {sign: string, word: string, help: string}>} */
export const STATUSES = {
  ok: { sign: "✔", word: "ok", help: "Compiled, possibly after graph breaks or restarts." },
  failed: { sign: "✖", word: "failed", help: "The compile failed: an error was raised." },
  skipped: { sign: "✂", word: "skipped", help: "Dynamo skipped the frame, which runs eager." },
  empty: { sign: "○", word: "empty", help: "Nothing to compile: the graph has no operations." },
  unfinished: {
    sign: "?",
    word: "unfinished",
    help: "Started without recorded metrics: killed, cut off, or loaded from a precompiled package.",
  },
};
/** Statuses of a growing bundle that torch does not record. */
export const RUNNING = "running";
/** @type {typeof STATUSES} */
const OVERLAID = {
  [RUNNING]: { sign: "◌", word: "running", help: "Running now. torch records its status when it ends." },
};
const NONE = { sign: "·", word: "no status", help: "No start or metrics recorded for this compile id." };

/** @param {string | null} status */
export const statusInfo = (status) =>
  STATUSES[status ?? ""] ?? OVERLAID[status ?? ""] ?? (status ? { sign: "·", word: status, help: "" } : NONE);

/** @param {string | null} status */
export function statusBadge(status) {
  const { sign, word, help } = statusInfo(status);
  return h(
    "span",
    { class: `status status-${status && Object.hasOwn(STATUSES, status) ? status : "none"}`, title: help },
    h("span", { "class": "sign", "aria-hidden": "true" }, sign),
    " ",
    word,
  );
}
