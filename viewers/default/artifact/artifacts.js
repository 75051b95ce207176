// All artifacts of a log on one page, by compile, for the browser's own search: size, phase, equal payloads, download.
import { labelled } from "../../lib/bundle/artifact-names.js";
import { addressed, artifactsOf, describe } from "../../lib/bundle/artifacts.js";
import { afterPaint, append, fill, h, searchField } from "../../lib/page/dom.js";
import { bytes, count, plural } from "../../lib/page/format.js";
import { download } from "../../lib/page/hand-over.js";
import { fileNameOf } from "../../lib/page/paths.js";
import { statusBadge } from "../../lib/page/figures.js";
import { functionName, idText, modelOf, numberOf, placeOf } from "../shared/model.js";
import { placeLink } from "../../lib/page/place-link.js";
import { compileLink } from "../shared/parts.js";

const MOST = 10_000; // rows on the page; the filter finds the others
const AT_ONCE = 100; // rows built between two frames
const LONGEST = 56; // characters of the column of names

/** @typedef {{compile: number, artifacts: any[]}} Group the artifacts of one attempt */

/** @param {import("../frame/viewer.js").Context} context @returns {Promise<import("../frame/viewer.js").View>} */
export async function openArtifacts({ bundle, log, state }) {
  const [model, { rows }] = await Promise.all([modelOf(log), artifactsOf(log)]);
  const groups = await groupsOf(log, model, rows);
  const firstOf = new Map(); // the first artifact with a payload, by hash
  for (const { artifacts } of groups)
    for (const artifact of artifacts)
      if (artifact.sha256 !== null && !firstOf.has(artifact.sha256)) firstOf.set(artifact.sha256, artifact);

  const filter = searchField("Filter artifacts", "Filter by name, id, function or phase", (q) =>
    state.replace({ q }, true),
  );
  const total = h("span", { class: "dim", role: "status" });
  const list = h("div", { class: "artifact-index", onkeydown: moveKey, onclick: save });
  const longest = Math.min(
    LONGEST,
    Math.max(12, ...groups.map(({ artifacts }) => Math.max(...artifacts.map(({ label }) => label.length)))),
  );
  list.style.setProperty("--names", `${longest}ch`);
  const phaseOf = new Map(bundle.manifest.phases.map((/** @type {any} */ phase) => [phase.id, phase.title]));

  /** @param {MouseEvent} event */
  function save(event) {
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    const artifact = button && rows.find((row) => String(row.event) === button.dataset.event);
    if (!artifact) return;
    const { key } = model.compiles[numberOf(model, artifact)];
    log.payload(artifact).then(
      (payload) => payload && download(fileNameOf(artifact.name, artifact.language, key), payload),
      (error) => fill(total, error.message),
    );
  }

  /** @param {any} artifact */
  const row = (artifact) => {
    const { help, phase } = describe(bundle.manifest, artifact);
    const first = firstOf.get(artifact.sha256);
    const compile = model.compiles[artifact.index];
    const sameAs = h(
      "span",
      { class: "same-as" },
      first &&
        first !== artifact && [
          h("span", { class: "dim", title: "The payloads are equal, byte for byte" }, "Same as "),
          first.index === artifact.index
            ? h(
                "a",
                {
                  href: state.link({ view: "compile", compile: compile.key, artifact: first.address }),
                  tabindex: "-1",
                },
                first.label,
              )
            : compileLink(model, first.index, state, { artifact: first.address }),
        ],
    );
    return h(
      "li",
      null,
      h(
        "a",
        {
          href: state.link({ view: "compile", compile: compile.key, artifact: artifact.address }),
          title: help,
          tabindex: "-1",
        },
        artifact.label,
      ),
      h("span", { class: "number" }, artifact.sha256 === null ? "" : bytes(artifact.size_bytes)),
      h("span", { class: "dim" }, phaseOf.get(phase) ?? ""),
      artifact.sha256 !== null &&
        h(
          "button",
          {
            "class": "tool",
            "dataset": { event: artifact.event },
            "aria-label": `Download ${artifact.label} of ${idText(compile)}`,
            "title": "Download",
            "tabindex": "-1",
          },
          "↓",
        ),
      h("span", { class: "artifact-about" }, h("span", { class: "dim artifact-help" }, help, " "), sameAs),
    );
  };

  /** @param {Group} group */
  const section = ({ compile, artifacts }) => {
    const of = model.compiles[compile];
    return h(
      "section",
      null,
      h(
        "h2",
        null,
        h("a", { href: state.link({ view: "compile", compile: of.key }) }, idText(of)),
        " ",
        functionName(of),
        " ",
        of.file && placeLink(of.file, of.line, placeOf(model, of)),
        " ",
        of.id !== null && statusBadge(of.status),
      ),
      h("ul", null, artifacts.map(row)),
    );
  };

  let drawing = {};
  /** Build the sections, some of them between two frames. @param {Group[]} shown */
  const draw = (shown) => {
    const mine = (drawing = {});
    let next = 0;
    fill(list);
    const some = () => {
      if (mine !== drawing) return;
      const built = [];
      for (let rest = AT_ONCE; next < shown.length && rest > 0; rest -= shown[next++].artifacts.length)
        built.push(section(shown[next]));
      append(list, built);
      if (!list.querySelector('a[tabindex="0"]')) list.querySelector("li a")?.setAttribute("tabindex", "0");
      if (next < shown.length) afterPaint(some);
    };
    some();
  };

  let drawn = /** @type {string | null} */ (null);
  return {
    title: "Artifacts",
    element: h(
      "div",
      { class: "fill" },
      h("div", { class: "toolbar" }, filter, total),
      h(
        "div",
        { "class": "scroll padded", "tabindex": "0", "role": "region", "aria-label": "All artifacts" },
        rows.length === 0 ? h("p", null, "The log has no artifacts.") : list,
      ),
    ),
    search: () => filter,
    update: ({ q }) => {
      if (filter.value !== q) filter.value = q;
      if (drawn === q) return;
      drawn = q;
      const fit = matching(groups, model, phaseOf, bundle.manifest, q.toLowerCase());
      const found = fit.reduce((n, { artifacts }) => n + artifacts.length, 0);
      const { shown, left } = atMost(fit, MOST);
      fill(
        total,
        q ? `${count(found)} of ${plural(rows.length, "artifact")}` : plural(rows.length, "artifact"),
        left > 0 && `, the first ${count(found - left)} shown`,
      );
      draw(shown);
    },
    close: () => void (drawing = {}),
  };
}

