// Compares two texts away from the page's thread. One message in, one message out.
import { equalRuns } from "./diff.js";

const scope = /** @type {any} */ (self);

scope.onmessage = (/** @type {MessageEvent} */ { data: { job, left, right } }) => {
  try {
    const runs = equalRuns(left.split("\n"), right.split("\n"));
    scope.postMessage({ job, runs }, { transfer: [runs.buffer] });
  } catch (error) {
    scope.postMessage({ job, error: String(error) });
  }
};
