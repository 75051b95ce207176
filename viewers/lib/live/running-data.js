// The open compiles in the manifest of a growing bundle, grouped over ranks. No page needed.
import { each, toRuns, words } from "../bundle/ranks.js";
import { plural, time } from "../page/format.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../bundle/log.js").Log} Log */
/** @typedef {NonNullable<Bundle["manifest"]["live"]>["logs"][number]} LiveLog */
/** @typedef {LiveLog["running"][number]} Running */
/**
 * @typedef {object} Group an open compile, on the logs that are in the same span of it
 * @property {Running} compile of the first log
 * @property {LiveLog[]} logs
 * @property {number | null} since_us when the first log began
 * @property {string[]} spans from the outside in
 * @property {number | null} span_since_us when the first log began the innermost span
 * @property {number} depth number of open compiles around it in the same log
 */

/** Return the live state of the shown logs. @param {Bundle} bundle @returns {LiveLog[]} */
export function liveLogs({ manifest, logs }) {
  const ids = new Set(logs.map(({ id }) => id));
  return manifest.growing ? (manifest.live?.logs ?? []).filter(({ id }) => ids.has(id)) : [];
}

/**
 * Return the keys of open compiles, whose missing end is expected.
 * @param {Log} log @returns {Set<string | null>}
 */
export function runningIn({ bundle, id }) {
  const live = liveLogs(bundle).find((one) => one.id === id);
  return new Set((live?.running ?? []).map(({ compile }) => compile));
}

/**
 * Return a log's findings without those that only come from growing: a running compile without an end, a cut
 * last record.
 * @param {Log} log @param {Found} listed @returns {Found}
 */
export function findingsNow(log, listed) {
  const { summary } = listed,
    running = runningIn(log),
    last = log.summary.event_count - 1;
  const open = (/** @type {Finding} */ { kind, compiles }) =>
    kind === "unfinished-compile" && compiles.length > 0 && compiles.every((compile) => running.has(compile));
  const cut = (/** @type {Finding} */ { kind, details, count, events }) =>
    kind === "data-problem" &&
    count === 1 &&
    (events.length ? events[0] >= last : CUT.has(String(details.code)));
  const { findings, gone } = without(listed.findings, (one) => open(one) || cut(one));
  const counts = { ...summary.findings };
  for (const { severity } of gone) counts[severity] = Math.max(0, counts[severity] - 1);
  return {
    ...listed,
    findings,
    summary: {
      ...summary,
      text: soFar(summary),
      unfinished_count: Math.max(0, summary.unfinished_count - gone.filter(open).length),
      findings: counts,
    },
  };
}

/** @typedef {import("../bundle/log.js").Finding} Finding */
/** @typedef {{summary: any, findings: Finding[]}} Found */

const CUT = new Set(["record-cut", "empty-log"]); // expected until the rest arrives
const OPEN_KINDS = new Set(["unfinished-compile", "cut-log"]); // expected of a rank that is compiling

/** @typedef {import("../../../schema/bundle.d.ts").RankFindings} RankFinding */
/**
 * @typedef {{job: NonNullable<Bundle["manifest"]["job"]>, findings: RankFinding[]}} RanksFound findings over
 *   ranks
 */

/**
 * Return the findings over ranks without those that only come from unfinished ranks.
 * @param {Bundle} bundle @param {RanksFound} listed @returns {RanksFound}
 */
export function ranksNow(bundle, listed) {
  const busy = new Set(
    liveLogs(bundle)
      .filter(({ running }) => running.length > 0)
      .map(({ id }) => bundle.log(id)?.rank),
  );
  const { findings, gone } = without(
    listed.findings,
    ({ kind, ranks }) => OPEN_KINDS.has(kind) && [...each(ranks)].every((rank) => busy.has(rank)),
  );
  if (gone.length === 0) return listed;
  const ranks = words(listed.job.ranks);
  const text = `${ranks[0].toUpperCase()}${ranks.slice(1)}: ${findings.length === 0 ? "no difference so far" : `${plural(findings.length, "finding")} so far`}.`;
  return { job: { ...listed.job, text }, findings: findings.map((one, id) => ({ ...one, id })) };
}

