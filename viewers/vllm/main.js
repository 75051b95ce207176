// Entry point of the vLLM viewer: opens the bundle, shows one log or compares two, follows the URL.
import { findingCard } from "../lib/finding/card.js";
import { Frame } from "../lib/frame/frame.js";
import { fill, h, typing } from "../lib/page/dom.js";
import { HashState } from "../lib/page/hash-state.js";
import { isLeftOut, LEFT_OUT } from "../lib/page/left-out.js";
import { loader, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";
import { bundleName, followLinks, helpButton, inViewer, listAddress, stopped } from "../lib/page/page.js";
import { picker } from "../lib/page/picker.js";
import { shareButton } from "../lib/page/share.js";
import { themeButton } from "../lib/page/remember.js";
import { named, startOf, startsOf } from "./data.js";
import { showHelp } from "./help.js";
import { legend, matrix } from "./matrix.js";
import { pieceDetail } from "./piece.js";
import { settings } from "./settings.js";
import { logText, startsTable } from "./starts.js";
import { headline, startup } from "./startup.js";

/** @typedef {import("./data.js").Start} Start */

// beside: compared log; by: color by time or 'outcome'; open: expanded rows; piece: a row of the table
const DEFAULTS = { log: "", beside: "", by: "", open: "", piece: "" };

const state = new HashState(DEFAULTS, ["log"]);
const main = h("main", { id: "main", tabindex: "-1" });
const frame = new Frame(main, state);
const load = loader(main);
let chosen = "";

watchErrors();
try {
  const bundle = await openPageBundle();
  fill(frame.tools, shareButton({ bundle, viewer: "vllm" }), themeButton(), helpButton(showHelp));
  fill(document.body, frame.elements);
  const follow = () => show(bundle, state.current);
  state.listen(follow);
  document.addEventListener("keydown", keys);
  followLinks(state);
  await follow();
  void import("../lib/page/rebuilt.js").then(({ watchRebuilt }) => watchRebuilt(bundle));
} catch (error) {
  stopped(error);
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {Record<string, string>} current */
function show(bundle, current) {
  return load(
    "the pieces",
    async () => {
      const { starts, left } = await startsOf(bundle);
      const wanted =
        current.log === ""
          ? ((starts.find(({ tables }) => tables.backends.some((backend) => !backend.is_loaded)) ?? starts[0])
              ?.log ?? bundle.logs[0])
          : bundle.log(current.log);
      if (!wanted)
        throw new Error(
          bundle.logs.length
            ? `Unknown log '${current.log}'. Available logs: ${bundle.logs.map((log) => log.id).join(", ")}.`
            : "This bundle has no logs.",
        );
      const one = await startOf(wanted),
        beside = current.beside === "" ? null : (bundle.log(current.beside) ?? null);
      const two = beside && beside !== wanted ? await startOf(beside) : null;
      const all = [...new Set([...(two ? [two] : []), ...starts])];
      const findings = one
        ? ((await wanted.findings())?.filter((/** @type {any} */ { kind }) => kind.startsWith("vllm-")) ?? [])
        : [];
      return {
        log: wanted,
        starts,
        left,
        findings,
        one: one && { plain: one, start: named(one, all) },
        two: two && named(two, all.concat(one ? [one] : [])),
      };
    },
    (loaded) => draw(bundle, loaded, current),
  );
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {any} loaded @param {Record<string, string>} current */
function draw(bundle, { log, starts, left, findings, one, two }, current) {
  header(bundle, log, two);
  document.title = ["vLLM", bundleName(bundle), "tlparse-bundle"].join(" · ");
  if (!one) {
    fill(main, nothing(bundle, log));
    return;
  }
  const again = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.id;
  const left0 = main.querySelector(".page")?.scrollTop ?? 0;
  const start = /** @type {Start} */ (one.start);
  const piece = start.pieces[Number(current.piece || NaN)] ?? null;
  const backends = start.tables.backends;
  fill(
    main,
    h(
      "div",
      { class: "page vllm-page" },
      h("h1", null, headline(start)),
      backends[0] &&
        h(
          "p",
          { class: "dim" },
          [backends[0].model, two && `compared with ${logText(two.log)}`].filter(Boolean).join(" · "),
        ),
      startup(start),
      h(
        "section",
        { "aria-labelledby": "pieces" },
        h("h2", { id: "pieces" }, "Pieces"),
        h(
          "div",
          { class: "pieces-bar" },
          h(
            "span",
            { "role": "group", "aria-label": "Color by" },
            ["", "outcome"].map((by) =>
              h(
                "button",
                {
                  "class": "tool",
                  "dataset": { id: `by ${by}` },
                  "aria-pressed": String(current.by === by),
                  "onclick": () => state.replace({ by }, true),
                },
                by === "" ? "Time" : "Outcome",
              ),
            ),
          ),
          legend(current.by, start),
        ),
        start.pieces.length === 0 &&
          h(
            "p",
            { class: "dim" },
            "No pieces recorded: the log ends before the first one, or this vLLM compiles the model as a whole.",
          ),
        backends.map((backend, number) =>
          h(
            "div",
            { class: "backend" },
            backends.length > 1 && h("h3", null, backend.prefix ?? `backend ${number}`),
            matrix(start, number, two, state),
          ),
        ),
        nameless(start),
      ),
      piece && pieceDetail(start, piece, two, state),
      findings.length > 0 &&
        h(
          "section",
          { "aria-labelledby": "findings" },
          h("h2", { id: "findings" }, "Findings"),
          h(
            "ul",
            { "class": "findings", "aria-label": "Findings" },
            findings.map((/** @type {any} */ finding) => h("li", null, findingCard(finding))),
          ),
        ),
      startsTable(
        starts,
        one.plain,
        starts.find((/** @type {Start} */ other) => other.log === two?.log) ?? null,
        left,
        state,
      ),
      settings(start, two),
    ),
  );
  main.querySelector(".page")?.scrollTo(0, left0);
  if (again)
    /** @type {HTMLElement | null} */ (main.querySelector(`[data-id="${CSS.escape(again)}"]`))?.focus();
  if (current.piece !== chosen && current.piece !== "")
    main.querySelector(".piece")?.scrollIntoView({ block: "nearest" });
  chosen = current.piece;
}

/** @param {Start} start */
function nameless(start) {
  if (start.pieces.every(({ submodule }) => submodule !== null)) {
    return (
      start.pieces.some(({ namedBy }) => namedBy !== null) &&
      h(
        "p",
        { class: "dim" },
        "Names not recorded in this log. They come from pieces with the same code in a different log.",
      )
    );
  }
  return (
    start.tables.backends.some((backend) => backend.is_loaded) &&
    h(
      "p",
      { class: "dim" },
      "vLLM does not log the names of pieces that it loads precompiled. To see names, build a bundle that includes the log of the start that compiled them: ",
      h("code", null, "tlparse-bundle COLD WARM out/ --open"),
    )
  );
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {import("../lib/bundle/log.js").Log} log */
function nothing(bundle, log) {
  if (isLeftOut(bundle, "vllm"))
    return h("div", { class: "page" }, h("h1", null, "vLLM"), h("p", null, LEFT_OUT));
  return h(
    "div",
    { class: "page" },
    h("h1", null, "No vLLM records in this log"),
    h(
      "p",
      null,
      bundle.logs.length > 1 ? "Choose a different log. " : "",
      "To record vLLM's compiles, set TORCH_TRACE:",
    ),
    h(
      "pre",
      { class: "padded" },
      `TORCH_TRACE=/tmp/trace vllm serve MODEL\ntlparse-bundle /tmp/trace out/ --overwrite --open`,
    ),
    h("p", { class: "dim" }, log.id),
  );
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {import("../lib/bundle/log.js").Log} log @param {Start | null} two */
function header(bundle, log, two) {
  const home = listAddress(),
    kept = /** @type {Record<string, string>} */ (state.current.log ? { log: log.id } : {});
  const away = (
    /** @type {string} */ id,
    /** @type {string} */ title,
    /** @type {Record<string, string>} */ more,
  ) => {
    const href = inViewer(bundle, "default", { ...more, ...kept });
    return href === null ? [] : [{ id, title, icon: id, href }];
  };
  const ranks = bundle.manifest.rank_tables ? inViewer(bundle, "multirank") : null;
  frame.draw({
    name: bundleName(bundle),
    home: home ?? state.link({}),
    homeTitle: home ? "All bundles" : "vLLM",
    here: "vllm",
    groups: [
      { title: "", items: away("overview", "Overview", {}) },
      {
        title: "Time",
        items: [
          ...away("timeline", "Timeline", { view: "timeline" }),
          ...away("caches", "Caches", { view: "caches" }),
        ],
      },
      {
        title: "Code",
        items: [
          ...away("compiles", "Compiles", { view: "compiles" }),
          { id: "vllm", title: "vLLM", icon: "vllm", href: location.href },
        ],
      },
      { title: "Ranks", items: ranks ? [{ id: "ranks", title: "Ranks", icon: "ranks", href: ranks }] : [] },
    ].filter(({ items }) => items.length > 0),
  });
  const items = bundle.logs.map((one) => ({ value: one.id, text: logText(one) }));
  fill(
    frame.where,
    h("span", { class: "viewer-name" }, "vLLM"),
    bundle.logs.length > 1 &&
      picker({
        label: "Log",
        value: log.id,
        items,
        onpick: (id) => state.go(state.patched({ log: id, piece: "", beside: "" })),
      }),
    bundle.logs.length > 1 &&
      picker({
        label: "Compare",
        value: two?.log.id ?? "",
        onpick: (id) => state.go(state.patched({ beside: id })),
        items: [{ value: "", text: "Compare with: none" }, ...items.filter(({ value }) => value !== log.id)],
      }),
  );
}

/** @param {KeyboardEvent} event */
function keys(event) {
  if (typing(event) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") void showHelp();
  else if (event.key === "c") state.replace({ by: state.current.by === "" ? "outcome" : "" }, true);
  else if (event.key === "Escape" && state.current.piece !== "") state.replace({ piece: "" }, true);
  else return;
  event.preventDefault();
}
