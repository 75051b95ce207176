// The share menu: a link, or one HTML file with both bundles.
import { h } from "../lib/page/dom.js";
import { fetched } from "../lib/page/hand-over.js";
import { shareMenu, SHARE_WITH_CARE, ONE_FILE } from "../lib/page/share.js";
import { SIDES } from "./places.js";

/** Build the share menu of the top bar. @param {import("./places.js").Run} run @returns {HTMLElement} */
export function shareComparison({ document: { base, new: other }, sources, page }) {
  const name = `${base[0].name}-${other[0].name}`,
    held = Boolean(sources.base.viewers),
    stored = SIDES.some((side) => sources[side].stored);
  return shareMenu(async ({ item, link, save }) => [
    link(
      held
        ? "on machines that have the file"
        : stored
          ? "in this browser, until you remove one of the bundles"
          : "on machines that can reach the server",
    ),
    page &&
      item("Save as one file", "An HTML page with both bundles; opens from disk", () =>
        save(`${name}.html`, () => fetched(page.href)),
      ),
    h(
      "p",
      { class: "dim", role: "presentation" },
      page
        ? SHARE_WITH_CARE
        : held
          ? ONE_FILE
          : [
              "To save it as one file: ",
              h("code", null, "tlparse-bundle compare BASE NEW --export report.html"),
            ],
    ),
  ]);
}
