// Handing text over: to the clipboard, to a file.
import { fill, h } from "./dom.js";

/** @param {HTMLElement} button says for a moment how it went @param {string} text */
export async function copyText(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    fill(button, "Copied");
  } catch {
    fill(button, "Not allowed"); // no clipboard without https or localhost
  }
  setTimeout(() => fill(button, label), 1_500);
}

/** @param {string} fileName @param {Uint8Array | string | Blob} data */
export function download(fileName, data) {
  const url = URL.createObjectURL(
    new Blob([/** @type {BlobPart} */ (data)], { type: "application/octet-stream" }),
  );
  h("a", { href: url, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** What our server makes. @param {string} address @returns {Promise<Blob>} */
export async function asked(address) {
  const response = await fetch(address).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
  if (!response.ok)
    throw new Error((await response.text()).trim() || `The server answered ${response.status}.`);
  return response.blob();
}
