// Collective calls by process group: whether the ranks agree, and the first call that differs.
import { Words, words } from "../lib/bundle/ranks.js";
import { tableBox } from "../lib/list/table.js";
import { h } from "../lib/page/dom.js";
import { count, plural } from "../lib/page/format.js";
import { callText, compileName } from "./names.js";

/** @typedef {import("../../schema/bundle.d.ts").ProcessGroups} ProcessGroup */
/** @typedef {import("../../schema/bundle.d.ts").CollectiveMismatches} Mismatch */
/** @typedef {import("../../schema/bundle.d.ts").CollectiveWaits} Wait */
/** @typedef {import("../../schema/bundle.d.ts").GroupSplits} Split */
/** @typedef {import("../../schema/bundle.d.ts").CollectiveCalls} Call */
/** @typedef {ProcessGroup & {mismatches: Mismatch[], waits: Wait[]}} Group */
/** @typedef {import("../../schema/bundle.d.ts").GroupOrders} Crossed */
/** @typedef {import("../../schema/bundle.d.ts").UnmatchedTransfers} Transfer */
/** @typedef {{groups: Group[], splits: Split[], calls: Call[], crossed: Crossed[], transfers: Transfer[]}} Order */

const MOST = 12,
  MOST_TRANSFERS = 50;

/** Read the tables of process groups and their calls. @param {import("../lib/bundle/bundle.js").Bundle} bundle @returns {Promise<Order>} */
export async function readOrder(bundle) {
  const [groups, mismatches, waits, splits, calls, crossed, transfers] =
    /** @type {[ProcessGroup[], Mismatch[], Wait[], Split[], Call[], Crossed[] | null, Transfer[] | null]} */ (
      await Promise.all(
        [
          "process_groups",
          "collective_mismatches",
          "collective_waits",
          "group_splits",
          "collective_calls",
          "group_orders",
          "unmatched_transfers",
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
    crossed: crossed ?? [],
    transfers: transfers ?? [],
  };
}

/** Build the sections of process groups and of sends; null when compiled code has no collectives. @param {import("./data.js").Model} model @param {Order} order */
export function callsPart(model, order) {
  const sections = [groupsPart(model, order), transfersPart(model, order)].filter(Boolean);
  return sections.length ? sections : null;
}

/** @param {import("./data.js").Model} model @param {Order} order */
function groupsPart(model, order) {
  if (!order.groups.length) return null;
  const differing = order.groups.filter(differs);
  const rows = [...differing, ...order.groups.filter((group) => !differs(group))]; // those that differ first
  const box = tableBox("Calls by process group", columns(model, order), rows.slice(0, MOST));
  const more = h(
    "button",
    {
      class: "tool",
      onclick: () => {
        more.remove();
        box.replaceWith(tableBox("Calls by process group", columns(model, order), rows));
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
          : `${plural(rows.length, "group")}, ${order.crossed.length ? "calls of each match, in different orders across groups" : "ranks agree"}`,
      ),
    ),
    h(
      "p",
      { class: "dim" },
      rows.every((group) => group.recorded)
        ? "Calls in compiled code, in execution order."
        : "Calls in compiled code, in execution order where recorded, otherwise in compile order. The logs do not contain eager calls.",
    ),
    box,
    rows.length > MOST && more,
    crossing(model, order),
    split(model, order),
  );
}

/** @param {Group} group */
const differs = (group) => group.mismatches.length > 0 || group.waits.length > 0;

/** @param {import("./data.js").Model} model @param {Order} order @returns {import("../lib/list/table.js").TableColumn<Group>[]} */
const columns = (model, order) => [
  {
    title: "Process group",
    cell: ({ group }) => (group === null ? "unknown" : h("code", null, group)),
    sort: ({ group }) => group,
  },
  { title: "Axis", number: true, cell: ({ axis }) => String(axis), sort: ({ axis }) => axis },
  {
    title: "Ranks",
    cell: ({ ranks, size }) => [
      words(ranks),
      size !== null && h("span", { class: "dim" }, ` of ${count(size)}`),
    ],
    sort: ({ ranks }) => words(ranks),
  },
  {
    title: "Calls",
    class: (group) => (differs(group) ? "unequal" : null),
    cell: (group) => [
      callsText(group),
      group.unknown.length > 0 &&
        h(
          "span",
          { class: "dim" },
          `; not recorded in part on ${words(group.unknown)}, assumed equal to most ranks`,
        ),
    ],
    sort: callsText,
  },
  {
    title: "First difference",
    cell: ({ mismatches, waits }) => [
      mismatches.length > 0 && [`call ${mismatches[0].position + 1}: `, sides(model, order, mismatches)],
      waits.map((one) =>
        h(
          "div",
          null,
          `call ${one.position + 1}: `,
          sides(model, order, [{ ...one, ranks: one.others }]),
          `; ${words(one.ranks)}: none`,
        ),
      ),
    ],
  },
];

/** @param {Group} group */
function callsText({ mismatches, waits }) {
  if (mismatches.length > 0)
    return mismatches[0].effect === "hang" ? "mismatch, will hang or fail" : "mismatch, wrong results";
  return waits.length ? "missing on some ranks" : "match";
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

/** The first call that ranks make in different orders across process groups. @param {import("./data.js").Model} model @param {Order} order */
function crossing(model, order) {
  if (!order.crossed.length) return null;
  const [{ position, effect }] = order.crossed;
  const axes = new Map(order.groups.map(({ group, axis }) => [group, axis]));
  return h(
    "section",
    { "aria-label": "Order across process groups" },
    h("h3", null, "Order across process groups"),
    h(
      "p",
      { class: "note" },
      `First difference: call ${position + 1} of each rank. `,
      effect === "hang"
        ? "With the waits in the code, ranks wait for each other in a circle: the job will hang."
        : "No ranks wait for each other in a circle, but NCCL needs one order on all ranks: the job may hang.",
    ),
    h(
      "ul",
      null,
      order.crossed.map((one) => {
        const name = order.calls[one.collective_call]?.group ?? null;
        return h(
          "li",
          null,
          sides(model, order, [one]),
          ", process group ",
          h("code", null, name ?? "unknown"),
          axes.has(name) && ` along axis ${axes.get(name)}`,
        );
      }),
    ),
  );
}

/** Sends and receives without a counterpart. @param {import("./data.js").Model} model @param {Order} order */
function transfersPart(model, { transfers }) {
  if (!transfers.length) return null;
  return h(
    "section",
    { "aria-label": "Sends and receives without a counterpart" },
    h("h2", null, "Sends and receives without a counterpart"),
    h(
      "ul",
      null,
      transfers.slice(0, MOST_TRANSFERS).map(({ rank, op, peer, tag, count: calls, rank_compile: column }) =>
        h(
          "li",
          null,
          `rank ${rank}: `,
          h("code", null, op),
          ` ${op === "isend" ? "to" : "from"} rank ${peer}${tag ? `, tag ${tag}` : ""}${calls > 1 ? `, ${count(calls)} times` : ""} in `,
          compileName(model.columns, column).map((part) =>
            typeof part === "string" ? part : h("code", null, part.code),
          ),
        ),
      ),
      transfers.length > MOST_TRANSFERS &&
        h("li", { class: "dim" }, `${count(transfers.length - MOST_TRANSFERS)} more`),
    ),
  );
}
