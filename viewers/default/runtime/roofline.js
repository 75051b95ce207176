// How fast a kernel moves data and computes, against the peak rates of its device.
import { h } from "../../lib/page/dom.js";
import { bytes } from "../../lib/page/format.js";

/** Why the work of a kernel is unknown. @type {Record<string, string>} */
const UNKNOWN = {
  not_joined: "The kernel is not in the log.",
  operator: "Operations and bytes are known for matrix products and convolutions only.",
  dynamic: "Its sizes depend on symbols, so calls can differ.",
  size: "The generated code does not have all sizes and types.",
  language: "The generated code is not Python.",
  several: "The operator runs several kernels.",
};

/** "12.3" @param {number} value */
const digits = (value) => (value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** "12 % of the peak" @param {number | null} share */
const ofPeak = (share) =>
  share === null ? "" : ` · ${share < 0.01 ? "< 1" : Math.round(100 * share)} % of peak`;

/** Return rates of a row of kernel_calls: bytes and operations per second; null when unknown. @param {any} row */
export function rates(row) {
  const us = row.total_us / row.count;
  if (!(us > 0)) return { gigabytes: null, gigaflops: null };
  return {
    gigabytes: row.call_bytes === null ? null : row.call_bytes / us / 1e3,
    gigaflops: row.call_flops === null ? null : row.call_flops / us / 1e3,
  };
}

/** Build the cell of a kernel. @param {any} row of kernel_calls */
export function rateCell(row) {
  const { gigabytes, gigaflops } = rates(row);
  if (gigabytes === null) return h("span", { class: "dim", title: UNKNOWN[row.work_unknown] }, "–");
  const flops =
    gigaflops !== null &&
    h(
      "div",
      null,
      gigaflops >= 1000 ? `${digits(gigaflops / 1000)} TFLOP/s` : `${digits(gigaflops)} GFLOP/s`,
      ofPeak(row.flops_share),
    );
  return h(
    "div",
    { class: "runtime-rate", title: `${bytes(Math.round(row.call_bytes))} per call` },
    h("div", null, `${digits(gigabytes)} GB/s`, ofPeak(row.bandwidth_share)),
    flops,
  );
}

/** Say what the rates are compared with; null without a known rate. @param {any} times */
export function peakText({ profiles, kernels }) {
  if (!kernels.some((/** @type {any} */ row) => row.call_bytes !== null)) return null;
  const peaks = new Set(
    profiles.flatMap((/** @type {any} */ row) =>
      row.peaks.map(
        (/** @type {any} */ peak) => `${peak.rate} ${peak.unit}${peak.dtype ? ` (${peak.dtype})` : ""}`,
      ),
    ),
  );
  const known = profiles.some((/** @type {any} */ row) => row.peaks.length > 0);
  return h(
    "p",
    { class: "dim" },
    "A rate is the size of the arguments of a kernel, or the operations of a matrix product, per mean time of a call. ",
    known
      ? `Peaks: ${[...peaks].join(", ")}. More than 100 % means that data came from a cache, or that only a part was read.`
      : "To compare rates with the peaks of the device, build with --peak GB/s=RATE --peak TFLOP/s=RATE.",
  );
}
