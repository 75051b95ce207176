// Finds the parts of a guard that differ, by name: size, stride, dtype, type, value. No page needed.

/** @typedef {{what: string, left: string, right: string}} Change */

const TENSOR = ["", "tensor", "dispatch keys", "dtype"]; // the positional arguments of check_tensor

/** @param {string} left @param {string} right of one kind and source @returns {Change[]} */
export function partsOf(left, right) {
  const [a, b] = [named(left), named(right)];
  /** @type {Change[]} */
  const changes = [];
  for (const what of new Set([...a.keys(), ...b.keys()])) {
    const [l, r] = [a.get(what) ?? "–", b.get(what) ?? "–"];
    if (l === r) continue;
    changes.push(what === "id" ? { what: "object id", left: l, right: r } : { what, left: l, right: r });
  }
  // A type also has an id: one of them is enough.
  return changes.some(({ what }) => what === "type")
    ? changes.filter(({ what }) => what !== "object id")
    : changes;
}

/** @param {string} text @returns {Map<string, string>} */
function named(text) {
  /** @type {Map<string, string>} */
  const parts = new Map();
  const call = /^(\w+)\((.*)\)(?:, type=(.*))?$/.exec(text);
  if (call && call[1] === "check_tensor") {
    split(call[2]).forEach((part, i) => {
      const [, name, value] = /^([a-z_]+)=(.*)$/.exec(part) ?? [null, TENSOR[i] ?? "", part];
      if (name) parts.set(name, value.replace(/^torch\./, ""));
    });
  } else if (call && /^___check_\w+$/.test(call[1]) && /, \d+$/.test(call[2])) {
    parts.set("id", call[2].slice(call[2].lastIndexOf(" ") + 1));
    if (call[3]) parts.set("type", call[3]);
  } else if (text.includes(" against {")) {
    try {
      for (const [name, value] of Object.entries(JSON.parse(text.slice(text.indexOf("{")))))
        parts.set(name, JSON.stringify(value));
    } catch {
      /* truncated or a different form: the line shows it */
    }
  } else {
    const value = /^.* (?:==|is) (.+)$/.exec(text);
    if (value) parts.set("value", value[1]);
  }
  return parts;
}

/** Split at commas outside brackets. @param {string} list */
function split(list) {
  const parts = [];
  let depth = 0,
    from = 0;
  for (let i = 0; i <= list.length; i++) {
    const c = list[i];
    if (c === "(" || c === "[" || c === "{") depth++;
    else if (c === ")" || c === "]" || c === "}") depth--;
    else if ((c === "," && depth === 0) || i === list.length) {
      parts.push(list.slice(from, i).trim());
      from = i + 1;
    }
  }
  return parts;
}
