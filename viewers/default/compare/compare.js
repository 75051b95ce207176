// Compares two compiles by artifact, from one log, two logs or two bundles.
import { byPhase } from "../../lib/bundle/artifacts.js";
import { openBundle } from "../../lib/bundle/bundle.js";
import { artifactPairs, artifactText, VERDICTS, verdictsText } from "../../lib/diff/artifact-pairs.js";
import { differ } from "../../lib/diff/differ.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, plural } from "../../lib/page/format.js";
import { loader } from "../../lib/page/load.js";
import { allowed } from "../../lib/page/page.js";
import { split } from "../../lib/page/splitter.js";
import { compileLabel, functionName, logInAddress, modelOf, openingLog } from "../shared/model.js";
import { frameTable } from "./frame-table.js";
import { numbers, parseSide, previousOfFrame, sideText } from "./sides.js";

const SUMMARY = "",
  FRAME = "~frame";
const MOST_OFFERED = 2_000;

/** @typedef {import("./sides.js").Side} Side */
/** @typedef {{left: Side, right: Side, list: import("../../lib/diff/artifact-pairs.js").Pair[]}} Both */

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openCompare(context) {
  const { bundle, log, state } = context;
  const head = h("header", { class: "compile-head compare-head" });
  const rail = h("nav", { "class": "pane rail", "aria-label": "Artifacts" });
  const body = h("section", { "class": "pane artifact", "aria-label": "Differences" });
  const load = loader(body);
  /** @type {import("../frame/viewer.js").View} */
  const view = {
    element: h(
      "div",
      { class: "fill" },
      head,
      split("compare", rail, body, { label: "List width", size: "300px" }),
    ),
    title: "Compare",
  };
  let keys = /** @type {((event: KeyboardEvent) => boolean) | null} */ (null);
  let sides = "",
    shown = "";
  let known = /** @type {Both | null} */ (null);

  const show = async (/** @type {any} */ current) => {
    const wanted = JSON.stringify([current.left, current.right, current.other]);
    if (wanted !== sides) {
      sides = wanted;
      shown = "";
      known = null;
      const other = current.other ? await otherBundle(current.other) : bundle;
      const left = await sideOf(bundle, log, current.left, null);
      const right = await sideOf(other, other === bundle ? log : openingLog(other), current.right, left);
      const list = left && right ? await artifactPairs(attemptOf(left), attemptOf(right)) : [];
      if (wanted !== sides) return;
      fill(
        head,
        h("h1", null, "Compare"),
        await picker(context, bundle, "left", current.left, left),
        h("span", { class: "dim" }, "with"),
        await picker(context, other, "right", current.right, right),
        h(
          "button",
          {
            class: "tool",
            disabled: Boolean(current.other),
            title: "Swap left and right",
            onclick: () => state.go(state.patched({ left: current.right, right: current.left })),
          },
          "⇄ Swap",
        ),
        current.other && h("span", { class: "dim" }, `right: ${current.other}`),
        h("span", { class: "spring" }),
        h("span", { class: "dim" }, left && right ? verdictsText(list) : ""),
      );
      if (!left || !right) {
        fill(rail);
        fill(
          body,
          h(
            "div",
            { class: "padded" },
            h("p", null, missing("left", current.left, left), " ", missing("right", current.right, right)),
            h("p", null, "Choose two compiles above, or use the compare link on a compile's page."),
          ),
        );
        return;
      }
      known = { left, right, list };
      const several = left.model.log !== right.model.log;
      view.title = `Compare ${sideText(left, several)} with ${sideText(right, several)}`;
      drawRail(known);
    }
    if (!known) return;
    const place = current.artifact;
    const asked = JSON.stringify([wanted, place, current.pane, current.by]);
    if (shown === asked) return;
    shown = asked;
    for (const a of /** @type {NodeListOf<HTMLElement>} */ (rail.querySelectorAll("a"))) {
      if (a.dataset.artifact === place) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
    rail.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
    showBody(known, place);
  };

  /** @param {Both} all */
  const drawRail = ({ right, list }) => {
    const link = (/** @type {string} */ artifact, /** @type {any} */ text, /** @type {any} */ more) =>
      h("a", { href: state.patched({ artifact }), dataset: { artifact } }, text, more);
    const item = (/** @type {any} */ pair) => {
      const [sign, word] = VERDICTS[pair.verdict];
      return h(
        "li",
        { class: `verdict-${pair.verdict}` },
        link(
          pair.address,
          pair.label,
          h("span", { class: "size" }, h("span", { "aria-hidden": "true" }, sign), " ", word),
        ),
      );
    };
    const phases = byPhase(
      bundle.manifest,
      list.map((pair) => ({ ...(pair.left ?? pair.right), ...pair })),
    );
    fill(
      rail,
      h(
        "ul",
        null,
        h("li", null, link(SUMMARY, "Summary", null)),
        h(
          "li",
          null,
          link(FRAME, `All compiles of ${functionName(right.model.compiles[right.index])}`, null),
        ),
      ),
      phases
        .map((phase) => [
          h("h2", { title: phase.help }, phase.title),
          h("ul", null, phase.artifacts.map(item)),
        ])
        .flat(),
    );
  };

  /** @param {Side} side @param {any} artifact @param {string} [line] */
  const linkTo = (side, artifact, line = "") =>
    state.link({
      view: "compile",
      log: logInAddress(side.model.log),
      compile: side.model.compiles[side.index].key,
      artifact: artifact.address,
      line,
    });

  /** @param {Both} all @param {string} address */
  const showBody = ({ left, right, list }, address) => {
    keys = null;
    if (address === FRAME)
      return load(
        "the compiles",
        () => frameTable(right.model, right.index, state),
        (table) => fill(body, table),
      );
    const pair = list.find((one) => one.address === address);
    if (!pair)
      return load(
        "the summary",
        async () => null,
        () => fill(body, summaryTable(left, right, list, address)),
      );
    return load(
      pair.label,
      async (signal) => {
        const texts = await Promise.all([
          artifactText(left.model.log, pair.left, signal),
          artifactText(right.model.log, pair.right, signal),
        ]);
        const link = (/** @type {"left" | "right"} */ which, /** @type {number} */ line) => {
          const side = which === "left" ? left : right;
          return side.model.log.bundle === bundle ? linkTo(side, pair[which], String(line)) : null;
        };
        return differ(
          {
            name: address,
            languages: [pair.left?.language ?? null, pair.right?.language ?? null],
            texts,
            sameProcess: left.model.log === right.model.log,
          },
          state,
          link,
          signal,
        );
      },
      (made) => {
        keys = made.key;
        const [sign, word] = VERDICTS[pair.verdict];
        const to = (/** @type {Side} */ side, /** @type {any} */ artifact, /** @type {string} */ which) =>
          artifact && h("a", { href: linkTo(side, artifact) }, `${which} ${bytes(artifact.size_bytes)}`);
        fill(
          body,
          h(
            "header",
            { class: "artifact-head" },
            h("h2", null, pair.label),
            h("span", { class: `verdict-${pair.verdict}` }, `${sign} ${word}`),
            made.tools,
            h("span", { class: "spring" }),
            to(left, pair.left, "left"),
            right.model.log.bundle === bundle && to(right, pair.right, "right"),
          ),
          made.element,
        );
      },
    );
  };

  view.update = (current) =>
    show(current).catch((error) =>
      load(
        "the comparison",
        () => Promise.reject(error),
        () => {},
      ),
    );
  view.key = (event) => keys?.(event) ?? false;
  view.stays = () => true;
  return view;
}

/** @param {string} which @param {string} wanted @param {Side | null} side */
const missing = (which, wanted, side) =>
  side ? "" : wanted ? `No compile ${wanted} on the ${which}.` : `No compile chosen on the ${which}.`;

/** @param {string} address */
async function otherBundle(address) {
  return openBundle(allowed(address, "other"));
}

/** @param {any} bundle @param {any} fallback @param {string} text @param {Side | null} other @returns {Promise<Side | null>} */
async function sideOf(bundle, fallback, text, other) {
  const { log: id, key } = parseSide(text);
  const log = bundle.log(id) ?? (bundle.logs.length === 1 || !text ? fallback : null);
  if (!log) return null;
  const model = await modelOf(log);
  let index = model.byKey.get(key) ?? model.byKey.get(text) ?? -1;
  if (index < 0 && !text && other && other.model === model)
    index = Math.max(previousOfFrame(model, other.index), -1);
  return index < 0 ? null : { model, index };
}

/** @param {Side} left @param {Side} right @param {import("../../lib/diff/artifact-pairs.js").Pair[]} list @param {string} wanted */
function summaryTable(left, right, list, wanted) {
  const other = numbers(right);
  const several = left.model.log !== right.model.log;
  return h(
    "div",
    { "class": "scroll padded", "tabindex": "0", "role": "region", "aria-label": "Summary" },
    wanted && h("p", { class: "note" }, `Neither compile has ${wanted}. This is the summary.`),
    h(
      "p",
      null,
      list.length
        ? `${plural(list.length, "artifact")}: ${verdictsText(list)}.`
        : "Neither compile has artifacts.",
    ),
    h(
      "table",
      { class: "plain compare-table" },
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          ["", sideText(left, several), sideText(right, several)].map((title) =>
            h("th", { scope: "col" }, title || h("span", { class: "visually-hidden" }, "Property")),
          ),
        ),
      ),
      h(
        "tbody",
        null,
        numbers(left).map(([title, value], i) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, title),
            h("td", null, value),
            h(
              "td",
              { class: value === other[i][1] ? null : "changed" },
              value === other[i][1] ? "" : "≠ ",
              other[i][1],
            ),
          ),
        ),
      ),
    ),
  );
}

