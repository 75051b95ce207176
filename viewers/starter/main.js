// A complete small viewer: the compiles of each log, the artifacts of a compile, the text of an artifact.
//
// How it works: the URL says what to show ('#log=…&compile=…&artifact=…'). Links only change the URL,
// and show() draws the page from it. So every screen has a link, and the back button works.
import { fill, h } from "../lib/page/dom.js"; // h("tag", {attributes}, ...children): text stays text, never markup
import { bytes, plural, time } from "../lib/page/format.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";
import { statusInfo } from "../lib/page/figures.js";

/** @typedef {import("../../schema/bundle.d.ts").Compiles} Compile a row of the table of compiles */

watchErrors(); // shows later errors in the page
try {
  // '?bundle=' names the bundle. Without it: 'bundle/' next to this page, or a bundle dropped on the page.
  const bundle = await openPageBundle();
  addEventListener("hashchange", () => show(bundle));
  await show(bundle);
} catch (error) {
  fill(
    document.body,
    h("main", { class: "stopped" }, h("h1", null, "Can't open the bundle"), errorBox(error)),
  );
}

/** Draw what the URL names. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function show(bundle) {
  const asked = new URLSearchParams(location.hash.slice(1));
  const log = bundle.log(asked.get("log") ?? "") ?? bundle.logs[0];
  if (!log)
    return void fill(
      document.body,
      h("main", { class: "stopped" }, h("h1", null, "This bundle has no logs")),
    );
  // Tables are fetched on first use and cached.
  /** @type {Compile[]} */
  const compiles = await log.compiles();
  const index = compiles.findIndex(({ compile }) => compile === asked.get("compile"));
  const main = h("main", { "tabindex": "-1", "aria-label": "Compile" });
  fill(
    document.body,
    h(
      "header",
      null,
      h("h1", null, plural(log.summary.summary.compile_count, "compile"), " of ", log.summary.source.name),
      logLinks(bundle, log),
    ),
    h(
      "nav",
      { "aria-label": "Compiles" },
      h(
        "ul",
        null,
        compiles.map((compile, i) => h("li", null, compileLink(log, compile, i === index))),
      ),
    ),
    main,
  );
  try {
    await showCompile(main, log, compiles[index], asked.get("artifact"));
  } catch (error) {
    fill(
      main,
      errorBox(error, () => show(bundle)),
    );
  }
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle @param {import("../lib/bundle/log.js").Log} current */
function logLinks(bundle, current) {
  if (bundle.logs.length === 1) return null;
  return h(
    "nav",
    { "aria-label": "Logs" },
    bundle.logs.map((log) =>
      link({ log: log.id }, log === current, log.rank === null ? log.id : `rank ${log.rank}`),
    ),
  );
}

/** @param {import("../lib/bundle/log.js").Log} log @param {Compile} compile @param {boolean} here */
function compileLink(log, compile, here) {
  const name = `[${compile.compile}] ${compile.function ?? "?"}`;
  const took = compile.total_us === null ? "" : ` ${time(compile.total_us)}`;
  return link(
    { log: log.id, compile: compile.compile },
    here,
    name,
    h("span", { class: "dim" }, ` ${statusInfo(compile.status).word}${took}`),
  );
}

/** @param {Element} main @param {import("../lib/bundle/log.js").Log} log @param {Compile | undefined} compile @param {string | null} wanted */
async function showCompile(main, log, compile, wanted) {
  if (!compile) return void fill(main, h("h2", null, "Choose a compile"));
  const artifacts = await log.artifactsOf(compile);
  const chosen = artifacts.find(({ event }) => String(event) === wanted);
  const links = artifacts.map((artifact) =>
    h(
      "li",
      null,
      link(
        { log: log.id, compile: compile.compile, artifact: String(artifact.event) },
        artifact === chosen,
        artifact.name,
      ),
      h("span", { class: "dim" }, bytes(artifact.size_bytes)),
    ),
  );
  fill(
    main,
    h("h2", null, plural(artifacts.length, "artifact"), " of ", compile.compile),
    h("ul", null, links),
  );
  if (!chosen) return;
  // Fetch the text only now. Artifacts without a payload have their content in the metadata.
  const text = (await log.text(chosen)) ?? JSON.stringify(await log.metadata(chosen.event), null, 2);
  main.append(h("pre", { "tabindex": "0", "role": "region", "aria-label": `Text of ${chosen.name}` }, text));
}

/** @param {Record<string, string>} state @param {boolean} here @param {...any} children */
function link(state, here, ...children) {
  return h("a", { "href": `#${new URLSearchParams(state)}`, "aria-current": here ? "true" : null }, children);
}
