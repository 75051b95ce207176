// Finds the names in a line of generated Python code or of a kernel in it. No page needed.

const WORD = /[A-Za-z_]\w*/g;
const KEYWORDS = new Set(
  (
    "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self " +
    "auto bool char const constexpr double float int int64_t int32_t long new return sizeof static_cast template this typename unsigned void"
  ).split(" "),
);

/**
 * Replace strings and comments by spaces, to keep columns.
 * @param {string} line @param {boolean} kernel whether it is code of a kernel
 */
export function blank(line, kernel) {
  if (!/["'#/]/.test(line)) return line;
  return line.replace(
    kernel ? /"(?:[^"\\]|\\.)*"|\/\/.*|#.*/g : /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|#.*/g,
    (text) => " ".repeat(text.length),
  );
}

/** @param {string} line @param {boolean} kernel */
export function namesIn(line, kernel) {
  const code = blank(line, kernel);
  const names = [];
  let depth = 0,
    at = 0;
  for (const { 0: name, index } of code.matchAll(WORD)) {
    for (; at < index; at++) depth += "([{".includes(code[at]) ? 1 : ")]}".includes(code[at]) ? -1 : 0;
    const before = code[index - 1];
    if (before === "." || (before >= "0" && before <= "9") || KEYWORDS.has(name)) continue;
    if (
      !kernel &&
      depth > 0 &&
      /^=(?!=)/.test(code.slice(index + name.length)) &&
      !/^\s*(?:async\s+)?def\s/.test(code)
    )
      continue; // f(dim=1): a keyword of the call
    names.push({ name, column: index });
  }
  return names;
}
