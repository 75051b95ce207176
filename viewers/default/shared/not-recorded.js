// Pages for views whose records the log's torch version doesn't write, so that an empty list isn't read as "none".
import { emptyPage } from "../../lib/list/list-detail.js";
import { summaryOf } from "./model.js";

/** @typedef {"failures" | "graph_breaks" | "recompile_reasons" | "caches" | "symbols"} Topic topics of `summary.not_recorded` (schema: findings) that have a view */

/** First torch version that records a topic. @type {Record<Topic, string>} */
const SINCE = {
  failures: "2.4",
  graph_breaks: "2.6",
  recompile_reasons: "2.5",
  caches: "2.5",
  symbols: "2.6",
};

/** @param {import("../../lib/bundle/log.js").Log} log @param {Topic} topic */
export const isNotRecorded = (log, topic) => summaryOf(log).not_recorded.includes(topic);

/** Return the page of a view whose records this log cannot have. @param {string} title plural noun @param {Topic} topic @param {...any} more what the log records instead */
export const notRecordedPage = (title, topic, ...more) =>
  emptyPage(
    `${title}: not recorded`,
    `The torch version that wrote this log doesn't record them; torch ${SINCE[topic]} and later do. There may have been some.`,
    ...more.filter(Boolean),
  );
