// Copies text to the clipboard and saves files.
import { fill, h } from "./dom.js";

/** @param {HTMLElement} button shows the result for a moment @param {string} text */
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

/** The command that records which source line each kernel came from. */
export const RECORD_PROVENANCE = "tlparse-bundle run --provenance -- python train.py";

/** Return a command with a button that copies it. @param {string} command */
export function copyable(command) {
  const button = h(
    "button",
    { type: "button", class: "tool", onclick: () => copyText(button, command) },
    "Copy",
  );
  return [h("code", null, command), " ", button];
}

/** @param {string} fileName @param {Uint8Array | string | Blob} data */
export function download(fileName, data) {
  const url = URL.createObjectURL(
    new Blob([/** @type {BlobPart} */ (data)], { type: "application/octet-stream" }),
  );
  h("a", { href: url, download: fileName }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Fetch a file that our server writes. @param {string} address @returns {Promise<Blob>} */
export async function fetched(address) {
  const response = await fetch(address).catch(() => {
    throw new Error("The server does not respond. Check that it is still running.");
  });
  if (!response.ok)
    throw new Error((await response.text()).trim() || `The server answered ${response.status}.`);
  return response.blob();
}
