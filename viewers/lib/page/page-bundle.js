// Which bundle a page shows: the one in the page itself, the one that '?bundle=' names, 'bundle/' beside the
// page, or one that is dropped on it.
import { BundleError, openBundle } from "../bundle/bundle.js";
import { embeddedSource, webSource } from "../bundle/source.js";
import { fill, h } from "./dom.js";

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */

/** Opens it; says so in the page meanwhile, in place of what stands there for browsers that run no modules. @returns {Promise<Bundle>} */
export async function openPageBundle() {
  document.getElementById("boot")?.remove();
  const embedded = embeddedSource();
  if (embedded) return openBundle(embedded);
  const asked = new URLSearchParams(location.search).get("bundle");
  const source = webSource(allowed(asked ?? "bundle/"));
  fill(document.body, h("p", { class: "loading", role: "status" }, `Opening ${source.label} …`));
  try {
    return await openBundle(source);
  } catch (error) {
    if (asked !== null || !(error instanceof BundleError && error.missing)) throw error;
    return (await import("./choose-bundle.js")).chooseSource((chosen) => openBundle(chosen));
  }
}

/** An address of a bundle, if this page may read from there: its Content-Security-Policy says so. @param {string} address @param {string} [parameter] its name, for the error */
export function allowed(address, parameter = "bundle") {
  const url = new URL(address, location.href);
  if (url.origin === location.origin) return url;
  if (policySources().some((source) => source === url.origin || (source.endsWith(":*") && source.slice(0, -2) === `${url.protocol}//${url.hostname}`))) return url;
  throw new Error(
    `'${parameter}=${address}' is on another host. This page reads bundles from its own host only; put the bundle beside it, ` +
      `or fork the viewer and add ${url.origin} to connect-src in index.html.`,
  );
}

/**
 * The address of the bundle in another viewer; null when it has none that could be handed on: it lies in the page, or was dropped on it.
 * @param {Bundle} bundle @param {string} viewer @param {Record<string, string>} [state] of the other
 */
export function inViewer(bundle, viewer, state) {
  if (!bundle.source.url) return null;
  const url = new URL(`../${viewer}/`, location.href);
  url.search = location.search;
  if (state) url.hash = new URLSearchParams({ v: "1", ...state }).toString();
  return url.href;
}

/** What connect-src of the page's policy names. @returns {string[]} */
function policySources() {
  const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute("content") ?? "";
  const directive = policy.split(";").map((text) => text.trim().split(/\s+/)).find(([name]) => name === "connect-src");
  return directive?.slice(1) ?? [];
}
