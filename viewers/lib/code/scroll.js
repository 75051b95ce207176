// Scrolling a code pane sideways.

const MARGIN = 24; // pixels beside what was scrolled to

/**
 * Only when the beginning of what is to be seen is out of sight: to the first columns when it is seen from there, else as
 * little as it takes. @param {Element} body @param {Element | null} element
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
