// Pairs the artifacts of one compile on two ranks and compares them by hash.
import { addressed } from "../lib/bundle/artifacts.js";

/** @typedef {{address: string, left: any | null, right: any | null, verdict: "same" | "alike" | "differs" | "left" | "right"}} Pair alike: only memory addresses differ */
/** @typedef {{log: import("../lib/bundle/log.js").Log, key: string}} Side a compile of a rank */

const MOST_BYTES = 500_000;
const ADDRESSES = /0x[0-9a-f]{6,}|\b\d{12,}\b/g;

/** List the artifacts of a compile, each with its permanent address. @param {Side} side @returns {Promise<any[]>} */
export async function artifactsOf({ log, key }) {
  const compile = (await log.compiles()).find((one) => one.compile === key);
  return compile ? addressed(await log.artifactsOf(compile)) : [];
}

/** Pair the artifacts of both sides by address. @param {Side} left @param {Side} right @returns {Promise<Pair[]>} */
export async function pairs(left, right) {
  const [a, b] = await Promise.all([artifactsOf(left), artifactsOf(right)]);
  const others = new Map(b.map((artifact) => [artifact.address, artifact]));
  /** @type {Pair[]} */
  const both = a.map((artifact) => {
    const other = others.get(artifact.address) ?? null;
    others.delete(artifact.address);
    return {
      address: artifact.address,
      left: artifact,
      right: other,
      verdict:
        other === null
          ? "left"
          : artifact.sha256 !== null && artifact.sha256 === other.sha256
            ? "same"
            : "differs",
    };
  });
  return [
    ...both,
    ...[...others.values()].map(
      (artifact) =>
        /** @type {Pair} */ ({ address: artifact.address, left: null, right: artifact, verdict: "right" }),
    ),
  ];
}

/** Return the payload of an artifact; its metadata when it has no payload. @param {Side} side @param {any} artifact @param {{signal?: AbortSignal}} options @returns {Promise<string>} */
export async function textOf({ log }, artifact, options) {
  if (!artifact) return "";
  if (artifact.sha256 !== null) return (await log.text(artifact, options)) ?? "";
  return JSON.stringify((await log.stacks(options)).resolve(await log.metadata(artifact.event, options)));
}

/** Whether two texts differ only in memory addresses. @param {string} left @param {string} right */
export const sameButAddresses = (left, right) =>
  left !== right && left.replace(ADDRESSES, "#") === right.replace(ADDRESSES, "#");

/** Fetch small pairs that differ, and mark those whose only difference is memory addresses. @param {{left: Side, right: Side, list: Pair[]}} both @param {() => void} onchange called when a verdict changed */
export async function findAddressOnly({ left, right, list }, onchange) {
  const small = list.filter(
    (pair) =>
      pair.verdict === "differs" &&
      pair.left.sha256 !== null &&
      pair.right.sha256 !== null &&
      Math.max(pair.left.size_bytes, pair.right.size_bytes) < MOST_BYTES,
  );
  const checked = await Promise.all(
    small.map(async (pair) => {
      const texts = await Promise.all([textOf(left, pair.left, {}), textOf(right, pair.right, {})]).catch(
        () => null,
      ); // opening the pair shows the error
      return texts !== null && sameButAddresses(texts[0], texts[1]) ? pair : null;
    }),
  );
  for (const pair of checked) if (pair) pair.verdict = "alike";
  if (checked.some(Boolean)) onchange();
}
