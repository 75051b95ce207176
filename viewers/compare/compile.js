// The page of one compile on both sides: summary, changes, cache keys, and differences of its artifacts.
import { byPhase } from "../lib/bundle/artifacts.js";
import { artifactPairs, artifactText, VERDICTS, verdictsText } from "../lib/diff/artifact-pairs.js";
import { differ } from "../lib/diff/differ.js";
import { fill, h } from "../lib/page/dom.js";
import { loader } from "../lib/page/load.js";
import { split } from "../lib/page/splitter.js";
import { summaryOf } from "./compile-summary.js";
import { sideLink } from "./links.js";
import { inDefault, SIDES } from "./places.js";
import { idsText } from "./words.js";

/** @typedef {import("./viewer.js").Context} Context */
/** @typedef {import("./document.js").Compared} Compared */
/** @typedef {import("./places.js").Which} Which */
/** @typedef {import("../lib/diff/artifact-pairs.js").Pair} Artifacts */

const SUMMARY = "";

/** @param {Context} context @returns {Promise<import("./viewer.js").View>} */
export async function openCompile(context) {
  const { run, pair, state } = context;
  const log = run.document.logs[pair];
  const head = h("header", { class: "compile-head" }, h("h1", null, "Compile"));
  const rail = h("nav", { "class": "pane rail", "aria-label": "Artifacts" });
  const body = h("section", { "class": "pane artifact", "aria-label": "Difference" });
  const load = loader(body);
  const tell = (/** @type {HTMLElement} */ element) =>
    load(
      "",
      async () => element,
      (made) => fill(body, made),
    ); // cancels a load in progress
  let keys = /** @type {((event: KeyboardEvent) => boolean) | null} */ (null);
  let compile = /** @type {Compared | undefined} */ (undefined);
  let list = /** @type {Artifacts[]} */ ([]);
  let place = "",
    drawn = "",
    damaged = false;
  /** @type {import("./viewer.js").View} */
  const view = {
    element: h(
      "div",
      { class: "fill" },
      head,
      split("compare-compile", rail, body, { label: "Width of the artifact list", size: "max(280px, 20vw)" }),
    ),
    title: "Compile",
  };

  /** Load the data of both bundles that the artifact list needs. The summary does not need it. @param {Compared} found */
  const artifactsOf = async (found) => {
    const [left, right] = await Promise.all(
      SIDES.map(async (which) => {
        const side = found[which],
          of = side && log[which] && (await run.bundle(which)).log(log[which].id);
        if (!side || !of) return null;
        const attempt = Math.max(
          0,
          ...(await of.table("attempts")).flatMap((/** @type {any} */ row) =>
            row.compile === side.compile ? [row.attempt] : [],
          ),
        );
        return { log: of, compile: side.compile, attempt }; // the last attempt has the result
      }),
    );
    const manifest = (await run.bundle(found.new ? "new" : "base")).manifest;
    return { manifest, pairs: await artifactPairs(left, right), logs: { base: left?.log, new: right?.log } };
  };

  /** @type {Awaited<ReturnType<typeof artifactsOf>> | null} */
  let sides = null;
  const drawRail = () => {
    const link = (/** @type {string} */ part, /** @type {any} */ text, /** @type {any} */ more) =>
      h("a", { href: state.patched({ part }), dataset: { part } }, text, more);
    const item = (/** @type {any} */ { address, label, verdict }) =>
      h(
        "li",
        { class: `verdict-${verdict}` },
        link(
          address,
          label,
          h(
            "span",
            { class: "size" },
            h("span", { "aria-hidden": "true" }, VERDICTS[verdict][0]),
            ` ${sideWord(VERDICTS[verdict][1])}`,
          ),
        ),
      );
    fill(
      rail,
      h("ul", null, h("li", null, link(SUMMARY, "Summary", null))),
      sides &&
        byPhase(
          sides.manifest,
          list.map((one) => ({ ...(one.right ?? one.left), ...one })),
        ).map((phase) => [
          h("h2", { title: phase.help }, phase.title),
          h("ul", null, phase.artifacts.map(item)),
        ]),
    );
  };
  const mark = (/** @type {string} */ part) => {
    for (const a of /** @type {NodeListOf<HTMLElement>} */ (rail.querySelectorAll("a"))) {
      if (a.dataset.part === part) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
    }
    rail.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  };

  /** @param {Compared} found @param {Artifacts} artifacts */
  const difference = (found, artifacts) =>
    load(
      artifacts.label,
      async (signal) => {
        const texts = await Promise.all(
          SIDES.map((which, side) => {
            const of = sides?.logs[which];
            return of ? artifactText(of, side ? artifacts.right : artifacts.left, signal) : "";
          }),
        );
        const link = (/** @type {"left" | "right"} */ hand, /** @type {number} */ line) => {
          const which = /** @type {Which} */ (hand === "left" ? "base" : "new");
          return inDefault(run, which, {
            log: log[which]?.id ?? "",
            view: "compile",
            compile: found[which]?.compile ?? "",
            artifact: artifacts.address,
            line: String(line),
          });
        };
        return differ(
          {
            name: artifacts.address,
            languages: [artifacts.left?.language ?? null, artifacts.right?.language ?? null],
            texts,
            sameProcess: false,
          },
          state,
          link,
          signal,
        );
      },
      (made) => {
        keys = made.key;
        const [sign, word] = VERDICTS[artifacts.verdict];
        fill(
          body,
          h(
            "header",
            { class: "artifact-head" },
            h("h2", null, artifacts.label),
            h("span", { class: `verdict-${artifacts.verdict}` }, `${sign} ${sideWord(word)}`),
            made.tools,
          ),
          made.element,
        );
      },
    );

  view.update = async (current) => {
    const wanted = JSON.stringify([current.left, current.right]);
    if (wanted !== place) {
      place = wanted;
      drawn = "";
      sides = null;
      list = [];
      damaged = false;
      compile = log.compiles.find(
        ({ base, new: other }) =>
          (base?.compile ?? "") === current.left && (other?.compile ?? "") === current.right,
      );
      if (!compile) {
        fill(head, h("h1", null, "Compile"));
        fill(rail);
        return tell(
          h(
            "p",
            { class: "padded" },
            "Compile not found in these logs. ",
            h("a", { href: state.link({ view: "compiles" }) }, "All compiles ›"),
          ),
        );
      }
      const found = compile;
      view.title = `${idsText(found)} ${found.function ?? "(unknown function)"}`;
      fill(
        head,
        h("h1", null, found.function ?? "(unknown function)"),
        h("span", { class: "ids" }, idsText(found)),
        h("span", { class: "spring" }),
        SIDES.map((which) => sideLink(context, log, found, which)),
        h(
          "a",
          { href: state.link({ view: "timeline", left: current.left, right: current.right }) },
          "timeline ›",
        ),
      );
      drawRail();
      void artifactsOf(found).then(
        (made) => {
          if (place !== wanted) return;
          [sides, list] = [made, made.pairs];
          drawRail();
          drawn = "";
          void view.update?.(state.current);
        },
        (error) => {
          if (place !== wanted) return;
          rail.append(h("p", { class: "padded", role: "alert" }, error.message));
          damaged = true; // fall back to the summary, which only needs the document
          drawn = "";
          void view.update?.(state.current);
        },
      );
    }
    if (!compile || drawn === JSON.stringify([current.part, current.by, current.pane])) return;
    const artifacts = list.find((one) => one.address === current.part);
    mark(artifacts ? current.part : SUMMARY);
    if (current.part && !artifacts && !sides && !damaged)
      return tell(h("p", { class: "loading", role: "status" }, "Loading artifacts …"));
    drawn = JSON.stringify([current.part, current.by, current.pane]);
    keys = null;
    if (artifacts) return difference(compile, artifacts);
    return tell(
      summaryOf(
        context,
        compile,
        damaged ? "" : current.part,
        sides ? verdictsText(list).replace("only left", "only base").replace("only right", "only new") : "",
      ),
    );
  };
  view.key = (event) => keys?.(event) ?? false;
  return view;
}

/** Replace left and right by base and new. @param {string} word */
const sideWord = (word) => word.replace("left", "base").replace("right", "new");
