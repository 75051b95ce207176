// Reacts to changes of an open bundle: follows a growing one, and reports a rebuilt one.

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */
/**
 * @typedef {object} Change the changes in a new state, from Bundle.renew()
 * @property {Set<string>} logs ids of new and changed logs
 * @property {boolean} ranks whether the analyses of the ranks changed
 */

/**
 * @param {Bundle} bundle
 * @param {{main: HTMLElement, place: () => Element | null, grown: (change: Change) => void | Promise<void>}}
 *   page
 *   place: element for the mark; grown: shows a new state of the bundle in place
 */
export async function watch(bundle, page) {
  if (bundle.manifest.growing && bundle.source.url) return (await import("./follow.js")).follow(bundle, page);
  if (bundle.manifest.growing) return (await import("./mark.js")).stateMark(bundle, page);
  (await import("../page/rebuilt.js")).watchRebuilt(bundle);
}
