// A color for each source line, for all lines that came from it in every pane.
import { kernelsOfCode } from "./model.js";

const FIRST = 240, // blue
  STEP = 222.492; // degrees between neighbours, the golden angle: hues far apart
const MOST_STRIPES = 6; // of a kernel that several lines share

/**
 * @param {import("./model.js").Model} model @param {{keys: number[]}} source the text of the source pane
 * @returns {(pane: import("./model.js").PaneName, line: number) => string | null} a CSS background
 */
export function lineColors(model, source) {
  const { maps, kernels } = model;
  const hues = new Map(
    source.keys
      .filter(
        (s) => s >= 0 && [maps.sourceToPre, maps.sourceToPost, maps.innerToKernels].some((map) => map.has(s)),
      )
      .map((s, i) => [s, Math.round((FIRST + i * STEP) % 360)]),
  );
  /** @param {"pre" | "post" | "code" | "bodies" | "source"} pane @param {number} line @returns {number[]} */
  const sourcesOf = (pane, line) => {
    if (pane === "source") return [source.keys[line - 1]];
    if (pane === "pre" || pane === "post") return [model[pane].get(line) ?? -1];
    return kernelsOfCode(model, line, pane).flatMap((k) => {
      const own = kernels[k].stacks.map((stack) => stack[stack.length - 1]);
      return own.length ? own : kernels[k].post.map((at) => model.post.get(at) ?? -1);
    });
  };
  return (pane, line) => {
    const found = [...new Set(sourcesOf(pane, line))].flatMap((s) => hues.get(s) ?? []);
    if (found.length === 0) return null;
    const [first, ...others] = found.slice(0, MOST_STRIPES).map(color);
    if (others.length === 0) return first;
    const stripes = [first, ...others].map((one, i) => `${one} ${i * 8}ch ${i * 8 + 8}ch`);
    return `repeating-linear-gradient(90deg, ${stripes.join(", ")})`;
  };
}

/** Return a color with the same contrast to text for every hue. @param {number} hue */
const color = (hue) => `light-dark(oklch(0.95 0.045 ${hue}), oklch(0.28 0.055 ${hue}))`;
