// The Timelines view: the compiles of all ranks on one clock.
import { each } from "../lib/bundle/ranks.js";
import { FlameChart } from "../lib/flame/chart.js";
import { byRow } from "../lib/flame/data.js";
import { table } from "../lib/list/table.js";
import { fill, h } from "../lib/page/dom.js";
import { time } from "../lib/page/format.js";
import { awayLink, compileKey, groupLetter } from "./data.js";
import { functionName } from "./names.js";

/** @typedef {import("./data.js").Model} Model */
/** @typedef {import("../../schema/bundle.d.ts").RankSkew} Skew */
/** @typedef {import("../../schema/bundle.d.ts").RankTimes} Times */
/** @typedef {{skew: Skew[], times: Times[], origin: number}} Table origin: the earliest start of a compile */

const HUES = 10;
const UNFINISHED = 1; // mark of a box that the chart draws dashed
const MOST_US = 86_400_000_000; // clocks that are farther apart are not comparable
const LANE = 18,
  RULER = 20; // pixels, same as in the chart

/** @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openTimeline({ model, state }) {
  const [skew, times] = /** @type {[Skew[], Times[]]} */ (
    await Promise.all(["rank_skew", "rank_times"].map((name) => model.bundle.rankTable(name)))
  );
  const origin = times.reduce(
    (least, { first_start_epoch_us: start }) => (start === null ? least : Math.min(least, start)),
    Infinity,
  );
  const table = { skew, times, origin: origin === Infinity ? 0 : origin };
  const flame = boxes(model, table);
  if (!flame.length) {
    return {
      element: h(
        "div",
        { class: "page" },
        h("h1", null, "Timelines"),
        h(
          "p",
          null,
          "Compile times not recorded. They come from the compilation metrics at the end of each compile.",
        ),
      ),
      title: "Timelines",
    };
  }
  const detail = h("div", { "class": "below", "role": "region", "aria-label": "Selected compile" });
  const names = h("div", { "class": "lane-names", "aria-hidden": "true" });
  const rankOf = (/** @type {number} */ lane) => model.members[lane].rank;
  const chart = new FlameChart({
    label: "Compiles of each rank over time",
    ruler: (x) => time(x),
    least: 100,
    tell: (box) => `${words(box)}, ${length(box)}`,
    tip: (box) => [
      h("b", null, words(box)),
      ` ${length(box)}`,
      h("div", { class: "dim" }, `starts at ${time(flame.from[box])}`),
    ],
    onselect: (box) => showBox(box),
    onopen: () => detail.querySelector("a")?.click(),
  });
  const length = (/** @type {number} */ box) =>
    flame.marked[box] === UNFINISHED ? "never finished" : time(flame.to[box] - flame.from[box]);
  const words = (/** @type {number} */ box) =>
    `rank ${rankOf(flame.row[box])} · ${functionName(model.columns[flame.column[box]].function)} [${compileKey(model, rankOf(flame.row[box]), flame.column[box]) ?? "?"}]`;

  /** @param {number} box */
  const showBox = (box) => {
    if (box < 0) {
      fill(detail, overall(model, table));
      return;
    }
    const rank = rankOf(flame.row[box]),
      column = flame.column[box];
    const { median_us: median, slowest_rank: slowest, slowest_us: longest, lost_us: lost } = skew[column];
    const key = compileKey(model, rank, column);
    const group = model.groupOf[column][model.place.get(rank) ?? -1] ?? -1;
    const text =
      flame.marked[box] === UNFINISHED
        ? `Never finished: the log ends at ${time(flame.to[box])}.${flame.guessed.has(box) ? " Start not recorded, drawn from the end of the previous compile." : ""} `
        : `${length(box)}, started at ${time(flame.from[box])}. Median of all ranks: ${time(median)}, slowest rank ${slowest}: ${time(longest)}. Time lost to waiting: ${time(lost)}. `;
    fill(
      detail,
      h("h2", null, words(box)),
      h(
        "p",
        null,
        text,
        group >= 0 && `Group ${groupLetter(group)}. `,
        awayLink(model, rank, key, `[${key}] of rank ${rank} ›`),
        " ",
        awayLink(model, rank, key, `timeline of rank ${rank} ›`, { view: "timeline" }),
      ),
    );
  };

  const lanes = () => {
    const top = chart.scroller.scrollTop;
    const first = Math.floor(top / LANE),
      last = Math.min(model.members.length, Math.ceil((top + chart.scroller.clientHeight) / LANE));
    const wanted = state.current.rank;
    fill(
      names,
      Array.from({ length: Math.max(0, last - first) }, (_, i) =>
        h(
          "div",
          {
            class: String(rankOf(first + i)) === wanted ? "here" : null,
            style: { top: `${RULER + (first + i) * LANE - top}px` },
          },
          `rank ${rankOf(first + i)}`,
        ),
      ),
    );
  };
  chart.scroller.addEventListener("scroll", lanes, { passive: true });
  const sized = new ResizeObserver(lanes);
  sized.observe(chart.scroller);
  chart.show(flame);
  showBox(-1);
  const element = h(
    "div",
    { class: "fill timeline" },
    h(
      "div",
      { class: "toolbar" },
      h("h1", null, "Timelines"),
      h("span", { class: "dim" }, "Assumes that the clocks of all machines agree."),
      h("span", { class: "spring" }),
      h(
        "button",
        {
          "class": "tool",
          "onclick": () => chart.zoom(1.5),
          "aria-label": "Zoom in",
          "title": "Zoom in (+)",
        },
        "+",
      ),
      h(
        "button",
        {
          "class": "tool",
          "onclick": () => chart.zoom(1 / 1.5),
          "aria-label": "Zoom out",
          "title": "Zoom out (−)",
        },
        "−",
      ),
      h(
        "button",
        { class: "tool", onclick: () => chart.look(0, flame.end), title: "Show everything (0)" },
        "All",
      ),
    ),
    h("div", { class: "lanes", style: { "--lanes": model.members.length } }, names, chart.element),
    detail,
  );
  return {
    element,
    title: "Timelines",
    update: (current) => {
      const lane = model.members.findIndex((row) => String(row.rank) === current.rank);
      requestAnimationFrame(() => {
        if (lane >= 0) chart.scroller.scrollTop = Math.max(0, (lane - 4) * LANE);
        lanes();
      });
    },
    stays: () => chart.from > 0 || chart.to < flame.end, // the user has zoomed in
    close: () => {
      chart.close();
      sized.disconnect();
    },
  };
}