/** @param {import("../frame/viewer.js").Context} context @param {any} bundle @param {"left" | "right"} which @param {string} wanted @param {Side | null} side */
async function picker({ log, state }, bundle, which, wanted, side) {
  const chosen =
    side?.model.log ??
    bundle.log(parseSide(wanted).log) ??
    (bundle.logs.includes(log) ? log : openingLog(bundle));
  const model = await modelOf(chosen);
  const list = `compare-${which}`;
  const take = () => {
    const key = compile.value.trim().replace(/^\[|\]$/g, "");
    if (model.byKey.has(key)) state.go(state.patched({ [which]: `${chosen.id}/${key}` }));
  };
  const compile = h("input", {
    "type": "search",
    "class": "narrow",
    "aria-label": `Compile on the ${which}`,
    "placeholder": "Compile id",
    "value": side ? model.compiles[side.index].key : parseSide(wanted).key,
    list,
    "onchange": take,
  });
  const logs =
    bundle.logs.length > 1 &&
    h(
      "select",
      {
        "aria-label": `Log on the ${which}`,
        "onchange": (/** @type {any} */ e) =>
          state.go(state.patched({ [which]: `${e.target.value}/${compile.value}` })),
      },
      bundle.logs.map((/** @type {any} */ l) => h("option", { value: l.id, selected: l === chosen }, l.id)),
    );
  return h(
    "span",
    { class: "side-picker" },
    logs,
    compile,
    h(
      "datalist",
      { id: list },
      model.compiles.slice(0, MOST_OFFERED).map((c) => h("option", { value: c.key }, compileLabel(c))),
    ),
    side &&
      h(
        "span",
        null,
        " ",
        h(
          "a",
          {
            href: state.link({
              view: "compile",
              log: logInAddress(side.model.log),
              compile: model.compiles[side.index].key,
            }),
          },
          functionName(model.compiles[side.index]),
        ),
      ),
  );
}

/** @param {Side} side */
function attemptOf({ model, index }) {
  const { compile, attempt } = model.compiles[index];
  return { log: model.log, compile, attempt };
}
