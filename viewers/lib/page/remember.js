// What the browser remembers between visits: sizes of panels, the theme, how text is shown.
import { h } from "./dom.js";

/** localStorage may be forbidden; nothing depends on it. @param {string} key */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key @param {string | null} value */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch {
    /* not remembered, then */
  }
}

// Light or dark: the choice is remembered; without one the page follows the system.

const KEY = "tlparse-bundle.theme";

apply(stored(KEY));

/** The button that changes it. @returns {HTMLElement} */
export function themeButton() {
  return h(
    "button",
    {
      "class": "tool",
      "onclick": toggleTheme,
      "title": "Light or dark",
      "aria-label": "Switch between light and dark",
    },
    "◐",
  );
}

/** @param {string | null} theme */
function apply(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

/** The other of light and dark, from now on. */
export function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  apply(next);
  store(KEY, next);
}
