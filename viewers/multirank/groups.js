// Collective calls by process group: whether the ranks agree, and the first call that differs.
import { Words, words } from "../lib/bundle/ranks.js";
import { append, h } from "../lib/page/dom.js";
import { count, plural } from "../lib/page/format.js";
import { callText, compileName } from "./names.js";

/** @typedef {import("../../schema/bundle.d.ts").ProcessGroups} ProcessGroup */
/** @typedef {import("../../schema/bundle.d.ts").CollectiveMismatches} Mismatch */
/** @typedef {import("../../schema/bundle.d.ts").CollectiveWaits} Wait */
/** @typedef {import("../../schema/bundle.d.ts").GroupSplits} Split */
/** @typedef {import("../../schema/bundle.d.ts").CollectiveCalls} Call */
/** @typedef {ProcessGroup & {mismatches: Mismatch[], waits: Wait[]}} Group */
/** @typedef {{groups: Group[], splits: Split[], calls: Call[]}} Order */

const MOST = 12;

/** Read the tables of process groups and their calls. @param {import("../lib/bundle/bundle.js").Bundle} bundle @returns {Promise<Order>} */
export async function readOrder(bundle) {
  const [groups, mismatches, waits, splits, calls] =
    /** @type {[ProcessGroup[], Mismatch[], Wait[], Split[], Call[]]} */ (
      await Promise.all(
        [
          "process_groups",
          "collective_mismatches",
          "collective_waits",
          "group_splits",
          "collective_calls",
        ].map((name) => bundle.rankTable(name)),
      )
    );
  const own =
    (/** @type {ProcessGroup} */ { group: name }) =>
    (/** @type {{group: string | null}} */ { group }) =>
      group === name;
  return {
    groups: groups.map((group) => ({
      ...group,
      mismatches: mismatches.filter(own(group)),
      waits: waits.filter(own(group)),
    })),
    splits,
    calls,
  };
}

/** Build the section of process groups; null when compiled code has no collectives. @param {import("./data.js").Model} model @param {Order} order */
export function groupsPart(model, order) {
  if (!order.groups.length) return null;
  const differing = order.groups.filter(differs);
  const rows = [...differing, ...order.groups.filter((group) => !differs(group))]; // those that differ first
  const body = h(
    "tbody",
    null,
    rows.slice(0, MOST).map((group) => row(model, order, group)),
  );
  const more = h(
    "button",
    {
      class: "tool",
      onclick: () => {
        more.remove();
        append(
          body,
          rows.slice(MOST).map((group) => row(model, order, group)),
        );
      },
    },
    `${count(rows.length - MOST)} more`,
  );
  return h(
    "section",
    { "aria-label": "Process groups" },
    h(
      "h2",
      null,
      "By process group ",
      h(
        "span",
        { class: "dim" },
        differing.length
          ? `${count(differing.length)} of ${plural(rows.length, "group")} ${differing.length === 1 ? "differs" : "differ"}`
          : `${plural(rows.length, "group")}, ranks agree`,
      ),
    ),
    h(
      "p",
      { class: "dim" },
      rows.every((group) => group.recorded)
        ? "Calls in compiled code, in execution order."
        : "Calls in compiled code, in execution order where recorded, otherwise in compile order. The logs do not contain eager calls.",
    ),
    h(
      "div",
      { "class": "table-box", "tabindex": "0", "role": "region", "aria-label": "Calls by process group" },
      h(
        "table",
        { class: "plain" },
        h(
          "thead",
          null,
          h(
            "tr",
            null,
            ["Process group", "Ranks", "Calls", "First difference"].map((title) =>
              h("th", { scope: "col" }, title),
            ),
          ),
        ),
        body,
      ),
    ),
    rows.length > MOST && more,
    split(model, order),
  );
}

/** @param {Group} group */
const differs = (group) => group.mismatches.length > 0 || group.waits.length > 0;

/** @param {import("./data.js").Model} model @param {Order} order @param {Group} group */
function row(model, order, group) {
  const { mismatches, waits, unknown } = group;
  const [mismatch] = mismatches;
  return h(
    "tr",
    null,
    h("td", null, group.group === null ? "unknown" : h("code", null, group.group)),
    h(
      "td",
      null,
      words(group.ranks),
      group.size !== null && h("span", { class: "dim" }, ` of ${count(group.size)}`),
    ),
    h(
      "td",
      { class: differs(group) ? "unequal" : null },
      mismatch
        ? mismatch.effect === "hang"
          ? "mismatch, will hang or fail"
          : "mismatch, wrong results"
        : waits.length
          ? "missing on some ranks"
          : "match",
      unknown.length > 0 &&
        h(
          "span",
          { class: "dim" },
          `; not recorded in part on ${words(unknown)}, assumed equal to most ranks`,
        ),
    ),
    h(
      "td",
      null,
      mismatch && [`call ${mismatch.position + 1}: `, sides(model, order, mismatches)],
      waits.map((one) =>
        h(
          "div",
          null,
          `call ${one.position + 1}: `,
          sides(model, order, [{ ...one, ranks: one.others }]),
          `; ${words(one.ranks)}: none`,
        ),
      ),
    ),
  );
}

/** @param {import("./data.js").Model} model @param {Order} order @param {{ranks: number[][], rank_compile: number, collective_call: number}[]} list */
const sides = (model, order, list) =>
  list.map(({ ranks, collective_call: call, rank_compile: column }, i) => [
    i > 0 && "; ",
    `${words(ranks)}: `,
    h("code", null, order.calls[call] ? callText(order.calls[call]) : "unknown"),
    " in ",
    compileName(model.columns, column).map((part) =>
      typeof part === "string" ? part : h("code", null, part.code),
    ),
  ]);

/** The first call that ranks make in process groups of different sizes. @param {import("./data.js").Model} model @param {Order} order */
function split(model, { splits, calls }) {
  if (!splits.length) return null;
  const [{ rank_compile: column, position }] = splits;
  return h(
    "p",
    { class: "note" },
    `Call ${position + 1} of `,
    compileName(model.columns, column).map((part) =>
      typeof part === "string" ? part : h("code", null, part.code),
    ),
    ": ",
    splits.map(({ ranks, collective_call: call }, i) => [
      i > 0 && "; ",
      i ? words(ranks) : Words(ranks),
      " in group ",
      h("code", null, calls[call]?.group ?? "unknown"),
    ]),
  );
}
