// Finds the bundle that a page shows: embedded in the page, named by '?bundle=', stored in the browser
// ('?stored='), 'bundle/' next to the page, or dropped on it.
import { BundleError, openBundle } from "../bundle/bundle.js";
import { embeddedSource, webSource } from "../bundle/source.js";
import { fill, h } from "./dom.js";
import { allowed, openAddress } from "./page.js";
import { useRepository } from "./place-link.js";

/**
 * Open the bundle and show progress in place of the page's text for browsers without modules.
 * @returns {Promise<import("../bundle/bundle.js").Bundle>}
 */
export async function openPageBundle() {
  const bundle = await openNamed();
  useRepository(bundle.manifest);
  return bundle;
}

/** @returns {Promise<import("../bundle/bundle.js").Bundle>} */
async function openNamed() {
  document.getElementById("boot")?.remove();
  const embedded = embeddedSource(new URLSearchParams(location.search).get("folder") ?? "");
  if (embedded) return openBundle(embedded);
  const requested = new URLSearchParams(location.search).get("bundle"),
    kept = new URLSearchParams(location.search).get("stored");
  const source =
    kept === null
      ? webSource(allowed(requested ?? "bundle/"))
      : await (await import("./stored.js")).storedSource(kept);
  fill(document.body, h("p", { class: "loading", role: "status" }, `Opening ${source.label} …`));
  try {
    return await openBundle(source);
  } catch (error) {
    if ((requested ?? kept) !== null || !(error instanceof BundleError && error.missing)) throw error;
    return (await import("./choose-bundle.js")).chooseSource((chosen) => openBundle(chosen), openAddress());
  }
}
