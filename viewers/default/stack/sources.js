// Links from frames of generated code ('<eval_with_key>.5') to the source that torch dumped.
import { compileArtifacts } from "../../lib/bundle/artifacts.js";
import { h } from "../../lib/page/dom.js";
import { idText, numberOf } from "../shared/model.js";

/**
 * Return a link to the source of a generated file, or null when it is not recorded. File names repeat, so the link
 * leads to the last dump before the compile.
 * @param {import("../frame/viewer.js").Context} context @param {any} model @param {import("../../lib/bundle/stacks.js").Frame} frame
 * @param {number | undefined} compile row of a compile with that frame
 */
export async function sourceLink({ log, state }, model, frame, compile) {
  const sources = await log.table("sources");
  const dumps = (sources ?? []).filter(
    (/** @type {any} */ source) => source.kind === "dump_file" && source.name === frame.file,
  );
  const until = compile === undefined ? Infinity : model.compiles[compile].first_event;
  const dump = dumps.findLast((/** @type {any} */ d) => d.event < until) ?? dumps[0];
  if (!dump) return null;
  const number = numberOf(model, dump);
  const artifact = (await compileArtifacts(log, dump)).find((a) => a.event === dump.event);
  if (!artifact) return null;
  const key = model.compiles[number].key;
  return h(
    "a",
    {
      href: state.link({
        view: "compile",
        compile: key,
        artifact: artifact.address,
        line: String(frame.line),
      }),
    },
    `Source of ${frame.file}, line ${frame.line}`,
    h("span", { class: "dim" }, `, dumped by ${idText(model.compiles[number])}`),
  );
}