/** Group artifacts by attempt, in the order of the lists of compiles, with labels and addresses. @param {any} log @param {any} model @param {any[]} rows @returns {Promise<Group[]>} */
async function groupsOf(log, model, rows) {
  /** @type {Map<number, any[]>} */
  const byCompile = new Map();
  for (const row of rows) {
    const index = numberOf(model, row);
    const own = byCompile.get(index);
    if (own) own.push({ ...row, index });
    else byCompile.set(index, [{ ...row, index }]);
  }
  return Promise.all(
    model.order
      .filter((/** @type {number} */ index) => byCompile.has(index))
      .map(async (/** @type {number} */ compile) => ({
        compile,
        artifacts: await labelled(log, addressed(byCompile.get(compile) ?? [])),
      })),
  );
}

/** @param {Group[]} groups @param {any} model @param {Map<string, string>} phaseOf @param {any} manifest @param {string} wanted in lower case @returns {Group[]} */
function matching(groups, model, phaseOf, manifest, wanted) {
  if (!wanted) return groups;
  return groups
    .map(({ compile, artifacts }) => {
      const of = model.compiles[compile];
      const whole = `${idText(of)} ${functionName(of)}`.toLowerCase().includes(wanted);
      const text = (/** @type {any} */ a) =>
        `${a.label} ${phaseOf.get(describe(manifest, a).phase) ?? ""}`.toLowerCase();
      return { compile, artifacts: whole ? artifacts : artifacts.filter((a) => text(a).includes(wanted)) };
    })
    .filter(({ artifacts }) => artifacts.length > 0);
}

/** Return the first groups, and the number of artifacts left out. @param {Group[]} groups @param {number} most */
function atMost(groups, most) {
  let rest = most;
  const shown = [];
  let left = 0;
  for (const { compile, artifacts } of groups) {
    if (rest > 0) shown.push({ compile, artifacts: artifacts.slice(0, rest) });
    left += Math.max(0, artifacts.length - Math.max(0, rest));
    rest -= artifacts.length;
  }
  return { shown, left };
}

/** Move between the artifacts with ↑ ↓ Home End; they are one tab stop. @param {KeyboardEvent} event */
function moveKey(event) {
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const links = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("li > a")]);
  const at = links.indexOf(/** @type {any} */ (document.activeElement));
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key];
  if (next === undefined || at < 0) return;
  event.preventDefault();
  links[at].tabIndex = -1;
  const to = links[Math.max(0, Math.min(links.length - 1, next))];
  to.tabIndex = 0;
  to.focus();
}
