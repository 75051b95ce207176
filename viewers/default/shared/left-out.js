// The page of a view whose table a redacted bundle does not have.
import { emptyPage } from "../../lib/list/list-detail.js";
import { isLeftOut, LEFT_OUT } from "../../lib/page/left-out.js";

/** What a view cannot do without, and what that is called. @type {Record<string, [part: string, title: string]>} */
const NEEDS = {
  failures: ["failures", "Failures"],
  breaks: ["graph_breaks", "Graph breaks"],
  recompiles: ["recompiles", "Recompiles"],
  guards: ["guards", "Guards"],
  export: ["export", "Export"],
  timeline: ["timeline", "Timeline"],
  caches: ["caches", "Cache records"],
  kernels: ["kernels", "Kernels"],
  symbols: ["symbols", "Symbols"],
  tensors: ["tensors", "Tensors"],
  anatomy: ["anatomy", "Log anatomy"],
};

/** Null when the bundle has what the view needs. @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {string} view */
export function leftOutPage(bundle, view) {
  const [part, title] = Object.hasOwn(NEEDS, view) ? NEEDS[view] : ["", ""];
  return isLeftOut(bundle, part) ? emptyPage(title, LEFT_OUT) : null;
}