/** @param {Model} model @param {Table} table */
function boxes(model, table) {
  /** @type {number[][]} */
  const [from, to, row, column, hue, marked] = [[], [], [], [], [], []];
  const add = (
    /** @type {number} */ lane,
    /** @type {number} */ c,
    /** @type {number} */ start,
    /** @type {number} */ end,
    /** @type {number} */ mark,
  ) => {
    [
      [from, start],
      [to, end],
      [row, lane],
      [column, c],
      [hue, c % HUES],
      [marked, mark],
    ].forEach(([list, value]) => /** @type {number[]} */ (list).push(/** @type {number} */ (value)));
  };
  table.times.forEach(
    ({ rank, first_start_epoch_us: first, start_offset_us: starts, length_us: lengths }) => {
      const lane = model.place.get(rank) ?? -1;
      for (let c = 0; c < model.columns.length && lane >= 0; c++) {
        const offset = starts[c],
          length = lengths[c];
        if (
          first === null ||
          offset === null ||
          length === null ||
          offset === undefined ||
          length === undefined
        )
          continue;
        const start = first - table.origin + offset;
        add(lane, c, start, start + length, 0);
      }
    },
  );
  const guessed = new Set(); // boxes whose start is not recorded
  for (const { lane, c, start, end, recorded } of unfinished(model, table)) {
    if (!recorded) guessed.add(from.length);
    add(lane, c, start, end, UNFINISHED);
  }
  return {
    length: from.length,
    from,
    to,
    row,
    column,
    hue,
    marked,
    guessed,
    rows: byRow(row, from, model.members.length),
    end: to.reduce((most, x) => Math.max(most, x), 1),
    label: (/** @type {number} */ box) =>
      `${functionName(model.columns[column[box]].function)} [${model.columns[column[box]].compile}]${marked[box] === UNFINISHED ? " never finished" : ""}`,
  };
}

/** Unfinished compiles, from their start (or the end of the previous compile) to the end of the log. @param {Model} model @param {Table} table */
function unfinished(model, table) {
  return (model.result?.findings ?? [])
    .filter((one) => one.kind === "unfinished-compile" && one.rank_compile !== null)
    .flatMap((one) =>
      [...each(one.ranks)].flatMap((rank) => {
        const lane = model.place.get(rank) ?? -1;
        const recorded = Number(one.details.since_epoch_us) > 0;
        const start =
          (recorded ? Number(one.details.since_epoch_us) : (model.members[lane]?.last_end_epoch_us ?? 0)) -
          table.origin;
        const end = (Number(one.details.last_epoch_us) || 0) - table.origin;
        return lane >= 0 && start > 0 && end > start && end < start + MOST_US
          ? [{ lane, c: /** @type {number} */ (one.rank_compile), start, end, recorded }]
          : [];
      }),
    );
}

/** Build the overview of time lost to slow ranks. @param {Model} model @param {Table} table */
function overall(model, { skew }) {
  const worst = skew
    .map((row) => ({ ...row, c: row.rank_compile, slowest_rank: row.slowest_rank ?? -1 }))
    .filter((one) => one.lost_us > 0)
    .sort((a, b) => b.lost_us - a.lost_us)
    .slice(0, 5);
  return [
    h(
      "h2",
      null,
      `At most ${time(skew.reduce((sum, { lost_us: lost }) => sum + lost, 0))} lost to waiting for the slowest rank`,
    ),
    h(
      "p",
      { class: "dim" },
      "Assumes that all ranks wait for each other after each compile. Select a box for its times.",
    ),
    worst.length > 0 &&
      table(
        [
          {
            title: "Compile",
            cell: ({ c }) => [
              h("code", null, functionName(model.columns[c].function)),
              ` [${model.columns[c].compile}]`,
            ],
            sort: ({ c }) => c,
          },
          {
            title: "Slowest rank",
            cell: ({ c, slowest_rank: rank }) =>
              awayLink(model, rank, compileKey(model, rank, c), `rank ${rank} ›`) ?? `rank ${rank}`,
            sort: ({ slowest_rank: rank }) => rank,
          },
          {
            title: "Its time",
            number: true,
            cell: (row) => time(row.slowest_us),
            sort: (row) => row.slowest_us,
          },
          { title: "Median", number: true, cell: (row) => time(row.median_us), sort: (row) => row.median_us },
          { title: "Lost", number: true, cell: (row) => time(row.lost_us), sort: (row) => row.lost_us },
        ],
        worst,
      ),
  ];
}
