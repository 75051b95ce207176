// A log or a zip of a server, as if it had been dropped.

const MOST_BYTES = 2_000_000_000; // a page cannot hold much more

/**
 * @param {URL} address that the page may read from @param {{signal?: AbortSignal, onprogress?: (done_bytes: number, total_bytes: number) => void}} options
 * @returns {Promise<File>} with the last part of the address as its name
 */
export async function fetched(address, { signal, onprogress }) {
  const response = await fetch(address, { signal }).catch((error) => {
    signal?.throwIfAborted();
    throw new Error(
      `Asked for ${address.href}: no answer (${error.message}). Is it there, and does its server let this page read it?`,
    );
  });
  if (!response.ok || !response.body)
    throw new Error(
      `Asked for ${address.href}: the server answered ${response.status} ${response.statusText}. Check the address after '?log='.`,
    );
  const said = response.headers.get("content-encoding") ? 0 : Number(response.headers.get("content-length")); // of what is sent, not of what comes out
  /** @type {BlobPart[]} */
  const parts = [];
  let done = 0;
  const reader = response.body.getReader();
  for (let part; (part = (await reader.read()).value);) {
    done += part.length;
    if (done > MOST_BYTES)
      throw new Error(
        `${address.href} has more than ${MOST_BYTES / 1e9} GB, which a page cannot hold. Save it, and build it with the command line: tlparse-bundle LOG`,
      );
    parts.push(part);
    if (said >= done) onprogress?.(done, said);
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
