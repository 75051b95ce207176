// The data of a comparison of two compiles: artifacts, numbers, and the history of a frame.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { bytes, count, time } from "../../lib/page/format.js";
import { statusInfo } from "../../lib/page/figures.js";
import { IN_METRICS } from "../shared/guard-counts.js";
import { functionName, idText, placeOf } from "../shared/model.js";

/** @typedef {import("../shared/model.js").Model} Model */
/** @typedef {{model: Model, index: number}} Side a compile of a log */

/** @param {Side} side @returns {[string, string][]} */
export function numbers({ model, index }) {
  const c = model.compiles[index];
  return [
    ["Function", functionName(c)],
    ["Location", placeOf(model, c)],
    ["Status", statusInfo(c.status).word],
    ["Recompile reason", c.recompile_reason ?? "–"],
    ["Failure", c.failure_type === null ? "–" : `${c.failure_type}: ${c.failure_reason ?? "no message"}`],
    ["Restart reasons", c.restart_reasons.join("\n") || "–"],
    ["Compile time", time(c.total_us)],
    ["Dynamo", time(c.dynamo_us)],
    ["AOTAutograd", time(c.aot_us)],
    ["Inductor", time(c.inductor_us)],
    ["Ops", count(c.graph_op_count)],
    ["Nodes", count(c.graph_node_count)],
    ["Inputs", count(c.graph_input_count)],
    [IN_METRICS, count(c.guard_count)],
    ["Graph breaks", count(c.graph_break_count)],
    ["Artifacts", count(c.artifact_count)],
    ["Records", `${count(c.event_count)} records, ${bytes(c.size_bytes)}`],
  ];
}

/** Return the last attempts of all compiles of the same function. @param {Model} model @param {number} index @returns {number[]} */
export function frameHistory(model, index) {
  const compile = model.compiles[index];
  if (compile.id === null) return [];
  const same = (/** @type {any} */ c) =>
    c.id !== null &&
    (c.file === null
      ? c.frame_id === compile.frame_id &&
        c.compiled_autograd_id === compile.compiled_autograd_id &&
        c.occurrence === compile.occurrence
      : c.file === compile.file && c.line === compile.line && c.function === compile.function);
  return model.frames.filter(({ last }) => same(last)).map(({ rows }) => rows[rows.length - 1]);
}

/** Return the previous compile of the same function; -1 for the first. @param {Model} model @param {number} index */
export function previousOfFrame(model, index) {
  const key = model.compiles[index].compile;
  const history = frameHistory(model, index);
  const at = history.findIndex((i) => model.compiles[i].compile === key);
  return at > 0 ? history[at - 1] : -1;
}

/** Return "L_x_ f32[4, 2]" for each input of the Dynamo graph. @param {string} graph */
export function inputsOf(graph) {
  const head = /def forward\(([^]*?)\)\s*(?:->[^:]*)?:\s*$/m.exec(graph)?.[1] ?? "";
  return [...head.matchAll(/(\w+)\s*:\s*"([^"]*)"/g)].map(
    ([, name, type]) => `${name} ${type.replace(/\](?:\[[^\]]*\])?\w*$/, "]")}`,
  );
}

/** Return the Dynamo graph of a compile, if there is one. @param {Side} side */
export async function dynamoGraph({ model, index }) {
  const artifacts = await compileArtifacts(model.log, model.compiles[index]);
  return artifacts.filter((artifact) => artifact.name === "dynamo_output_graph").pop() ?? null;
}

/** LOG/KEY: log ids have no slash, keys do. @param {string} text */
export function parseSide(text) {
  const slash = text.indexOf("/");
  return slash < 0 ? { log: "", key: text } : { log: text.slice(0, slash), key: text.slice(slash + 1) };
}

/** @param {Side} side */
export const formatSide = ({ model, index }) => `${model.log.id}/${model.compiles[index].key}`;

/** @param {Side} side @param {boolean} withLog */
export const sideText = ({ model, index }, withLog) =>
  `${withLog ? `${model.log.id} ` : ""}${idText(model.compiles[index])}`;