/**
 * Remove some findings.
 * @template {{id: number, because_of: number | null}} T @param {T[]} findings
 * @param {(finding: T) => boolean} goes @returns {{findings: T[], gone: T[]}}
 */
function without(findings, goes) {
  const gone = findings.filter(goes),
    ids = new Set(gone.map(({ id }) => id));
  const stay = findings
    .filter(({ id }) => !ids.has(id))
    .map((one) => (one.because_of !== null && ids.has(one.because_of) ? { ...one, because_of: null } : one));
  return { findings: stay, gone };
}

/**
 * "0/1", "0/1_1": the compile id as torch writes it; null without one.
 * @param {{compile: string | null, attempt: number | null}} running
 */
export const idOf = ({ compile, attempt }) =>
  compile === null ? null : attempt ? `${compile.split("@")[0]}_${attempt}` : compile.split("@")[0];

/** Summarize a log so far. @param {Found["summary"]} summary */
export function soFar({ compile_count: compiles, function_count: functions, compile_us: us }) {
  if (compiles === 0) return "No compiles so far";
  return `${plural(compiles, "compile")} of ${plural(functions, "function")} so far${us === null ? "" : `, ${time(us)}`}`;
}

/**
 * Group open compiles, longest first; nested compiles follow their parent.
 * @param {LiveLog[]} logs @returns {Group[]}
 */
export function groupsOf(logs) {
  /** @type {Map<string, Group>} */
  const groups = new Map();
  for (const log of logs) {
    log.running.forEach((compile, depth) => {
      const { function: name, file, line } = compile,
        id = idOf(compile);
      const spans = compile.spans.map((span) => span.name);
      const key = JSON.stringify([id, name, file, line, depth, spans]);
      const inner = compile.spans.at(-1)?.since_epoch_us ?? null;
      const group = groups.get(key);
      if (!group)
        groups.set(key, {
          compile,
          logs: [log],
          since_us: compile.since_epoch_us,
          spans,
          span_since_us: inner,
          depth,
        });
      else {
        group.logs.push(log);
        group.since_us = least(group.since_us, compile.since_epoch_us);
        group.span_since_us = least(group.span_since_us, inner);
      }
    });
  }
  const root = (/** @type {Group} */ group) =>
    least(...group.logs.map((log) => log.running[0].since_epoch_us)) ?? Infinity;
  const first = (/** @type {Group} */ group) => group.logs[0].id;
  return [...groups.values()].sort(
    (a, b) =>
      root(a) - root(b) || (first(a) < first(b) ? -1 : first(a) > first(b) ? 1 : 0) || a.depth - b.depth,
  );
}

/** @param {...(number | null)} values */
const least = (...values) =>
  values.reduce((a, b) => (a === null ? b : b === null ? a : Math.min(a, b)), null);

/**
 * "rank 0", "ranks 0 and 2–5", or the names of logs without a rank.
 * @param {Bundle} bundle @param {LiveLog[]} logs
 */
export function whose(bundle, logs) {
  const ranks = new Map(bundle.logs.map(({ id, rank }) => [id, rank]));
  const numbers = /** @type {number[]} */ ([
    ...new Set(logs.map(({ id }) => ranks.get(id) ?? null).filter((rank) => rank !== null)),
  ]).sort((a, b) => a - b);
  const unnamed = logs.filter(({ id }) => (ranks.get(id) ?? null) === null).map(({ id }) => id);
  return [
    numbers.length && words(toRuns(numbers)),
    unnamed.length > 2 ? `${unnamed.length} logs without a rank` : unnamed.join(", "),
  ]
    .filter(Boolean)
    .join(", ");
}

/**
 * Return when bytes last arrived in any and in all of the logs, by the clock of the machine that follows
 * them.
 * @param {LiveLog[]} logs @returns {[number, number] | null}
 */
export function lastRead(logs) {
  const times = /** @type {number[]} */ (logs.map(({ read_epoch_us: us }) => us).filter((us) => us !== null));
  return times.length
    ? [times.reduce((a, b) => Math.max(a, b)), times.reduce((a, b) => Math.min(a, b))]
    : null;
}
