// One compile: a list of phases with their artifacts, and the selected artifact.
import { labelled } from "../../lib/bundle/artifact-names.js";
import { byPhase, compileArtifacts, describe, moreArtifacts } from "../../lib/bundle/artifacts.js";
import { frameText } from "../../lib/bundle/stacks.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count } from "../../lib/page/format.js";
import { loader } from "../../lib/page/load.js";
import { split } from "../../lib/page/splitter.js";
import { statusBadge } from "../../lib/page/figures.js";
import { placeLink } from "../../lib/page/place-link.js";
import { openArtifact } from "../artifact/artifact.js";
import { metricsTable } from "../artifact/metrics.js";
import { formatSide, previousOfFrame } from "../compare/sides.js";
import { functionName, idText, modelOf, placeOf } from "../shared/model.js";
import { provenanceLink } from "../shared/finding-leads.js";
import { compilePage } from "./page.js";

// Pages of the compile that are not artifacts; '~' does not occur in artifact addresses made by torch.
const SUMMARY = "",
  STACK = "~stack",
  METRICS = "~metrics";

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openCompile(context) {
  const { bundle, state } = context;
  let { log } = context;
  let model = await modelOf(log);
  const head = h("header", { class: "compile-head" });
  const rail = h("nav", { "class": "pane rail", "aria-label": "Artifacts", "onkeydown": railKey });
  const body = h("section", { "class": "pane artifact", "aria-label": "Artifact" });
  const load = loader(body);
  /** @type {import("../frame/viewer.js").View & {pane?: any}} */
  const view = {
    element: h(
      "div",
      { class: "fill" },
      head,
      split("compile", rail, body, { label: "List width", size: "300px" }),
    ),
    title: "Compile",
  };
  let railOf = "",
    railShown = "";
  let shown = "";
  let find = /** @type {HTMLElement | null} */ (null);
  let line = /** @type {((lines: string) => void) | undefined} */ (undefined);

  const step = (/** @type {number} */ by) => {
    const next = neighbour(model, model.byKey.get(state.current.compile) ?? -1, by);
    if (next) state.go(state.patched({ compile: next.key, line: "" }));
  };

  const show = async (/** @type {any} */ current) => {
    const index = model.byKey.get(current.compile);
    const compile = index === undefined ? null : model.compiles[index];
    if (!compile || index === undefined) {
      view.title = "Compile";
      fill(
        head,
        h(
          "h1",
          null,
          current.compile ? `No compile ${current.compile} in this log` : "No compile in the address",
        ),
      );
      fill(rail);
      fill(
        body,
        h(
          "p",
          null,
          "Compile ids can differ between logs. ",
          h("a", { href: state.link({ view: "compiles" }) }, "All compiles of this log"),
        ),
      );
      railOf = shown = "";
      return;
    }
    view.title = `${idText(compile)} ${functionName(compile)}`;
    const place = JSON.stringify([current.compile, current.artifact, current.pane]);
    if (place === shown) return line?.(current.line);
    shown = place;
    fill(head, heading(model, compile, index, step, state));
    const artifacts = await labelled(log, await compileArtifacts(log, compile));
    if (place !== shown) return;
    if (railOf !== current.compile || !rail.querySelector("[aria-current]")) drawRail(compile, artifacts);
    railOf = current.compile;
    railShown = JSON.stringify(artifacts);
    markRail(current.artifact);
    await showBody(current, compile, index, artifacts);
  };

  /** @param {any} compile @param {any[]} artifacts */
  const drawRail = (compile, artifacts) => {
    const link = (
      /** @type {string} */ artifact,
      /** @type {any} */ text,
      /** @type {any} */ more,
      /** @type {string} */ title,
    ) =>
      h(
        "a",
        {
          href: state.link({ view: "compile", compile: compile.key, artifact }),
          dataset: { artifact },
          title,
        },
        text,
        more,
      );
    fill(
      rail,
      h(
        "ul",
        null,
        h("li", null, link(SUMMARY, "Summary", null, "Status, times, findings and artifacts")),
        compile.stack !== null &&
          h("li", null, link(STACK, "Stack", null, "Callers of the compiled function")),
        compile.metrics_event !== null &&
          h("li", null, link(METRICS, "Metrics", null, "All fields of the compilation metrics")),
        h("li", null, provenanceLink(log, compile, artifacts, state)),
      ),
      moreArtifacts(compile, artifacts) && h("p", { class: "note" }, moreArtifacts(compile, artifacts)),
      byPhase(bundle.manifest, artifacts)
        .map((phase) => [
          h("h2", { title: phase.help }, phase.title),
          h(
            "ul",
            null,
            phase.artifacts.map((/** @type {any} */ artifact) =>
              h(
                "li",
                null,
                link(
                  artifact.address,
                  artifact.label,
                  h(
                    "span",
                    { class: "dim size" },
                    artifact.sha256 === null ? "" : bytes(artifact.size_bytes),
                  ),
                  describe(bundle.manifest, artifact).help,
                ),
              ),
            ),
          ),
        ])
        .flat(),
    );
  };

  /** @param {string} artifact @param {boolean} [reveal] */
  const markRail = (artifact, reveal = true) => {
    const links = /** @type {HTMLElement[]} */ ([...rail.querySelectorAll("a")]);
    const current = links.find((a) => a.dataset.artifact === artifact) ?? links[0];
    for (const a of links) {
      if (a === current) a.setAttribute("aria-current", "true");
      else a.removeAttribute("aria-current");
      a.tabIndex = a === current ? 0 : -1;
    }
    if (reveal) current?.scrollIntoView({ block: "nearest" });
  };

  /** @param {any} current @param {any} compile @param {number} index @param {any[]} artifacts */
  const showBody = (current, compile, index, artifacts) => {
    find = null;
    line = undefined;
    const wanted = current.artifact;
    if (wanted === STACK && compile.stack !== null) {
      return load(
        "the stack",
        () => log.stacks(),
        (stacks) => fill(body, stackList(stacks.stack(compile.stack))),
      );
    }
    if (wanted === METRICS && compile.metrics_event !== null) {
      return load(
        "the metrics",
        (signal) => log.metadata(compile.metrics_event, { signal }),
        (metadata) => fill(body, metricsTable(log, compile.metrics_event, state, metadata)),
      );
    }
    const artifact = artifacts.find((a) => a.address === wanted);
    if (artifact) {
      const label = `${artifact.label}${artifact.sha256 === null ? "" : ` (${bytes(artifact.size_bytes)})`}`;
      return load(
        label,
        (signal) => openArtifact(context, model, artifact, signal),
        (opened) => {
          find = opened.find;
          line = opened.line;
          fill(body, opened.element);
          opened.shown?.();
        },
      );
    }
    const note =
      wanted && h("p", { class: "note" }, `${idText(compile)} has no ${wanted}. This is its summary.`);
    return load(
      "the summary",
      async () => null,
      () =>
        fill(
          body,
          h(
            "div",
            { "class": "scroll padded", "tabindex": "0", "role": "region", "aria-label": "Summary" },
            note,
            compilePage(context, model, index),
          ),
        ),
    );
  };

  view.update = (current) =>
    void show(current).catch((error) =>
      load(
        "the compile",
        () => Promise.reject(error),
        () => {},
      ),
    );
  // While the log grows, a finished compile does not change; the list of a running one grows, and open items stay open.
  view.grown = async (newer) => {
    const known = await modelOf(newer.log),
      index = known.byKey.get(state.current.compile) ?? -1;
    const artifacts =
      index < 0 ? [] : await labelled(newer.log, await compileArtifacts(newer.log, known.compiles[index]));
    const before = model.compiles[model.byKey.get(state.current.compile) ?? -1],
      now = known.compiles[index];
    const same = JSON.stringify(before) === JSON.stringify(now),
      grew = railShown !== JSON.stringify(artifacts),
      wanted = state.current.artifact;
    return () => {
      context = newer;
      log = newer.log;
      model = known;
      if (!now || !before) return void ((same && !now) || ((shown = ""), show(state.current)));
      fill(head, heading(model, now, index, step, state));
      view.title = `${idText(now)} ${functionName(now)}`;
      if (grew) {
        drawRail(now, artifacts);
        railShown = JSON.stringify(artifacts);
        markRail(wanted, false);
      }
      const open = artifacts.some((/** @type {any} */ { address }) => address === wanted);
      if ((!same || grew) && !open && wanted !== STACK) void showBody(state.current, now, index, artifacts);
    };
  };
  view.search = () => find;
  view.key = (event) => {
    if (event.key !== "[" && event.key !== "]") return false;
    step(event.key === "]" ? 1 : -1);
    return true;
  };
  return view;
}

