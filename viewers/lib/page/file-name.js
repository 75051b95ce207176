// How an artifact is called as a file.

/** @type {Record<string, string>} */
const ENDINGS = { fx: "py", python: "py", cpp: "cpp", json: "json", csv: "csv" };

/**
 * 'fx_graph_runnable', 'python', '0/1_2' -> 'fx_graph_runnable_0_1_2.py'; nothing in it that a file system or a shell minds.
 * @param {string} name @param {string} language @param {string} [compile] its key
 */
export function fileNameOf(name, language, compile = "") {
  const id = compile === "-" ? "" : compile;
  const safe = [name, id]
    .filter(Boolean)
    .join("_")
    .replace(/[^\w.-]+/g, "_")
    .replace(/^[.-]+/, "")
    .slice(0, 120);
  return `${safe || "artifact"}.${ENDINGS[language] ?? "txt"}`;
}
