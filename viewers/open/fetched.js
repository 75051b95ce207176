// Fetches a log or zip from a server and returns it like a dropped file.

const MOST_BYTES = 2_000_000_000; // a page cannot hold much more

/**
 * @param {URL} address that the page may read from @param {{signal?: AbortSignal, onprogress?: (done_bytes: number, total_bytes: number) => void}} options
 * @returns {Promise<File>} with the last part of the address as its name
 */
export async function fetched(address, { signal, onprogress }) {
  const response = await fetch(address, { signal }).catch((error) => {
    signal?.throwIfAborted();
    throw new Error(
      `${address.href} did not respond (${error.message}). Check that it exists and that its server allows cross-origin requests.`,
    );
  });
  if (!response.ok || !response.body)
    throw new Error(
      `${address.href} failed to load (${response.status} ${response.statusText}). Check the URL after '?log='.`,
    );
  const length = response.headers.get("content-encoding")
    ? 0
    : Number(response.headers.get("content-length")); // compressed length is not the file size
  /** @type {BlobPart[]} */
  const parts = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let part; (part = (await reader.read()).value);) {
    done += part.length;
    if (done > MOST_BYTES)
      throw new Error(
        `${address.href} is larger than ${MOST_BYTES / 1e9} GB, too large for a page. Download it and build it on the command line: tlparse-bundle LOG`,
      );
    parts.push(part);
    if (length >= done) onprogress?.(done, length);
  }
  return new File(parts, nameOf(address));
}

/** @param {URL} address */
function nameOf({ pathname }) {
  const last = pathname.split("/").filter(Boolean).at(-1) ?? "log";
  try {
    return decodeURIComponent(last).replaceAll("/", "_");
  } catch {
    return last;
  }
}
