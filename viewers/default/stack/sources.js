// Frames of generated code ('<eval_with_key>.5') lead to the source that torch dumped for them.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { h } from "../../lib/page/dom.js";
import { idText } from "../shared/model.js";

/**
 * A link to the source of a generated file, or null when the log does not have it. Names come again: what counts is
 * the newest dump before the compile that is looked at.
 * @param {import("../frame/viewer.js").Context} context @param {any} model @param {import("../../lib/bundle/stacks.js").Frame} frame
 * @param {number | undefined} compile row of a compile with that frame
 */
export async function sourceLink({ log, state }, model, frame, compile) {
  const sources = await log.table("sources");
  const dumps = (sources?.dump_files ?? []).filter((/** @type {any} */ dump) => dump.name === frame.file);
  const until = compile === undefined ? Infinity : model.compiles[compile].first_event_index;
  const dump = dumps.findLast((/** @type {any} */ d) => d.event_index < until) ?? dumps[0];
  if (!dump) return null;
  const artifact = (await compileArtifacts(log, dump.compile_index)).find((a) => a.event === dump.event_index);
  if (!artifact) return null;
  const key = model.compiles[dump.compile_index].key;
  return h("a", { href: state.link({ view: "compile", compile: key, artifact: artifact.address, line: String(frame.line) }) },
    `Source of ${frame.file}, line ${frame.line}`, h("span", { class: "dim" }, ` dumped by ${idText(model.compiles[dump.compile_index])}`));
}
