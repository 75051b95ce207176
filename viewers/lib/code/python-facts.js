// Facts in generated code about a buffer, an argument or a kernel. No page needed.

const TUPLE = "\\(([^()]*)\\)";
const EMPTY = new RegExp(`empty_strided_(\\w+)\\(${TUPLE}, ${TUPLE}, torch\\.(\\w+)`);
const VIEW = new RegExp(`^reinterpret_tensor\\((\\w+), ${TUPLE}, ${TUPLE}`);
const ORIGIN = /Source Nodes: \[(.*?)\](?:, Original ATen: \[(.*?)\])?/;
const MOST_LINES = 3_000; // lines searched for an input's check

/** @param {string} list '3, 2', '8, ' */
const shape = (list) => `[${list.replace(/,\s*$/, "")}]`;

/**
 * @param {string[]} lines @param {number} at where it is defined @param {string} name
 * @returns {[string, string][]}
 */
export function factsOfCode(lines, at, name) {
  const given = new RegExp(`\\b${name}\\b[^=]*=\\s*(.*)$`).exec(lines[at])?.[1] ?? "";
  const empty = EMPTY.exec(given);
  if (empty)
    return [
      ["dtype", empty[4]],
      ["shape", shape(empty[2])],
      ["stride", shape(empty[3])],
      ["device", empty[1].replace(/_pinned$/, ", pinned")],
    ];
  const view = VIEW.exec(given);
  if (view)
    return [
      ["view of", view[1]],
      ["shape", shape(view[2])],
      ["stride", shape(view[3])],
    ];
  const reuse = /^(\w+); del \1/.exec(given);
  if (reuse) return [["in the memory of", reuse[1]]];
  if (/^args\b/.test(given)) return [["", "input"], ...factsOfInput(lines, at, name)];
  const target = /^([A-Za-z_][\w.]*)\s*\(/.exec(given)?.[1];
  return target ? [["from", target]] : given ? [["=", given.slice(0, 120)]] : [];
}

/**
 * Return the checks of an input, and its value in the code's example.
 * @param {string[]} lines @param {number} at @param {string} name @returns {[string, string][]}
 */
function factsOfInput(lines, at, name) {
  const checked = new RegExp(`assert_size_stride\\(${name}, ${TUPLE}, ${TUPLE}`);
  const made = new RegExp(
    `\\b${name} = rand_strided\\(${TUPLE}, ${TUPLE}, device='([^']*)', dtype=torch\\.(\\w+)`,
  );
  for (let i = lines.length - 1; i > Math.max(at, lines.length - MOST_LINES); i--) {
    const example = lines[i].includes("rand_strided") ? made.exec(lines[i]) : null;
    if (example)
      return [
        ["dtype", example[4]],
        ["shape", shape(example[1])],
        ["stride", shape(example[2])],
        ["device", example[3]],
      ];
  }
  for (let i = at + 1; i < Math.min(lines.length, at + MOST_LINES); i++) {
    const check = lines[i].includes(name) ? checked.exec(lines[i]) : null;
    if (check)
      return [
        ["shape", shape(check[1])],
        ["stride", shape(check[2])],
      ];
  }
  return [];
}

/** @param {string[]} lines @param {import("./names.js").Item} kernel @returns {[string, string][]} */
export function factsOfKernel(lines, kernel) {
  /** @type {[string, string][]} */
  const facts = [
    ["", kernel.kind],
    ["lines", `${kernel.line + 1}–${kernel.last + 1}`],
  ];
  const call = lines.findIndex((line, i) => i > kernel.last && line.includes(kernel.name));
  for (const place of [kernel.line, call]) {
    for (let i = place - 1; i >= 0 && /^\s*#/.test(lines[i]); i--) {
      const origin = ORIGIN.exec(lines[i]);
      if (origin)
        return [
          ...facts,
          ...(origin[2] ? /** @type {[string, string][]} */ ([["of", origin[2]]]) : []),
          ["nodes", origin[1]],
        ];
    }
  }
  return facts;
}