/** @param {any} model @param {number} index @param {number} by */
const neighbour = (model, index, by) => model.compiles[model.order[model.order.indexOf(index) + by]];

/** @param {any} model @param {any} compile @param {number} index @param {(by: number) => void} step @param {any} state */
function heading(model, compile, index, step, state) {
  const before = previousOfFrame(model, index);
  const right = formatSide({ model, index });
  const button = (
    /** @type {string} */ sign,
    /** @type {string} */ name,
    /** @type {string} */ key,
    /** @type {number} */ by,
  ) =>
    h(
      "button",
      {
        "class": "tool",
        "aria-label": name,
        "title": `${name} (${key})`,
        "disabled": !neighbour(model, index, by),
        "onclick": () => step(by),
      },
      sign,
    );
  const ids = [...new Set(model.order.map((/** @type {number} */ i) => model.compiles[i].compile))].filter(
    (id) => id !== null,
  );
  return [
    h("h1", null, h("span", { class: "mono" }, idText(compile)), " ", functionName(compile)),
    statusBadge(compile.status),
    placeLink(compile.file, compile.line, placeOf(model, compile)),
    h("span", { class: "spring" }),
    before < 0
      ? h("a", { href: state.link({ view: "compare", right }) }, "Compare with …")
      : h(
          "a",
          {
            href: state.link({ view: "compare", left: formatSide({ model, index: before }), right }),
            title: "Compare with the previous compile of this function",
          },
          `Compare with ${idText(model.compiles[before])}`,
        ),
    compile.id !== null &&
      h("span", { class: "dim" }, `${ids.indexOf(compile.compile) + 1} of ${count(ids.length)}`),
    button("‹", "Previous compile", "[", -1),
    button("›", "Next compile", "]", 1),
  ];
}

