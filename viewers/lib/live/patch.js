// Replaces the parts that changed in a redraw. Equal parts keep their elements and the user's state.

/** @param {Element} old @param {Element} fresh its parts move to the old one */
export function patch(old, fresh) {
  const oldParts = new Map([...old.children].map((part) => [nameOf(part), part]));
  const parts = [...fresh.children].map((part) => {
    const before = oldParts.get(nameOf(part));
    return before?.isEqualNode(part) ? before : part;
  });
  const stay = new Set(parts);
  for (const part of [...old.children]) if (!stay.has(part)) part.remove();
  parts.forEach((part, i) => old.children[i] !== part && old.insertBefore(part, old.children[i] ?? null)); // parts that stay are not moved
}

/** @param {Element} part */
const nameOf = (part) =>
  /** @type {HTMLElement} */ (part).dataset.part ??
  `${part.tagName} ${part.getAttribute("aria-label") ?? part.className}`;
