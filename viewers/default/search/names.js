// Searches names: compiles, artifacts, files, record kinds, diagnostics, reasons. Not the text of artifacts.
import { describe } from "../../lib/bundle/artifacts.js";
import { firstLine, plural } from "../../lib/page/format.js";
import { lastParts } from "../../lib/page/paths.js";
import { compileLabel, idText, modelOf, numberOf } from "../shared/model.js";

const MOST = 20;

/** @typedef {{text: string, note: string, link: Record<string, string>}} Hit */
/** @typedef {{title: string, total: number, hits: Hit[]}} Group hits: the first of them */

/** @param {any} bundle @param {any} log @param {string} query @param {boolean} all every hit, not only the first @returns {Promise<Group[]>} */
export async function searchNames(bundle, log, query, all) {
  const wanted = query.toLowerCase();
  const fits = (/** @type {any} */ value) =>
    typeof value === "string" && value.toLowerCase().includes(wanted);
  const model = await modelOf(log);
  const most = all ? Infinity : MOST;
  const groups = [
    compiles(model, fits, most),
    reasons(model, fits, most),
    await artifacts(bundle, model, fits, most),
    await files(model, fits, most),
    kinds(bundle, model, fits, most),
    diagnostics(await log.table("diagnostics"), fits, most),
  ];
  return groups.filter((group) => group.total > 0);
}

/** @typedef {(value: any) => boolean} Fits */

/** Collect matches up to a limit, and count the rest. @param {string} title @param {number} most */
function collector(title, most) {
  /** @type {Group} */
  const group = { title, total: 0, hits: [] };
  return {
    group,
    add: (/** @type {() => Hit} */ hit) => {
      if (group.total++ < most) group.hits.push(hit());
    },
  };
}

/** @param {any} model @param {Fits} fits @param {number} most */
function compiles(model, fits, most) {
  const { group, add } = collector("Compiles and functions", most);
  for (const c of model.compiles) {
    if (fits(idText(c)) || fits(c.function) || fits(c.id))
      add(() => ({
        text: compileLabel(c),
        note: c.file ? `${model.short(c.file)}:${c.line}` : "",
        link: { view: "compile", compile: c.key },
      }));
  }
  return group;
}

/** @param {any} model @param {Fits} fits @param {number} most */
function reasons(model, fits, most) {
  const { group, add } = collector("Failures, recompiles, restarts", most);
  for (const c of model.compiles) {
    for (const text of [
      c.failure_type && `${c.failure_type}: ${c.failure_reason ?? ""}`,
      c.recompile_reason,
      ...c.restart_reasons,
    ]) {
      if (fits(text))
        add(() => ({
          text: lineWith(text, fits),
          note: compileLabel(c),
          link: { view: "compile", compile: c.key },
        }));
    }
  }
  return group;
}

/** Return the matching line. @param {string} text @param {Fits} fits */
const lineWith = (text, fits) => text.split("\n").find(fits)?.trim() ?? firstLine(text);

/** Search artifacts, with one row per name. @param {any} bundle @param {any} model @param {Fits} fits @param {number} most */
async function artifacts(bundle, model, fits, most) {
  const { group, add } = collector("Artifacts", most);
  /** @type {Map<string, {first: any, count: number}>} */
  const names = new Map();
  for (const artifact of await model.log.artifacts()) {
    const known = names.get(artifact.name);
    if (known) known.count++;
    else names.set(artifact.name, { first: artifact, count: 1 });
  }
  for (const [text, { first, count }] of names) {
    const { title, help } = describe(bundle.manifest, first);
    if (!fits(text) && !fits(title) && !fits(help)) continue;
    const c = model.compiles[numberOf(model, first)];
    add(() => ({
      text,
      note: count > 1 ? `${count} times, first in ${idText(c)}` : `in ${idText(c)}`,
      link: { view: "compile", compile: c.key, artifact: text },
    }));
  }
  return group;
}

/** @param {any} model @param {Fits} fits @param {number} most */
async function files(model, fits, most) {
  const { group, add } = collector("Files", most);
  /** @type {Map<string, number>} */
  const counts = new Map(
    model.compiles.filter((/** @type {any} */ c) => c.file).map((/** @type {any} */ c) => [c.file, 0]),
  );
  for (const c of model.compiles) if (c.file) counts.set(c.file, (counts.get(c.file) ?? 0) + 1);
  const stacks = await model.log.stacks();
  for (const { file } of stacks.rows) if (file && !counts.has(file)) counts.set(file, 0);
  for (const [file, n] of counts) {
    if (fits(file))
      add(() => ({
        text: file,
        note: n ? plural(n, "compile") : "in stacks",
        link: n ? { view: "compiles", q: file } : { view: "stack", q: lastParts(file) },
      }));
  }
  return group;
}

/** @param {any} bundle @param {any} model @param {Fits} fits @param {number} most */
function kinds(bundle, model, fits, most) {
  const { group, add } = collector("Records", most);
  for (const kind of model.directory.kinds) {
    const type = kind.name === null ? kind.type : `${kind.type}:${kind.name}`;
    if (fits(type) || fits(describe(bundle.manifest, kind).title))
      add(() => ({
        text: type.replace(":", " › "),
        note: plural(kind.event_count, "record"),
        link: { view: "events", type },
      }));
  }
  return group;
}

/** @param {any[]} rows @param {Fits} fits @param {number} most */
function diagnostics(rows, fits, most) {
  const { group, add } = collector("Diagnostics", most);
  for (const row of rows) {
    if (fits(row.message) || fits(row.code))
      add(() => ({ text: row.message, note: row.code, link: { view: "diagnostics", q: row.code } }));
  }
  return group;
}
