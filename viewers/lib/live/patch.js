// Shows a newer drawing of the same parts: those that are equal stay as they are, with all that somebody did there.

/** @param {Element} old @param {Element} fresh its parts go over to the old one */
export function patch(old, fresh) {
  const known = new Map([...old.children].map((part) => [nameOf(part), part]));
  const parts = [...fresh.children].map((part) => {
    const before = known.get(nameOf(part));
    return before?.isEqualNode(part) ? before : part;
  });
  const stay = new Set(parts);
  for (const part of [...old.children]) if (!stay.has(part)) part.remove();
  parts.forEach((part, i) => old.children[i] !== part && old.insertBefore(part, old.children[i] ?? null)); // what stays is in its order, and is not moved
}

/** @param {Element} part */
const nameOf = (part) =>
  /** @type {HTMLElement} */ (part).dataset.part ??
  `${part.tagName} ${part.getAttribute("aria-label") ?? part.className}`;
