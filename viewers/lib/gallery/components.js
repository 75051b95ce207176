// A gallery of all shared components in light and dark, with a bundle's data. For viewer authors.
import { CodePane } from "../code/pane.js";
import { tracebackView } from "../code/traceback.js";
import { findingCard } from "../finding/card.js";
import { fill, h, rich, searchField } from "../page/dom.js";
import { ICONS, Frame, icon } from "../frame/frame.js";
import { Grid } from "../list/grid.js";
import { table } from "../list/table.js";
import { cutMiddle } from "../page/cut-middle.js";
import { bytes, count, time } from "../page/format.js";
import { HashState } from "../page/hash-state.js";
import { errorBox } from "../page/load.js";
import { openPageBundle } from "../page/open-bundle.js";
import { bundleName, stopped } from "../page/page.js";
import { picker } from "../page/picker.js";
import { STATUSES, shareBar, shares, statusBadge, tile } from "../page/figures.js";
import { shareButton } from "../page/share.js";
import { themeButton } from "../page/remember.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */

const COLORS = [
  "bg",
  "bg-2",
  "bg-3",
  "line",
  "text",
  "dim",
  "accent",
  "accent-bg",
  "ok",
  "break",
  "error",
  "missing",
  "recompile",
  "found",
  "found-now",
  "dynamo",
  "aot",
  "inductor",
  "backward",
];
const SIZES = [
  "12 px: code, notes, axes",
  "13 px: text, lists, buttons",
  "15 px: titles of cards and sections",
  "20 px: page headlines",
  "28 px: key numbers",
];
const THEMES = ["light", "dark"];
const TRACEBACK =
  'Traceback (most recent call last):\n  File "/opt/venv/lib/python3.11/site-packages/torch/_dynamo/convert_frame.py", line 2102, in _compile\n    guarded_code = compile_inner(code)\n  File "/home/user/project/model.py", line 28, in forward\n    return x @ y\nRuntimeError: size mismatch';

/** @param {Bundle} bundle */
async function show(bundle) {
  const [log] = bundle.logs;
  if (!log) throw new Error("This bundle has no logs. Open a different one.");
  const [compiles, found, artifacts] = await Promise.all([log.compiles(), log.findings(), log.artifacts()]);
  const code = artifacts.find(
    (row) => (row.sha256 !== null && row.language === "python") || row.language === "fx",
  );
  const text = code ? await log.text(code) : "";
  const data = {
    bundle,
    log,
    compiles,
    findings: found ?? [],
    text: text ?? "",
    language: code?.language ?? "python",
  };
  fill(
    document.body,
    h(
      "main",
      { class: "gallery", id: "main", tabindex: "-1" },
      h("h1", null, "Components"),
      h(
        "p",
        null,
        "The shared components of the viewers, with data from ",
        h("b", null, bundleName(bundle)),
        ". Tokens are in ",
        h("code", null, "page/tokens.css"),
        ".",
      ),
      PARTS.map(([title, module, make]) => [
        h("h2", null, title, " ", h("code", { class: "dim" }, module)),
        h(
          "div",
          { class: "sample-row" },
          THEMES.map((theme) =>
            h(
              "section",
              { "class": `sample theme-${theme}`, "aria-label": `${title}, ${theme}` },
              sample(make, { ...data, theme }),
            ),
          ),
        ),
      ]),
    ),
  );
}

/**
 * Build a part; an error in it does not affect the others.
 * @param {(data: any) => any} make @param {any} data
 */
function sample(make, data) {
  try {
    return make(data);
  } catch (error) {
    return errorBox(error);
  }
}

