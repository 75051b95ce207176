// Stores preferences in the browser: panel sizes, theme, text display.
import { h } from "./dom.js";

/** Return a stored value, or null; localStorage may be blocked. @param {string} key */
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
    /* localStorage is full or blocked */
  }
}

// Light or dark: a stored choice, or the system's setting.

const KEY = "tlparse-bundle.theme";

apply(stored(KEY));

/** Build the theme button. @returns {HTMLElement} */
export function themeButton() {
  return h(
    "button",
    {
      "class": "tool",
      "onclick": toggleTheme,
      "title": "Light or dark theme",
      "aria-label": "Switch between light and dark",
    },
    "◐",
  );
}

/** @param {string | null} theme */
function apply(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

/** Switch between light and dark, and store the choice. */
export function toggleTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme ?? (dark ? "dark" : "light");
  const next = now === "dark" ? "light" : "dark";
  apply(next);
  store(KEY, next);
}
