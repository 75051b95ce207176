// Searches everything: names directly, the text of artifacts in a worker.
import { artifactsOf } from "../../lib/bundle/artifacts.js";
import { attemptKey } from "../../lib/bundle/log.js";
import { VirtualList } from "../../lib/list/virtual-list.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, plural } from "../../lib/page/format.js";
import { errorBox } from "../../lib/page/load.js";
import { split } from "../../lib/page/splitter.js";
import { compileLabel, logInAddress, modelOf, numberOf } from "../shared/model.js";
import { searchNames } from "./names.js";
import { searchTexts, textsOf } from "./text.js";

const ROW = 24;
const AT_ONCE = 12_000_000; // bytes of text that are searched automatically
const SHORTEST = 2;

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openSearch(context) {
  const { bundle, log, state } = context;
  const names = h("section", { "class": "pane search-names", "aria-label": "Names" });
  const status = h("span", { class: "dim", role: "status" });
  const bar = h("progress", { "max": 1, "value": 0, "hidden": true, "aria-label": "Search progress" });
  const tools = h("span", { class: "search-tools" });
  /** @type {{text: () => any, head: boolean}[]} */
  let rows = [];
  const list = new VirtualList({
    rowHeight: ROW,
    class: "search-list",
    render: (i) => h("div", { class: `search-row${rows[i].head ? " head" : ""}` }, rows[i].text()),
  });
  list.element.setAttribute("role", "region");
  list.element.setAttribute("aria-label", "Matches in text");
  list.element.tabIndex = 0;
  const texts = h(
    "section",
    { "class": "pane", "aria-label": "Text of artifacts" },
    h("div", { class: "toolbar" }, h("h2", null, "In text"), status, bar, tools),
    list.element,
  );
  const every = h("input", {
    type: "checkbox",
    onchange: () => state.replace({ by: every.checked ? "logs" : "" }, true),
  });
  const scope =
    bundle.logs.length > 1 &&
    h("label", { class: "padded" }, every, ` in all ${count(bundle.logs.length)} logs`);
  const left = h("section", { "class": "pane", "aria-label": "Search" }, scope, names);
  let stop = () => {};
  let shown = "";

  const update = async (/** @type {any} */ current) => {
    every.checked = current.by === "logs";
    const key = JSON.stringify([current.q, current.by, current.in]);
    if (key === shown) return;
    const sameQuery =
      shown && JSON.parse(shown).slice(0, 2).join("\n") === [current.q, current.by].join("\n");
    shown = key;
    stop();
    const logs = current.by === "logs" ? bundle.logs : [log];
    if (current.q.length < SHORTEST) {
      fill(
        names,
        h(
          "p",
          { class: "padded dim" },
          "Type at least two characters in the search field to find functions, compiles, artifacts, files, records and text.",
        ),
      );
      rows = [];
      list.reset(0);
      fill(status, "");
      fill(tools);
      bar.hidden = true;
      return;
    }
    if (!sameQuery) await showNames(logs, current.q, () => key === shown);
    const found = await textsOf(logs);
    if (key !== shown) return;
    if (current.in || found.bytes <= AT_ONCE) run(found, current.q, current.in === "all");
    else {
      rows = [];
      list.reset(0);
      bar.hidden = true;
      fill(status, `${bytes(found.bytes)} of text`);
      fill(tools, button("Search the text", "text", "Or press Enter in the search field"));
    }
  };

  /** @param {string} text @param {string} where @param {string} title */
  const button = (text, where, title) =>
    h("button", { class: "tool", title, onclick: () => state.replace({ in: where }, true) }, text);

  /** @param {any[]} logs @param {string} query @param {() => boolean} current */
  const showNames = async (logs, query, current, all = false) => {
    const sections = [];
    for (const one of logs) {
      const groups = await searchNames(bundle, one, query, all);
      if (!current()) return;
      const kept = logInAddress(one);
      for (const { title, total, hits } of groups) {
        sections.push(
          h(
            "section",
            null,
            h(
              "h2",
              null,
              logs.length > 1 ? `${one.id}: ` : "",
              title,
              " ",
              h("span", { class: "dim" }, count(total)),
            ),
            h(
              "ul",
              null,
              hits.map((hit) =>
                h(
                  "li",
                  null,
                  h(
                    "a",
                    { href: state.link({ ...hit.link, log: kept }), title: hit.text },
                    marked(hit.text, query),
                  ),
                  " ",
                  h("span", { class: "dim" }, hit.note),
                ),
              ),
            ),
            hits.length < total &&
              h(
                "button",
                { class: "tool", onclick: () => showNames(logs, query, current, true) },
                `Show all ${count(total)}`,
              ),
          ),
        );
      }
    }
    element.classList.toggle("no-names", !sections.length); // then the text has the whole width
    fill(names, sections.length ? sections : h("p", { class: "padded dim" }, `No names contain “${query}”.`));
  };

  /** @param {import("./text.js").Texts} all @param {string} query @param {boolean} everything */
  const run = (all, query, everything) => {
    /** @type {import("./text.js").Found[]} */
    const found = [];
    let done = 0,
      lines = 0,
      listed = 0;
    const problems = /** @type {string[]} */ ([]);
    rows = [];
    list.reset(0);
    bar.value = 0;
    bar.max = all.bytes || 1;
    bar.hidden = false;
    const tell = (/** @type {boolean} */ end) => {
      fill(
        status,
        `${plural(lines, "line")} in ${plural(found.length, "text")}`,
        end ? "" : `, searched ${bytes(done)} of ${bytes(all.bytes)}`,
        problems.length > 0 && ` (${problems[0]})`,
      );
      fill(
        tools,
        !end &&
          h(
            "button",
            {
              class: "tool",
              onclick: () => {
                cancel();
                bar.hidden = true;
                tell(true);
                status.append(", stopped");
              },
            },
            "Stop",
          ),
        end &&
          listed < lines &&
          button(`Show all ${count(lines)} lines`, "all", `${count(listed)} are shown`),
      );
    };
    const cancel = searchTexts(all, query, everything, (progress) => {
      done += progress.bytes;
      if (progress.problem) problems.push(progress.problem);
      for (const hit of progress.found) {
        found.push(hit);
        lines += hit.count;
        listed += hit.lines.length;
        rows.push(
          { head: true, text: () => headOf(hit) },
          ...hit.lines.map((line) => ({ head: false, text: () => lineOf(hit, line, query) })),
        );
      }
      bar.value = done;
      bar.hidden = progress.done;
      const top = list.element.scrollTop;
      if (progress.found.length) {
        list.reset(rows.length);
        list.element.scrollTop = top;
      }
      tell(progress.done);
    });
    stop = cancel;
    tell(false);
  };

  /** Return the name and address of an artifact whose log the search has read. */
  const known = new Map();
  const placeOf = (/** @type {any} */ { log: one, artifact }) => {
    const {
      model,
      artifacts: { rows: all, byAttempt },
    } = known.get(one);
    const index = numberOf(model, artifact),
      compile = model.compiles[index];
    const same = (byAttempt.get(attemptKey(artifact)) ?? [])
      .map((/** @type {number} */ i) => all[i])
      .filter((/** @type {any} */ other) => other.name === artifact.name && other.event <= artifact.event);
    const address = same.length > 1 ? `${artifact.name}@${same.length}` : artifact.name;
    return {
      compile,
      address,
      link: { view: "compile", log: logInAddress(one), compile: compile.key, artifact: address },
      log: one,
    };
  };
  const headOf = (/** @type {import("./text.js").Found} */ { payload, count: n, lines }) => {
    const place = placeOf(payload.places[0]);
    return [
      h("a", { href: state.link(place.link) }, h("b", null, place.address)),
      ` ${compileLabel(place.compile)} `,
      h(
        "span",
        { class: "dim" },
        bundle.logs.length > 1 ? `${place.log.id}, ` : "",
        plural(n, "line"),
        lines.length < n ? `, ${count(lines.length)} shown` : "",
        payload.places.length > 1 ? `, in ${plural(payload.places.length - 1, "more artifact")}` : "",
      ),
    ];
  };
  const lineOf = (
    /** @type {import("./text.js").Found} */ { payload },
    /** @type {any} */ { line, text, at },
    /** @type {string} */ query,
  ) =>
    h(
      "a",
      { href: state.link({ ...placeOf(payload.places[0]).link, line: String(line) }), class: "search-line" },
      h("span", { class: "number dim" }, count(line)),
      h("code", null, marked(text, query, at)),
    );

  const read = async () => {
    for (const one of bundle.logs)
      if (!known.has(one) && (one === log || state.current.by === "logs"))
        known.set(one, { model: await modelOf(one), artifacts: await artifactsOf(one) });
  };
  const element = split("search", left, texts, { label: "Width of the names", size: "max(360px, 40vw)" });
  element.addEventListener("keydown", walk);
  return {
    element,
    title: "Search",
    close: () => {
      stop();
      shown = "";
    },
    stays: () => state.current.q.length >= SHORTEST,
    update: (current) =>
      void read()
        .then(() => update(current))
        .catch((error) =>
          fill(
            names,
            errorBox(error, () => location.reload()),
          ),
        ),
  };
}

/** Mark the matches. @param {string} text @param {string} query @param {number} [from] offset of the first match */
function marked(text, query, from = text.toLowerCase().indexOf(query.toLowerCase())) {
  return from < 0
    ? text
    : [
        text.slice(0, from),
        h("mark", null, text.slice(from, from + query.length)),
        text.slice(from + query.length),
      ];
}

/** Move between results with ↑ and ↓. @param {KeyboardEvent} event */
function walk(event) {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const pane = /** @type {Element} */ (event.target).closest(".search-names, .search-list");
  if (!step || !pane) return;
  const links = [...pane.querySelectorAll("a")];
  const at = links.indexOf(/** @type {any} */ (document.activeElement));
  links[Math.max(0, Math.min(links.length - 1, at + step))]?.focus();
  event.preventDefault();
}
