// The list of jumps: one item per run, with a link to the comparison.
import { h, rich } from "../lib/page/dom.js";
import { plural } from "../lib/page/format.js";
import { sign, tone } from "./chart.js";
import { began, compareAddress, runAddress } from "./data.js";

/** @typedef {import("./data.js").Trend} Trend @typedef {import("./data.js").Jump} Jump */

/** @param {Trend} trend @param {Jump[]} jumps */
export const jumpList = (trend, jumps) =>
  h(
    "ol",
    { class: "jumps" },
    jumps.map((jump) => h("li", null, item(trend, jump))),
  );

/** @param {import("./data.js").Run} run */
const versions = (run) => run.torch_versions.join(", ") || "unknown";

/** @param {Trend} trend @param {Jump} jump */
function item(trend, jump) {
  const { changes } = jump,
    run = trend.runs[jump.run_index],
    base = trend.runs[jump.base_run_index];
  const all = changes.some(({ is_worse }) => is_worse)
    ? true
    : changes.every(({ is_worse }) => is_worse === false)
      ? false
      : null;
  const address = runAddress(run),
    compare = compareAddress(trend, jump);
  return [
    h(
      "h3",
      null,
      h("span", { "class": `sign ${tone(all)}`, "aria-hidden": "true" }, sign(changes[0])),
      h(
        "span",
        { class: "visually-hidden" },
        { worse: "worse: ", better: "better: ", neutral: "" }[tone(all)],
      ),
      rich(jump.text),
    ),
    h("p", { class: "dim" }, changes.map(({ text }) => text).join(", ")),
    h(
      "p",
      null,
      jump.confirmed
        ? "at "
        : `${jump.run_count === 1 ? "in the last run only, possibly an outlier" : `in the last ${plural(jump.run_count, "run")}, too few to confirm`}: `,
      began(run),
      " UTC, ",
      address ? h("a", { href: address }, run.name) : run.name,
      run.commit && [", commit ", h("code", null, run.commit)],
      versions(base) !== versions(run) && `, torch ${versions(base)} → ${versions(run)}`,
    ),
    h(
      "p",
      null,
      compare
        ? h("a", { href: compare }, `Compare with the previous run, ${base.name}`)
        : h("code", null, `tlparse-bundle compare ${base.name} ${run.name}`),
    ),
  ];
}
