// Highlights code line by line, so only visible lines cost time.
//
// A token is [class, text]; '' is plain. Lines share only a small state: the kind of
// string or comment that is open at the start of a line.

/** @typedef {[string, string]} Token */

const LONGEST = 50_000; // longer lines stay plain
const CODE = 0,
  TRIPLE_DOUBLE = 1,
  TRIPLE_SINGLE = 2,
  COMMENT = 3,
  KERNEL_PYTHON = 4,
  KERNEL_CPP = 5;

const words = (/** @type {string} */ list) => new Set(list.split(" "));
const PYTHON_WORDS = words(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield self",
);
const CPP_WORDS = words(
  "alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit extern false float for if inline int int8_t int16_t int32_t int64_t long namespace new nullptr operator private public return short signed sizeof static static_cast reinterpret_cast struct switch template this throw true try typedef typename uint8_t uint16_t uint32_t uint64_t unsigned using virtual void volatile while",
);

// Groups: 1 comment, 2 opening of a long string or comment, 3 string, 4 number, 5 word, 6 marked word
const PYTHON =
  /(#.*)|((?:\b[rbfuRBFU]{1,2})?(?:"""|'''))|((?:\b[rbfuRBFU]{1,2})?(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?))|(\b\d[\w.]*)|([A-Za-z_]\w*)|(@[\w.]+)/g;
const CPP =
  /(\/\/.*)|(\/\*)|("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|(\b\d[\w.]*)|([A-Za-z_]\w*)|(^\s*#\s*\w+)/g;
const JSON_TOKENS = /()()("(?:[^"\\]|\\.)*"?)|(-?\b\d[\d.eE+-]*)|([A-Za-z]+)|($^)/g;
const BYTECODE = /(\bto \d+\b)|()("[^"]*"|'[^']*')|(\b\d+\b)|(\b[A-Z][A-Z0-9_]{2,}\b)|(>>)/g;
const GUARDS =
  /( # .*)|()("[^"]*"|'[^']*')|(\b\d[\d.]*\b)|(\b[A-Z][A-Z_]{2,}\b|\b\w*GuardManager\b)|((?:\| )*\+-)/g;

/** @param {string[]} lines @param {string} language */
export function highlighter(lines, language) {
  const python = language === "python" || language === "fx";
  const cpp = language === "cpp";
  const rules = { json: JSON_TOKENS, bytecode: BYTECODE, guards: GUARDS }[language];
  /** @type {Uint8Array | null} */
  let states = null;

  /** @param {number} index @returns {Token[]} */
  return (index) => {
    const line = lines[index];
    if (line.length > LONGEST) return [["", line]];
    if (python || cpp) {
      states ??= startStates(lines, cpp);
      return scan(line, states[index], cpp).tokens;
    }
    return rules ? simple(line, rules, language) : [["", line]];
  };
}

/** @param {string[]} lines @param {boolean} cpp */
function startStates(lines, cpp) {
  const states = new Uint8Array(lines.length);
  const matters = cpp ? /\/\*|\*\// : /"""|'''|\/\*|\*\//;
  let state = CODE;
  for (let i = 0; i < lines.length; i++) {
    states[i] = state;
    if (matters.test(lines[i])) state = scan(lines[i], state, cpp).state;
  }
  return states;
}

/** @type {Record<number, string>} */
const CLOSING = { [TRIPLE_DOUBLE]: '"""', [TRIPLE_SINGLE]: "'''", [COMMENT]: "*/" };

/**
 * @param {string} line @param {number} state @param {boolean} cpp @returns {{tokens: Token[], state: number}}
 */
function scan(line, state, cpp) {
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  while (at < line.length) {
    const closing = CLOSING[state];
    if (closing) {
      const end = line.indexOf(closing, at);
      const stop = end < 0 ? line.length : end + 3 - (state === COMMENT ? 1 : 0);
      tokens.push([state === COMMENT ? "comment" : "string", line.slice(at, stop)]);
      if (end >= 0) state = CODE;
      at = stop;
      continue;
    }
    const rules = cpp || state === KERNEL_CPP ? CPP : PYTHON;
    const kernelEnd = state >= KERNEL_PYTHON ? line.indexOf("'''", at) : -1;
    const limit = kernelEnd < 0 ? line.length : kernelEnd;
    const opened = code(line, at, limit, rules, tokens, cpp);
    at = opened.at;
    if (opened.state !== CODE) state = opened.state;
    else if (kernelEnd >= 0 && at >= limit) {
      tokens.push(["string", "'''"]);
      at = kernelEnd + 3;
      state = CODE;
    }
  }
  return { tokens, state };
}

/**
 * Add tokens until the limit, or until a long string or comment opens.
 * @param {string} line @param {number} from @param {number} limit @param {RegExp} rules
 * @param {Token[]} tokens @param {boolean} cpp
 */
function code(line, from, limit, rules, tokens, cpp) {
  const part = line.slice(0, limit);
  let at = from;
  rules.lastIndex = from;
  for (let match = rules.exec(part); match; match = rules.exec(part)) {
    if (match.index > at) tokens.push(["", part.slice(at, match.index)]);
    at = rules.lastIndex;
    if (match[2]) {
      tokens.push([rules === CPP ? "comment" : "string", match[2]]);
      return { at, state: opens(match[2], line) };
    }
    tokens.push([kind(match, rules === CPP || cpp ? CPP_WORDS : PYTHON_WORDS), match[0]]);
  }
  if (at < limit) tokens.push(["", part.slice(at)]);
  return { at: limit, state: CODE };
}

/**
 * Return whether a string is code: Inductor writes kernels as strings.
 * @param {string} opening @param {string} line
 */
function opens(opening, line) {
  if (opening.endsWith("*")) return COMMENT;
  if (opening.endsWith('"')) return TRIPLE_DOUBLE;
  if (line.includes("async_compile.cpp")) return KERNEL_CPP;
  return line.includes("async_compile.") ? KERNEL_PYTHON : TRIPLE_SINGLE;
}

/** @param {RegExpExecArray} match @param {Set<string>} known */
function kind(match, known) {
  if (match[1]) return "comment";
  if (match[3]) return "string";
  if (match[4]) return "number";
  if (match[5]) return known.has(match[5]) ? "keyword" : "";
  return "mark";
}

/** @param {string} line @param {RegExp} rules @param {string} language @returns {Token[]} */
function simple(line, rules, language) {
  /** @type {Token[]} */
  const tokens = [];
  let at = 0;
  rules.lastIndex = 0;
  for (let match = rules.exec(line); match; match = rules.exec(line)) {
    if (match[0] === "") break;
    if (match.index > at) tokens.push(["", line.slice(at, match.index)]);
    at = rules.lastIndex;
    const key = language === "json" && match[3] && line.startsWith(":", at);
    tokens.push([
      match[1]
        ? "comment"
        : match[3]
          ? key
            ? "mark"
            : "string"
          : match[4]
            ? "number"
            : match[6]
              ? "comment"
              : "keyword",
      match[0],
    ]);
  }
  if (at < line.length) tokens.push(["", line.slice(at)]);
  return tokens;
}
