// Scrolls a code pane sideways.

const MARGIN = 24; // pixels beside the target

/**
 * Scroll if the start of the target is out of view: to the first columns if it is visible from there, else as
 * little as possible. @param {Element} body @param {Element | null} element
 */
export function scrollAside(body, element) {
  const gutter = body.querySelector(".gutter");
  if (!element || !gutter) return;
  const edge = body.getBoundingClientRect().left;
  const { left, right } = element.getBoundingClientRect();
  const { width } = gutter.getBoundingClientRect();
  const from = left - edge;
  const to = Math.min(right - edge, from + body.clientWidth / 2);
  if (from >= width && to <= body.clientWidth) return;
  if (to + body.scrollLeft <= body.clientWidth) body.scrollLeft = 0;
  else body.scrollLeft += from < width ? from - width - MARGIN : to - body.clientWidth + MARGIN;
}
