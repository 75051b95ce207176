// Finds the comparison and its bundles: in the page itself, in a folder, or on a server that
// compares on request.
import { MOST_TABLE_BYTES } from "../lib/bundle/bounded.js";
import { BundleError } from "../lib/bundle/shape.js";
import { embeddedSource, readFile, webSource } from "../lib/bundle/source.js";
import { allowed, decoded } from "../lib/page/page.js";
import { comparisonOf } from "./document.js";

/** @typedef {"base" | "new"} Which a side */
/** @typedef {import("../lib/bundle/bundle.js").Bundle} Bundle */
/** @typedef {import("../lib/bundle/source.js").Source} Source */
/**
 * @typedef {object} Run a comparison that is open
 * @property {import("./document.js").Comparison} document
 * @property {Record<Which, Source>} sources
 * @property {(which: Which) => Promise<Bundle>} bundle opened when it is asked for first
 * @property {string | null} home the page that lists the bundles
 * @property {URL | null} page where a server makes one file of it all
 */
/** The source of a comparison; made: a server computes it on request. @typedef {{address: URL | null, label: string, made: boolean, home: string | null, sources: Record<Which, Source>}} Place */

export const SIDES = /** @type {Which[]} */ (["base", "new"]);
const FILE = "comparison.json",
  PAGE = "comparison.html";

/** Open the comparison that the URL names. @returns {Promise<Run>} */
export async function openRun() {
  const asked = new URLSearchParams(location.search),
    id = asked.get("stored");
  const held =
    (await embeddedPlace()) ?? (id === null ? null : await (await import("./stored.js")).storedPlace(id));
  const { address, label, made, home, sources } = held ?? placeOfPage(asked);
  const document = comparisonOf(held?.text ?? (await read(/** @type {URL} */ (address), label, made)), label);
  /** @type {Map<Which, Promise<Bundle>>} */
  const opened = new Map();
  const bundle = (/** @type {Which} */ which) => {
    let known = opened.get(which);
    if (!known) {
      opened.set(
        which,
        (known = import("../lib/bundle/bundle.js").then(({ openBundle }) => openBundle(sources[which]))),
      );
      known.catch(() => opened.delete(which));
    }
    return known;
  };
  return {
    document,
    sources,
    bundle,
    home,
    page: made && address ? new URL(PAGE + address.search, address) : null,
  };
}

/** Read the comparison embedded in an exported page; null on other pages. @returns {Promise<Place & {text: string} | null>} */
async function embeddedPlace() {
  const [page, base, other] = ["", "base/", "new/"].map(embeddedSource);
  if (!page || !base || !other) return null;
  const file = page.file(FILE);
  if (!file)
    throw new Error(
      "This file contains one bundle, not a comparison. To write a comparison, run 'tlparse-bundle compare BASE NEW --export REPORT.html'.",
    );
  return {
    address: null,
    label: FILE,
    made: false,
    home: null,
    sources: { base, new: other },
    text: new TextDecoder().decode(await readFile(file, MOST_TABLE_BYTES)),
  };
}

/**
 * '?base=' and '?new=' name bundles that the server compares. Repeat them for several runs per side; '&ranks=A,B' selects ranks. On a site, '&comparison=' names the folder of the document.
 * Otherwise, '?comparison=' (default: two folders up) names a folder with the document and both bundles.
 * @param {URLSearchParams} asked @returns {Place}
 */
function placeOfPage(asked) {
  const sides = SIDES.map((which) => asked.getAll(which)),
    folder = asked.get("comparison");
  if (sides.every((addresses) => addresses.length === 0)) {
    if (asked.has("bundle") && folder === null)
      throw new Error(
        "The URL names one bundle, but a comparison needs two. Choose two in the list of bundles, or run 'tlparse-bundle compare BASE NEW --open'.",
      );
    const address = new URL(FILE, allowed(folder ?? "../../", "comparison"));
    return {
      address,
      label: address.pathname,
      made: false,
      home: null,
      sources: { base: webSource(new URL("base/", address)), new: webSource(new URL("new/", address)) },
    };
  }
  const [, root] = /^(.*\/)viewers\/[^/]+\/(?:index\.html)?$/.exec(location.pathname) ?? [];
  const bundles = new URL(`${root ?? "/"}bundles/`, location.href);
  const address =
    folder === null ? new URL(`../${FILE}`, bundles) : new URL(FILE, allowed(folder, "comparison"));
  const found = sides.map((addresses, side) => {
    if (!addresses.length)
      throw new Error(`The URL does not name the ${SIDES[side]} bundle. Pass '?base=…&new=…'.`);
    return addresses.map((text) => {
      const source = webSource(allowed(text, SIDES[side]));
      const url = /** @type {URL} */ (source.url);
      if (!url.href.startsWith(bundles.href))
        throw new Error(
          `'${SIDES[side]}=${text}' is not a bundle of this server. Bundles are below ${bundles.pathname}.`,
        );
      if (folder === null)
        address.searchParams.append(SIDES[side], decoded(url.href.slice(bundles.href.length, -1)));
      return source;
    });
  });
  const ranks = asked.get("ranks");
  if (ranks !== null && folder === null) address.searchParams.set("ranks", ranks);
  return {
    address,
    label: folder === null ? "The comparison" : address.pathname,
    made: folder === null,
    home: new URL("../viewers/home/", bundles).href,
    sources: { base: found[0][0], new: found[1][0] },
  };
}

/** @param {URL} address @param {string} label @param {boolean} made a server makes it */
async function read(address, label, made) {
  const response = await fetch(address).catch((error) => {
    throw new BundleError(
      `${address.href} did not respond (${error.message}). Check that the server is running.`,
    );
  });
  if (response.ok) return response.text();
  const message = response.headers.get("Content-Type")?.startsWith("text/plain")
    ? (await response.text()).trim()
    : "";
  if (message) throw new BundleError(message);
  if (made && response.status === 404)
    throw new BundleError(
      "This server only serves files, so it can't compare bundles. Run 'tlparse-bundle compare BASE NEW --open' where the bundles are. To put a comparison on this server, write the site with '--compare BASE NEW', or a folder with 'compare --out DIR'.",
    );
  throw new BundleError(
    `${label} failed to load (${response.status} ${response.statusText}). To write a folder with a comparison, run 'tlparse-bundle compare BASE NEW --out DIR'.`,
  );
}

/** Return the URL of a side in the default viewer; null when it has none. @param {Run} run @param {Which} which @param {Record<string, string>} [state] */
export function inDefault({ sources }, which, state) {
  const { url, stored, viewers, folder = "" } = sources[which];
  if (!url && !stored && !viewers?.includes("default")) return null;
  const address = new URL(url || stored ? "../default/" : location.pathname, location.href);
  address.search = String(
    new URLSearchParams(
      url
        ? { bundle: url.origin === location.origin ? url.pathname : url.href }
        : stored
          ? { stored }
          : { viewer: "default", folder },
    ),
  );
  if (state) address.hash = new URLSearchParams({ v: "1", ...state }).toString();
  return address.href;
}
