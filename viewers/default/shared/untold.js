// What a log cannot tell, because the torch that wrote it does not record it: an empty list says so instead of "none".
import { emptyPage } from "../../lib/list/list-detail.js";
import { summaryOf } from "./model.js";

/** @typedef {"failures" | "graph_breaks" | "recompile_reasons" | "caches" | "symbols"} Topic those of summary.untold (schema: findings) that have a view */

/** The first torch that writes it. @type {Record<Topic, string>} */
const SINCE = {
  failures: "2.4",
  graph_breaks: "2.6",
  recompile_reasons: "2.5",
  caches: "2.5",
  symbols: "2.6",
};

/** @param {import("../../lib/bundle/log.js").Log} log @param {Topic} topic */
export const isUntold = (log, topic) => summaryOf(log).untold.includes(topic);

/** The page of a view whose question this log cannot answer. @param {string} what @param {Topic} topic @param {...any} more what it tells instead */
export const untoldPage = (what, topic, ...more) =>
  emptyPage(
    `${what}: this log cannot tell`,
    `The torch that wrote it does not record them; torch ${SINCE[topic]} and later do. That the list is empty does not mean that there were none.`,
    ...more.filter(Boolean),
  );
