// Entry point of the home page: the bundles and viewers of a server or site.
import { icon } from "../lib/frame/frame.js";
import { fill, h, searchField } from "../lib/page/dom.js";
import { count, plural } from "../lib/page/format.js";
import { takeDropped } from "../lib/local/dropped.js";
import { HashState } from "../lib/page/hash-state.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { themeButton } from "../lib/page/remember.js";
import { Choice } from "./choice.js";
import { matching, sorted } from "./rows.js";
import { table } from "./table.js";

/** @typedef {{name: string, url: string, title: string, description: string, needs?: string, example?: boolean}} ViewerRow needs: what a bundle must hold; example: to begin with, not to look with */

const LIST = new URL("../../bundles.json", location.href); // URLs in the list are relative to it
const LOOK_MS = 5_000; // while a bundle grows
const DEFAULTS = { q: "", sort: "-built" };
const state = new HashState(DEFAULTS, []);
const main = h("main", { id: "main" }, h("p", { class: "loading", role: "status" }, "Loading the list …"));
fill(
  document.body,
  h(
    "header",
    { class: "bar" },
    icon("bundle"),
    h("span", { class: "name" }, "tlparse-bundle"),
    h("span", { class: "spring" }),
    h("a", { class: "tool open-link", href: "../open/" }, "Open a log or a bundle"),
    themeButton(),
  ),
  main,
);

/** @param {{bundles: import("./rows.js").BundleRow[], viewers: ViewerRow[], comparison?: string, comparisons?: import("./choice.js").Made[]}} list comparison: the server compares two of them; comparisons: those that a site has */
function show({ bundles: listed, viewers, comparison, comparisons }) {
  let bundles = listed;
  const title = h("h1", null, bundles.length === 0 ? "No bundles yet" : plural(bundles.length, "bundle"));
  if (bundles.length === 0)
    return void fill(main, h("div", { class: "list" }, title, empty()), about(viewers));
  const shownCount = h("span", { class: "dim", role: "status" });
  const field = searchField(
    "Filter bundles",
    "Filter: name, text, torch version, rank",
    (q) => state.replace({ q }, true),
    { value: state.current.q },
  );
  const choice =
    (comparison || comparisons?.length) && bundles.filter((row) => !row.problem).length > 1
      ? new Choice(bundles, LIST, comparison ? null : (comparisons ?? []))
      : null;
  const place = h("div", { "class": "scroll", "tabindex": "0", "role": "region", "aria-label": "Bundles" });
  fill(
    main,
    h(
      "div",
      { class: "list" },
      h(
        "div",
        { class: "list-head" },
        title,
        bundles.length > 1 && [
          field,
          shownCount,
          h("span", { class: "spring" }),
          h("a", { href: "../trend/" }, "Over time"),
        ],
      ),
      choice?.element,
      place,
    ),
    about(viewers),
  );
  const draw = () => {
    const { q, sort } = state.current;
    if (field.value !== q && document.activeElement !== field) field.value = q;
    const found = matching(bundles, q);
    shownCount.textContent = q ? `${count(found.length)} of ${count(bundles.length)}` : "";
    const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.sort;
    fill(
      place,
      found.length === 0
        ? h("p", null, "No bundle matches the filter.")
        : table(sorted(found, sort), viewers, {
            sort,
            list: LIST,
            choice,
            onsort: (by) => state.go(state.patched({ sort: by })),
          }),
    );
    if (focused) /** @type {HTMLElement | null} */ (place.querySelector(`[data-sort="${focused}"]`))?.focus();
  };
  state.listen(draw);
  draw();
  const look = async () => {
    const response = document.visibilityState === "visible" ? await fetch(LIST).catch(() => null) : null;
    const rows = response?.ok ? (await response.json()).bundles : bundles;
    const names = (/** @type {import("./rows.js").BundleRow[]} */ of) =>
      JSON.stringify(of.map(({ name, problem }) => [name, problem]));
    if (names(rows) === names(bundles) && JSON.stringify(rows) !== JSON.stringify(bundles)) {
      const { keepPlace } = await import("../lib/live/keep-place.js");
      const back = keepPlace(main);
      bundles = rows;
      draw();
      back();
    }
    again();
  };
  const again = () => void (bundles.some(({ growing }) => growing) && setTimeout(look, LOOK_MS));
  again();
}

/** Build the instructions for an empty list. */
const empty = () => [
  h("p", null, "This page lists the bundles in the served folder. Record a trace and build a bundle there:"),
  h("pre", null, "TORCH_TRACE=/tmp/trace python train.py\ntlparse-bundle /tmp/trace FOLDER/run-1"),
  h("p", null, h("button", { class: "tool", onclick: () => location.reload() }, "Reload")),
];

/** @param {ViewerRow[]} viewers */
const about = (viewers) =>
  h(
    "section",
    { class: "viewers" },
    h("h2", null, "Viewers"),
    h(
      "dl",
      null,
      viewers.map((viewer) =>
        h("div", null, h("dt", null, viewer.name), h("dd", null, viewer.description || viewer.title)),
      ),
    ),
  );

/** Open a log or bundle that is dropped on the page. @param {DragEvent} event */
async function drop(event) {
  event.preventDefault();
  const dropped = takeDropped(event.dataTransfer),
    label = dropped.map(({ name }) => name).join(", ");
  if (!dropped.length || main.querySelector(".working")) return;
  const place = h("div", { class: "place-of-work" });
  main.querySelector(".place-of-work")?.remove();
  main.prepend(place);
  const [{ kept, onlyOne }, { failure, isCancelled }] = await Promise.all([
    import("../lib/page/keep-dropped.js"),
    import("../lib/page/working.js"),
  ]);
  try {
    const { id } = await kept(place, await onlyOne(place, dropped, label));
    if (id === null)
      throw new Error(
        "This browser does not store files for this page (private window?). You can save bundles on the page that opens logs.",
      );
    location.assign(`../default/?stored=${id}`);
  } catch (error) {
    fill(place, !isCancelled(error) && failure(error, label));
  }
}

watchErrors();
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", drop);
try {
  const response = await fetch(LIST);
  if (!response.ok)
    throw new Error(
      `${LIST.href} failed to load (${response.status}). Run 'tlparse-bundle serve' or 'tlparse-bundle site' again.`,
    );
  show(await response.json());
} catch (error) {
  fill(
    main,
    h("h1", null, "Bundles"),
    errorBox(error, () => location.reload()),
  );
}
