// The five statuses: always a sign and a word, colour only on top.
import { h } from "./dom.js";

/** @type {Record<string, {sign: string, word: string, help: string}>} */
export const STATUSES = {
  ok: { sign: "✔", word: "ok", help: "Compiled to a graph, without a graph break or restart." },
  break: { sign: "✂", word: "break", help: "A graph break was recorded, or the compile was restarted." },
  empty: { sign: "○", word: "empty", help: "Compiled to a graph without operations." },
  error: { sign: "✖", word: "error", help: "The compile failed; the function ran without compilation, or the program stopped." },
  missing: { sign: "?", word: "missing", help: "Started, but left no compilation metrics: killed, cut off, or loaded from a precompiled package." },
};
const NONE = { sign: "·", word: "no status", help: "Neither started nor measured under this id." };

/** @param {string | null} status */
export const statusInfo = (status) => STATUSES[status ?? ""] ?? (status ? { sign: "·", word: status, help: "" } : NONE);

/** @param {string | null} status */
export function statusBadge(status) {
  const { sign, word, help } = statusInfo(status);
  return h("span", { class: `status status-${status && Object.hasOwn(STATUSES, status) ? status : "none"}`, title: help },
    h("span", { class: "sign", "aria-hidden": "true" }, sign), " ", word);
}
