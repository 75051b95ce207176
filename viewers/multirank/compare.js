// The Compare view: the artifacts of one compile on two ranks, side by side.
import { differ } from "../lib/diff/differ.js";
import { fill, h } from "../lib/page/dom.js";
import { loader } from "../lib/page/load.js";
import { inViewer } from "../lib/page/page.js";
import { picker } from "../lib/page/picker.js";
import { split } from "../lib/page/splitter.js";
import { findAddressOnly, pairs, sameButAddresses, textOf } from "./artifacts.js";
import { awayLink, compileKey, groupLetter, logOf, majorityRank } from "./data.js";
import { functionName } from "./names.js";

/** @typedef {{left: import("./artifacts.js").Side, right: import("./artifacts.js").Side, list: import("./artifacts.js").Pair[]}} Both */

/** @type {Record<string, [string, string]>} */
const VERDICTS = {
  same: ["=", "same"],
  differs: ["≠", "differs"],
  alike: ["≈", "only addresses differ"],
  left: ["◧", "only left"],
  right: ["◨", "only right"],
};

/** Open the view. @param {import("./main.js").Context} context @returns {Promise<import("./main.js").View>} */
export async function openCompare({ model, state }) {
  const head = h("div", { class: "head" });
  const rail = h("nav", { "class": "pane rail", "aria-label": "Artifacts" });
  const body = h("section", { "class": "pane", "aria-label": "Difference" });
  const load = loader(body);
  let keys = /** @type {((event: KeyboardEvent) => boolean) | null} */ (null);
  let sides = "",
    shown = "";
  let compared = /** @type {Both | null} */ (null);
  const view = {
    element: h(
      "div",
      { class: "fill" },
      head,
      split("ranks-compare", rail, body, { label: "Width of the artifact list", size: "280px" }),
    ),
    title: "Compare",
  };

  /** The compile and the ranks to compare; a difference when the URL does not name them. @param {Record<string, string>} current */
  const chosen = (current) => {
    const column =
      current.column !== "" && model.columns[Number(current.column)]
        ? Number(current.column)
        : firstDifference(model);
    const left = current.left === "" ? majorityRank(model, column) : Number(current.left);
    const right = current.right === "" ? otherRank(model, column, left) : Number(current.right);
    return { column, left, right };
  };

  const show = async (/** @type {Record<string, string>} */ current) => {
    const { column, left, right } = chosen(current);
    const wanted = `${column} ${left} ${right}`;
    if (wanted !== sides) {
      sides = wanted;
      shown = "";
      compared = null;
      const [a, b] = [left, right].map((rank) => sideOf(model, rank, column));
      drawHead(column, left, right);
      if (!a || !b) {
        fill(rail);
        const absent = [a ? null : left, b ? null : right].filter((rank) => rank !== null);
        load(
          "the comparison",
          async () => null,
          () =>
            fill(
              body,
              h(
                "div",
                { class: "padded" },
                h(
                  "p",
                  null,
                  `${absent.length > 1 ? "Ranks" : "Rank"} ${absent.join(" and ")} did not compile this. Choose a different rank or compile.`,
                ),
              ),
            ),
        );
        return;
      }
      const list = await pairs(a, b);
      if (wanted !== sides) return;
      compared = { left: a, right: b, list };
      view.title = `Compare rank ${left} with rank ${right}`;
      void findAddressOnly(
        compared,
        () => compared?.list === list && drawRail(list, placeOf(compared, state.current)),
      );
    }
    if (!compared) return;
    const place = placeOf(compared, current);
    drawRail(compared.list, place);
    const asked = JSON.stringify([wanted, place, current.by]);
    if (shown === asked) return;
    shown = asked;
    showBody(compared, place);
  };

  const drawHead = (
    /** @type {number} */ column,
    /** @type {number} */ left,
    /** @type {number} */ right,
  ) => {
    const at = (/** @type {number} */ c) =>
      state.go(state.patched({ column: String(c), left: "", right: "", artifact: "" }));
    const step = (/** @type {string} */ sign, /** @type {string} */ name, /** @type {number} */ by) =>
      h(
        "button",
        {
          "class": "tool",
          "title": name,
          "aria-label": name,
          "disabled": !model.columns[column + by],
          "onclick": () => at(column + by),
        },
        sign,
      );
    const ranks = (/** @type {"left" | "right"} */ side, /** @type {number} */ rank) =>
      picker({
        label: `Rank on the ${side}`,
        value: String(rank),
        onpick: (chosen) =>
          state.go(
            state.patched({
              column: String(column),
              left: String(left),
              right: String(right),
              [side]: chosen,
            }),
          ),
        items: model.members.map((member, i) => {
          const group = model.groupOf[column]?.[i] ?? -1;
          return {
            value: String(member.rank),
            text: `rank ${member.rank} · ${group < 0 ? "not compiled" : groupLetter(group)}`,
          };
        }),
      });
    const link = (/** @type {number} */ rank) => {
      const key = compileKey(model, rank, column);
      return key !== null && awayLink(model, rank, key, `[${key}] ›`);
    };
    fill(
      head,
      h("h1", null, "Compare"),
      picker({
        label: "Compile",
        value: String(column),
        onpick: (chosen) => at(Number(chosen)),
        items: model.columns.map((one, c) => ({
          value: String(c),
          text: `${functionName(one.function)} [${one.compile}]${(model.graphs?.[c].length ?? 1) > 1 ? " ≠" : ""}`,
        })),
      }),
      step("‹", "Previous compile ([)", -1),
      step("›", "Next compile (])", 1),
      ranks("left", left),
      link(left),
      h("span", { class: "dim" }, "and"),
      ranks("right", right),
      link(right),
    );
  };

  /** @param {import("./artifacts.js").Pair[]} list @param {string} place */
  const drawRail = (list, place) => {
    fill(
      rail,
      h(
        "ul",
        null,
        list.map((pair) => {
          const [sign, word] = VERDICTS[pair.verdict];
          return h(
            "li",
            null,
            h(
              "a",
              {
                "href": state.patched({ artifact: pair.address }),
                "aria-current": pair.address === place ? "true" : null,
                "title": pair.verdict === "alike" ? "Only memory addresses differ" : null,
              },
              pair.address,
              h(
                "span",
                { class: `size${["same", "alike"].includes(pair.verdict) ? "" : " differs-word"}` },
                h("span", { "aria-hidden": "true" }, sign),
                ` ${word}`,
              ),
            ),
          );
        }),
      ),
    );
    rail.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  };

  /** @param {Both} all @param {string} place */
  const showBody = (all, place) => {
    keys = null;
    const pair = all.list.find((one) => one.address === place);
    if (!pair)
      return load(
        "the comparison",
        async () => null,
        () =>
          fill(
            body,
            h(
              "p",
              { class: "padded" },
              all.list.length ? `Neither rank has ${place}.` : "This compile has no artifacts.",
            ),
          ),
      );
    const link = (/** @type {"left" | "right"} */ side, /** @type {number} */ line) =>
      inViewer(model.bundle, "default", {
        view: "compile",
        log: all[side].log.id,
        compile: all[side].key,
        artifact: place,
        line: String(line),
      });
    return load(
      place,
      async (signal) => {
        const texts = await Promise.all([
          textOf(all.left, pair.left, { signal }),
          textOf(all.right, pair.right, { signal }),
        ]);
        const languages = /** @type {[string | null, string | null]} */ ([
          pair.left?.language ?? null,
          pair.right?.language ?? null,
        ]);
        return {
          made: await differ({ name: place, languages, texts, sameProcess: false }, state, link, signal),
          alike: sameButAddresses(texts[0], texts[1]),
        };
      },
      ({ made, alike }) => {
        keys = made.key;
        fill(
          body,
          h(
            "div",
            { class: "padded" },
            h("h2", null, place),
            made.tools,
            alike &&
              h("p", { class: "dim" }, "Only memory addresses differ. They are different in every process."),
            pair.verdict === "left" || pair.verdict === "right"
              ? h("p", { class: "dim" }, `Only the rank on the ${pair.verdict} has this artifact.`)
              : null,
          ),
          made.element,
        );
      },
    );
  };

  return {
    ...view,
    get title() {
      return view.title;
    },
    stays: () => true,
    update: (current) =>
      void show(current).catch((error) =>
        load(
          "the comparison",
          () => Promise.reject(error),
          () => {},
        ),
      ),
    key: (event) => {
      const { column } = chosen(state.current);
      if (event.key !== "[" && event.key !== "]") return keys?.(event) ?? false;
      const next = column + (event.key === "]" ? 1 : -1);
      if (model.columns[next])
        state.go(state.patched({ column: String(next), left: "", right: "", artifact: "" }));
      return true;
    },
  };
}

