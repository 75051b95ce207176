// What an open page does about changes of its bundle: one that grows is followed, of one that was built again the page says so.

/** @typedef {import("../bundle/bundle.js").Bundle} Bundle */
/**
 * @typedef {object} Change what is new in a state, as Bundle.renew() gives it
 * @property {Set<string>} logs ids of those that are new, or changed
 * @property {boolean} ranks whether the analyses of the ranks changed
 */

/**
 * @param {Bundle} bundle
 * @param {{main: HTMLElement, place: () => Element | null, grown: (change: Change) => void | Promise<void>}} page
 *   place: where the mark stands; grown: shows a new state of the bundle, in place
 */
export async function watch(bundle, page) {
  if (bundle.manifest.growing && bundle.source.url) return (await import("./follow.js")).follow(bundle, page);
  if (bundle.manifest.growing) return (await import("./mark.js")).stateMark(bundle, page);
  (await import("../page/rebuilt.js")).watchRebuilt(bundle);
}
