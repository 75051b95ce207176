// Pages for views whose table a redacted bundle doesn't include.
import { emptyPage } from "../../lib/list/list-detail.js";
import { isLeftOut, LEFT_OUT } from "../../lib/page/left-out.js";

/** The part of a bundle that a view needs, and the title of its page. @type {Record<string, [part: string, title: string]>} */
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

/** Return the page that replaces a view, or null when the bundle has the part that the view needs. @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {string} view */
export function leftOutPage(bundle, view) {
  const [part, title] = Object.hasOwn(NEEDS, view) ? NEEDS[view] : ["", ""];
  return isLeftOut(bundle, part) ? emptyPage(title, LEFT_OUT) : null;
}
