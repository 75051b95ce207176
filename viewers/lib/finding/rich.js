// Text with code between backticks, as torch and the preprocessor write it. It stays text.
import { h } from "../page/dom.js";

/** @param {string} text */
export function rich(text) {
  const parts = text.split("`");
  if (parts.length % 2 === 0) parts.push(`\`${parts.pop()}`); // a backtick without another one
  if (parts.length % 2 === 0) parts.splice(-2, 2, parts.slice(-2).join("")); // stands in the text before it
  return parts.map((part, i) => (i % 2 ? h("code", null, part) : part));
}

/** The same without the backticks, for names and titles. @param {string} text */
export const plain = (text) => text.replaceAll("`", "");