/** @param {Both} all @param {Record<string, string>} current */
const placeOf = ({ list }, current) =>
  current.artifact || (list.find((pair) => pair.address === "dynamo_output_graph") ?? list[0])?.address;

/** @param {import("./data.js").Model} model @param {number} rank @param {number} column @returns {import("./artifacts.js").Side | null} */
function sideOf(model, rank, column) {
  const key = compileKey(model, rank, column);
  const log = logOf(model, rank);
  return key === null || !log ? null : { log, key };
}

/** Return the first compile whose graphs differ; 0 when none does. @param {import("./data.js").Model} model */
function firstDifference(model) {
  return Math.max(0, model.graphs?.findIndex((groups) => groups.length > 1) ?? -1);
}

/** Return a rank whose code differs from that of the given rank; any different rank when none does. @param {import("./data.js").Model} model @param {number} column @param {number} rank */
function otherRank(model, column, rank) {
  const numbers = model.groupOf[column] ?? [];
  const own = numbers[model.place.get(rank) ?? -1];
  const compiled = model.members
    .map((/** @type {any} */ _, /** @type {number} */ i) => i)
    .filter((/** @type {number} */ i) => numbers[i] >= 0 && model.members[i].rank !== rank);
  const at =
    compiled.find((/** @type {number} */ i) => numbers[i] !== own) ??
    compiled[0] ??
    model.members.findIndex((/** @type {any} */ member) => member.rank !== rank);
  return model.members[at]?.rank ?? rank;
}
