// The list of what a server or a site has: bundles, and the viewers to look at them with.
import { rich } from "../lib/finding/rich.js";
import { fill, h } from "../lib/page/dom.js";
import { count, plural, time } from "../lib/page/format.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { statusInfo } from "../lib/page/status.js";

/** @typedef {{name: string, url: string, problem?: string, log_count: number, ranks: number[], torch_versions: string[], compile_count: number, compile_time_us: number | null, statuses: Record<string, number>, text?: string}} BundleRow */
/** @typedef {{name: string, url: string, title: string, description: string}} ViewerRow */

const LIST = new URL("../../bundles.json", location.href); // its addresses are relative to itself
const main = h("main", null, h("p", { class: "loading", role: "status" }, "Loading the list …"));
fill(document.body, main);

/** @param {{bundles: BundleRow[], viewers: ViewerRow[]}} list */
function show({ bundles, viewers }) {
  const head = ["Bundle", "Logs", "Compiles", "Compile time", "Summary", "torch", "Look at it with"];
  const number = [1, 2, 3], extra = [1, 3, 5];
  const kind = (/** @type {number} */ i) => [number.includes(i) && "number", extra.includes(i) && "extra"].filter(Boolean).join(" ") || null;
  const cells = (/** @type {BundleRow} */ row) => row.problem
    ? [h("td", { colspan: head.length - 1 }, row.problem)]
    : [logs(row), count(row.compile_count), time(row.compile_time_us), row.text === undefined ? outcome(row.statuses) : rich(row.text), row.torch_versions.join(", "), links(row, viewers)]
        .map((value, i) => h("td", { class: kind(i + 1) ?? (i === 5 ? "viewer-links" : null) }, value));
  fill(main, h("h1", null, bundles.length === 0 ? "No bundles yet" : plural(bundles.length, "bundle")),
    bundles.length === 0
      ? h("p", null, "They appear here when they are built: ", h("code", null, "tlparse-bundle /tmp/trace OUT"), ". Then reload this page.")
      : h("table", { class: "bundles" }, h("thead", null, h("tr", null, head.map((text, i) => h("th", { scope: "col", class: kind(i) }, text)))),
          h("tbody", null, bundles.map((row) => h("tr", null, h("th", { scope: "row" }, row.problem ? row.name : link(row, viewers[0], row.name)), cells(row))))),
    h("h2", null, "Viewers"),
    h("dl", null, viewers.map((viewer) => [h("dt", null, viewer.name), h("dd", null, viewer.description || viewer.title)])));
}

/** @param {BundleRow} row */
const logs = ({ log_count, ranks }) => (ranks.length > 1 ? `${count(log_count)} (${plural(ranks.length, "rank")})` : count(log_count));

/** "12 ok, 1 failed", for bundles without a summary. @param {Record<string, number>} statuses */
const outcome = (statuses) => Object.entries(statuses).map(([status, n]) => `${count(n)} ${statusInfo(status).word}`).join(", ");

/** @param {BundleRow} row @param {ViewerRow[]} viewers */
const links = (row, viewers) => viewers.map((viewer) => link(row, viewer, viewer.name));

/** @param {BundleRow} row @param {ViewerRow} viewer @param {string} text */
function link(row, viewer, text) {
  const url = new URL(viewer.url, LIST);
  url.searchParams.set("bundle", new URL(row.url, LIST).pathname);
  return h("a", { href: url.href }, text);
}

watchErrors();
try {
  const response = await fetch(LIST);
  if (!response.ok) throw new Error(`Asked for ${LIST.href}: the server answered ${response.status}. Run 'tlparse-bundle serve' or 'tlparse-bundle site' again.`);
  show(await response.json());
} catch (error) {
  fill(main, h("h1", null, "Bundles"), errorBox(error, () => location.reload()));
}
