// One artifact: its description, equal artifacts and text.
import { artifactsOf, describe } from "../../lib/bundle/artifacts.js";
import { CodePane } from "../../lib/code/pane.js";
import { h } from "../../lib/page/dom.js";
import { fileNameOf } from "../../lib/page/paths.js";
import { bytes } from "../../lib/page/format.js";
import { store, stored } from "../../lib/page/remember.js";
import { numberOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { artifactState } from "../shared/program-line.js";
import { openGraphTable, TABLE_ONLY } from "./graph-table.js";
import { metricsTable } from "./metrics.js";

const WRAP = "tlparse-bundle.wrap";
const MOST_TWINS = 12;

/**
 * @param {import("../frame/viewer.js").Context} context @param {any} model @param {any} artifact @param {AbortSignal} signal
 * @returns {Promise<{element: HTMLElement, find: HTMLElement | null, shown?: () => void, line?: (lines: string) => void}>} line: marks lines
 */
export async function openArtifact(context, model, artifact, signal) {
  const { bundle, log, state } = context;
  const payload = await log.payload(artifact, { signal });
  const head = await artifactHead(bundle, log, model, artifact, state);
  if (payload === null) {
    const [metadata, stacks] = await Promise.all([log.metadata(artifact.event, { signal }), log.stacks()]);
    return withoutPayload(context, artifact, head, metadata, stacks);
  }
  const compile = model.compiles[numberOf(model, artifact)].key;
  const table = artifact.language === "fx" && state.current.pane === "table";
  const tools = artifact.language === "fx" && graphTools(state, table);
  if (table) {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload);
    const opened = await openGraphTable(text, artifact.name, tools, state, signal);
    return { element: h("div", { class: "fill" }, head, opened.element), find: opened.find };
  }
  const pane = payloadPane(payload, artifact.language, artifact.name, { state, compile, tools });
  return {
    element: h("div", { class: "fill" }, head, pane.element),
    find: pane.find,
    shown: () => {
      if (state.current.line) pane.goTo(state.current.line, false);
    },
    line: (lines) => {
      if (lines && lines !== pane.marked) pane.goTo(lines, false);
    },
  };
}

/** Build the switch between text and table. @param {any} state @param {boolean} table */
function graphTools(state, table) {
  const button = (/** @type {string} */ text, /** @type {boolean} */ on, /** @type {string} */ title) =>
    h(
      "button",
      {
        "class": "tool",
        "aria-pressed": String(on),
        title,
        "onclick": () =>
          on || state.go(state.patched({ ...TABLE_ONLY, pane: text === "Table" ? "table" : "" })),
      },
      text,
    );
  return h(
    "span",
    { "role": "group", "aria-label": "Show as" },
    button("Text", !table, "The graph as torch logged it"),
    button("Table", table, "One row per node"),
  );
}

/**
 * @param {Uint8Array} payload @param {string} language @param {string} name
 * @param {{state?: any, compile?: string, tools?: any}} [more] state stores the marked lines
 */
export function payloadPane(payload, language, name, { state, compile, tools } = {}) {
  const pane = new CodePane({
    label: `Text of ${name}`,
    wrap: stored(WRAP) === "1",
    onwrap: (wrap) => store(WRAP, wrap ? "1" : null),
    online: (line) => state?.replace({ line }),
    tools,
  });
  pane.set({
    text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload),
    bytes: payload,
    language,
    fileName: fileNameOf(name, language, compile),
  });
  return pane;
}

/** @param {any} value @param {string} name */
export function jsonPane(value, name) {
  const pane = new CodePane({ label: `JSON of ${name}`, wrap: true });
  pane.set({ text: JSON.stringify(value, null, 2), language: "json", fileName: fileNameOf(name, "json") });
  return pane;
}

/** @param {import("../frame/viewer.js").Context} context @param {any} artifact @param {any} head @param {any} metadata @param {any} stacks */
function withoutPayload({ log, state }, artifact, head, metadata, stacks) {
  if (artifact.type.endsWith("compilation_metrics")) {
    return {
      element: h("div", { class: "fill" }, head, metricsTable(log, artifact.event, state, metadata)),
      find: null,
    };
  }
  const pane = jsonPane(stacks.resolve(metadata), artifact.name);
  const link = artifact.type === "link" ? safeLink(metadata.link) : null;
  return { element: h("div", { class: "fill" }, head, link, pane.element), find: pane.find };
}

/** Link web addresses; show anything else as text. @param {any} link */
function safeLink(link) {
  const url = String(link?.url ?? "");
  const web = /^https?:\/\//i.test(url) && URL.canParse(url);
  return h(
    "p",
    { class: "padded" },
    `${link?.name ?? "link"}: `,
    web ? h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, url) : h("code", null, url),
  );
}

/** @param {any} bundle @param {any} log @param {any} model @param {any} artifact @param {any} state */
async function artifactHead(bundle, log, model, artifact, state) {
  const { title, help } = describe(bundle.manifest, artifact);
  const { rows } = await artifactsOf(log);
  const twins = [];
  if (artifact.sha256 !== null) {
    for (const row of rows)
      if (row.sha256 === artifact.sha256 && row.event !== artifact.event && twins.length <= MOST_TWINS)
        twins.push(row);
  }
  const at = rows.findIndex((row) => row.event === artifact.event);
  const step = async (/** @type {number} */ by, /** @type {string} */ sign, /** @type {string} */ name) => {
    const row = rows[at + by];
    const to = row && (await artifactState(log, model, numberOf(model, row), row.event));
    return to
      ? h(
          "a",
          { "class": "tool", "href": state.link(to), "aria-label": name, "title": `${name}: ${row.name}` },
          sign,
        )
      : h("span", { "class": "tool", "aria-hidden": "true" }, sign);
  };
  const steps = await Promise.all([step(-1, "‹", "Previous artifact"), step(1, "›", "Next artifact")]);
  return h(
    "header",
    { class: "artifact-head" },
    h("h2", null, title),
    title !== artifact.label && h("code", { title: artifact.address }, artifact.label),
    h("span", { class: "dim artifact-about", title: help }, help),
    twins.length > 0 &&
      h(
        "span",
        { class: "twins" },
        h("span", { class: "dim" }, "same text in"),
        twins
          .slice(0, MOST_TWINS)
          .map((twin) => [" ", compileLink(model, numberOf(model, twin), state, { artifact: twin.name })])
          .flat(),
        twins.length > MOST_TWINS && " …",
      ),
    h(
      "a",
      {
        href: state.link({ view: "events", event: String(artifact.event) }),
        title: `Record ${artifact.event}`,
      },
      "record",
    ),
    artifact.sha256 !== null &&
      h("span", { class: "dim", title: `SHA-256 ${artifact.sha256}` }, bytes(artifact.size_bytes)),
    h("a", { href: state.link({ view: "artifacts" }) }, "all artifacts"),
    h("span", { class: "tool-group" }, steps),
  );
}