const MOST_FRAMES = 2_000;

/** @param {import("../../lib/bundle/stacks.js").Frame[]} frames */
function stackList(frames) {
  return h(
    "div",
    { "class": "scroll padded", "tabindex": "0", "role": "region", "aria-label": "Stack" },
    h("p", { class: "dim" }, "Outermost caller first. The last frame is the compiled function."),
    frames.length > MOST_FRAMES &&
      h("p", { class: "note" }, `The innermost ${count(MOST_FRAMES)} of ${count(frames.length)} frames.`),
    h(
      "ol",
      { class: "frames" },
      frames
        .slice(-MOST_FRAMES)
        .map((frame) =>
          h(
            "li",
            { title: frameText(frame) },
            h("div", null, h("b", null, frame.function), " ", placeLink(frame.file, frame.line)),
            frame.code && h("code", null, frame.code),
          ),
        ),
    ),
  );
}

/** Move in the list with ↑ ↓ Home End; it is one tab stop. @param {KeyboardEvent} event */
function railKey(event) {
  const rail = /** @type {HTMLElement} */ (event.currentTarget);
  const links = [...rail.querySelectorAll("a")];
  const at = links.indexOf(/** @type {any} */ (document.activeElement));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined || at < 0) return;
  event.preventDefault();
  links[Math.max(0, Math.min(links.length - 1, next))].focus();
}
