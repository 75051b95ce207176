// What the browser remembers between visits: sizes of panels, the theme, how text is shown.

/** localStorage may be forbidden; nothing depends on it. @param {string} key */
export function stored(key) {
  try { return localStorage.getItem(key); } catch { return null; }
}

/** @param {string} key @param {string | null} value */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch { /* not remembered, then */ }
}