/** Title, module, builder. @type {[string, string, (data: any) => any][]} */
const PARTS = [
  [
    "Colors",
    "page/tokens.css",
    () =>
      h(
        "div",
        { class: "swatches" },
        COLORS.map((name) => h("span", null, h("i", { style: { "--color": `var(--${name})` } }), name)),
      ),
  ],
  [
    "Sizes",
    "page/tokens.css",
    () =>
      h(
        "div",
        { class: "sizes" },
        SIZES.map((words, i) => h("p", { class: `size-${i + 1}` }, words)),
      ),
  ],
  [
    "Views",
    "frame/frame.js",
    ({ bundle, theme }) => {
      const frame = new Frame(h("main"), new HashState({}, []));
      frame.draw({
        name: bundleName(bundle),
        home: "#",
        homeTitle: "All bundles",
        here: "compiles",
        groups: [
          { title: "", items: [{ id: "overview", title: "Overview", icon: "overview", href: "#" }] },
          {
            title: "Problems",
            items: [
              { id: "failures", title: "Failures", icon: "failures", href: "#", count: 1, tone: "error" },
              { id: "breaks", title: "Breaks", icon: "breaks", href: "#", count: 3, tone: "warning" },
            ],
          },
          {
            title: "Code",
            items: [{ id: "compiles", title: "Compiles", icon: "compiles", href: "#", count: 33 }],
          },
        ],
      });
      frame.side.classList.remove("slim");
      frame.side.removeAttribute("id");
      frame.side.setAttribute("aria-label", `Views, ${theme}`);
      return frame.side;
    },
  ],
  [
    "Signs",
    "frame/frame.js",
    () =>
      h(
        "div",
        { class: "inline" },
        ICONS.map((name) => h("span", { title: name }, icon(name))),
      ),
  ],
  [
    "Buttons and fields",
    "page/",
    ({ bundle }) =>
      h(
        "div",
        { class: "inline" },
        h("button", { class: "tool" }, "Button"),
        h("button", { "class": "tool", "aria-pressed": "true" }, "Pressed"),
        h("button", { class: "tool", disabled: true }, "Disabled"),
        searchField("Filter", "Filter", () => {}),
        picker({
          label: "Rank",
          items: Array.from({ length: 64 }, (_, i) => ({ value: String(i), text: `rank ${i}` })),
          value: "3",
          onpick: () => {},
        }),
        shareButton({ bundle, viewer: "default" }),
        themeButton(),
      ),
  ],
  [
    "Statuses",
    "page/figures.js",
    () => h("div", { class: "inline" }, [...Object.keys(STATUSES), null].map(statusBadge)),
  ],
  [
    "Key numbers",
    "page/figures.js",
    ({ log }) =>
      h(
        "ul",
        { class: "tiles" },
        h(
          "li",
          { class: "tile-wide" },
          tile({
            number: time(log.summary.summary.compile_us),
            noun: "compile time",
            href: "#",
            note: "total",
            more: shares(
              [
                { id: "dynamo", title: "Dynamo", us: 20 },
                { id: "aot", title: "AOTAutograd", us: 15 },
                { id: "inductor", title: "Inductor", us: 60 },
              ],
              "in the metrics",
            ),
          }),
        ),
        h("li", null, tile({ number: "1", noun: "failure", tone: "error", href: "#", note: "Unsupported" })),
        h(
          "li",
          null,
          tile({ number: "24", noun: "recompiles", tone: "recompile", href: "#", note: "12 causes, 41 s" }),
        ),
        h("li", null, tile({ number: "3", noun: "breaks", tone: "break", href: "#", note: "at 1 place" })),
        h("li", null, tile({ number: "0", noun: "breaks", tone: "break", href: "#", note: "none recorded" })),
      ),
  ],
  [
    "Shares",
    "page/figures.js",
    () =>
      h(
        "div",
        { class: "inline" },
        [0, 0.4, 12, 74, 100].map((part) => shareBar(part, 100)),
      ),
  ],
  [
    "Findings",
    "finding/card.js",
    ({ findings }) =>
      findings.length
        ? findings.slice(0, 2).map((/** @type {any} */ finding) => findingCard(finding))
        : h("p", { class: "dim" }, rich("No findings in this log.")),
  ],
  [
    "Shortened names",
    "page/cut-middle.js",
    () =>
      h(
        "div",
        { style: { width: "12rem" } },
        ["scenarios/s05_failures_of_many_kinds.py:118", "triton_poi_fused_add_mul_relu_sigmoid_17"].map(
          (name) => h("div", null, cutMiddle(name)),
        ),
      ),
  ],
  [
    "Tables",
    "list/grid.js",
    ({ compiles }) => {
      const grid = new Grid({
        label: "Compiles",
        name: (i) => compiles[i].key,
        columns: [
          { id: "id", title: "Id", class: "mono", cell: (i) => compiles[i].key, sort: (i) => i },
          {
            id: "function",
            title: "Function",
            least: "6rem",
            cell: (i) => cutMiddle(compiles[i].function ?? "–"),
            sort: (i) => compiles[i].function,
          },
          { id: "status", title: "Status", cell: (i) => statusBadge(compiles[i].status) },
          {
            id: "size",
            title: "Size",
            number: true,
            cell: (i) => bytes(compiles[i].size_bytes),
            sort: (i) => compiles[i].size_bytes,
          },
        ],
      });
      grid.show(
        compiles.map((/** @type {any} */ _, /** @type {number} */ i) => i),
        0,
      );
      return [h("p", { class: "dim" }, `${count(compiles.length)} rows`), grid.element];
    },
  ],
  [
    "Small tables",
    "list/table.js",
    ({ compiles }) =>
      table(
        [
          { title: "Id", cell: ({ key }) => key, sort: ({ first_event: first }) => first },
          { title: "Function", cell: (row) => row.function ?? "–", sort: (row) => row.function },
          {
            title: "Size",
            number: true,
            cell: ({ size_bytes: size }) => bytes(size),
            sort: ({ size_bytes: size }) => size,
          },
        ],
        compiles.slice(0, 4),
      ),
  ],
  ["Tracebacks", "code/traceback.js", () => tracebackView(TRACEBACK)],
  [
    "Code",
    "code/pane.js",
    ({ text, language, theme }) => {
      const pane = new CodePane({ label: `Python, ${theme}` });
      pane.set({ text, language, fileName: "code.py" });
      return pane.element;
    },
  ],
];

try {
  await show(await openPageBundle());
} catch (error) {
  stopped(error);
}
