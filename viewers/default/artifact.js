// One artifact: what it is, where else it occurs, and its text.
import { h } from "../lib/dom.js";
import { CodePane } from "../lib/code-pane.js";
import { bytes } from "../lib/format.js";
import { store, stored } from "../lib/splitter.js";
import { artifactsOf, describe } from "./model.js";
import { compileLink } from "./parts.js";
import { metricsTable } from "./metrics.js";

const ENDINGS = { fx: "py", python: "py", cpp: "cpp", json: "json", csv: "csv" };
const WRAP = "tlparse-bundle.wrap";
const MOST_TWINS = 12;

/**
 * @param {import("./main.js").Context} context @param {any} model @param {any} artifact @param {AbortSignal} signal
 * @returns {Promise<{element: HTMLElement, find: HTMLElement | null, shown?: () => void}>}
 */
export async function openArtifact(context, model, artifact, signal) {
  const { bundle, log, state } = context;
  const metadata = log.metadata(artifact.event_index, { signal });
  const payload = await log.payload(artifact, { signal });
  const head = await artifactHead(bundle, log, model, artifact, state);
  if (payload === null) return withoutPayload(artifact, head, await metadata, await log.stacks());
  metadata.catch(() => {}); // not needed then
  const pane = payloadPane(payload, artifact.language, artifact.name, state);
  return {
    element: h("div", { class: "fill" }, head, pane.element),
    find: pane.find,
    shown: () => { if (state.current.line) pane.goTo(Number(state.current.line), false); },
  };
}

/** @param {Uint8Array} payload @param {string} language @param {string} name @param {any} [state] notes the marked line */
export function payloadPane(payload, language, name, state) {
  const pane = new CodePane({
    label: `Text of ${name}`, wrap: stored(WRAP) === "1", onwrap: (wrap) => store(WRAP, wrap ? "1" : null),
    online: (line) => state?.replace({ line: String(line) }),
  });
  const ending = ENDINGS[/** @type {"fx"} */ (language)] ?? "txt";
  pane.set({ text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload), bytes: payload, language, fileName: `${name}.${ending}` });
  return pane;
}

/** @param {any} value @param {string} name */
export function jsonPane(value, name) {
  const pane = new CodePane({ label: `JSON of ${name}`, wrap: true });
  pane.set({ text: JSON.stringify(value, null, 2), language: "json", fileName: `${name}.json` });
  return pane;
}

/** @param {any} artifact @param {any} head @param {any} metadata @param {any} stacks */
function withoutPayload(artifact, head, metadata, stacks) {
  if (artifact.type.endsWith("compilation_metrics")) {
    return { element: h("div", { class: "fill" }, head, metricsTable(metadata)), find: null };
  }
  const pane = jsonPane(stacks.resolve(metadata), artifact.name);
  const link = artifact.type === "link" ? safeLink(metadata.link) : null;
  return { element: h("div", { class: "fill" }, head, link, pane.element), find: pane.find };
}

/** Only web addresses become links; anything else stays text. @param {any} link */
function safeLink(link) {
  const url = String(link?.url ?? "");
  const web = /^https?:\/\//i.test(url) && URL.canParse(url);
  return h("p", { class: "padded" }, `${link?.name ?? "link"}: `,
    web ? h("a", { href: url, rel: "noopener noreferrer", target: "_blank" }, url) : h("code", null, url));
}

/** @param {any} bundle @param {any} log @param {any} model @param {any} artifact @param {any} state */
async function artifactHead(bundle, log, model, artifact, state) {
  const { title, help } = describe(bundle.manifest, artifact);
  const { table } = await artifactsOf(log);
  const twins = [];
  if (artifact.hash !== null) {
    const { hash } = table.columns;
    for (let i = 0; i < table.length && twins.length <= MOST_TWINS; i++) if (hash[i] === artifact.hash && i !== artifact.row) twins.push(table.row(i));
  }
  return h("header", { class: "artifact-head" },
    h("h2", null, title), title !== artifact.address && h("code", null, artifact.address), help && h("span", { class: "dim" }, help),
    h("span", { class: "spring" }),
    twins.length > 0 && h("span", { class: "twins" }, h("span", { class: "dim" }, "same text in"), twins.slice(0, MOST_TWINS).map((twin) =>
      [" ", compileLink(model, twin.compile_index, state, { artifact: twin.name })]).flat(), twins.length > MOST_TWINS && " …"),
    h("a", { href: state.link({ view: "events", event: String(artifact.event_index) }), title: `Record ${artifact.event_index}` }, "record"),
    artifact.hash !== null && h("span", { class: "dim", title: `SHA-256 ${artifact.hash}…` }, bytes(artifact.size_bytes)));
}
