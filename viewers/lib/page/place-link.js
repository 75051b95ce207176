// Links from source lines to the user's editor, or to the repository that the bundle names.
import { h } from "./dom.js";
import { store, stored } from "./remember.js";

/** @typedef {{template: string, from: string, to: string}} Editor template: of its links; from, to: a folder in the log, and on this machine */
/** @typedef {{url: string, roots: {folder: string, inside: string}[]}} Repository */

const KEY = "tlparse-bundle.editor";
const MARK = /\{(path|line|commit)\}/g;
/** Schemes that editors register. A browser opens 'javascript:', 'data:' and the like itself. */
export const SCHEMES = [
  ..."vscode vscode-insiders vscodium code-oss cursor windsurf positron kiro trae zed idea pycharm jetbrains".split(
    " ",
  ),
  ..."fleet clion subl sublime txmt mvim macvim nvim vim gvim emacs x-emacs org-protocol nova bbedit".split(
    " ",
  ),
  ..."x-bbedit lapce helix kate editor http https".split(" "),
];
const REPOSITORY = /^https?:\/\/[\w.:[\]-]+\/[!#-;=?-Z_a-z{}~[\]]*$/;

/** @type {{repository: Repository | null, commit: string}} of the bundle on screen */
const bundle = { repository: null, commit: "" };

/** Take over where the sources of a bundle are. @param {any} manifest */
export function useRepository({ source_links: links, commit }) {
  const valid = links && REPOSITORY.test(links.url) && links.url.includes("{path}");
  bundle.repository = valid ? links : null;
  bundle.commit = commit ?? "";
}

/** Return what is wrong with a template of an editor's links, or null. @param {string} template */
export function templateProblem(template) {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\/[!-~]*$/i.exec(template)?.[1].toLowerCase();
  if (!scheme) return "Write an address such as vscode://file/{path}:{line}, without spaces.";
  if (!SCHEMES.includes(scheme))
    return `${scheme}:// is not an editor's address. Use one of ${SCHEMES.join(", ")}.`;
  return template.includes("{path}") ? null : "The address has no {path}.";
}

/** Return the chosen editor, or null. @returns {Editor | null} */
export function chosenEditor() {
  try {
    const { template, from, to } = JSON.parse(stored(KEY) ?? "null") ?? {};
    const texts = [template, from, to].every((text) => typeof text === "string");
    return texts && templateProblem(template) === null ? { template, from, to } : null;
  } catch {
    return null; // written by something else
  }
}

/** Store an editor, or none, and renew the links on the page. @param {Editor | null} editor */
export function chooseEditor(editor) {
  store(KEY, editor && JSON.stringify(editor));
  renewLinks();
}

/** Return a path with '/', if it can name a file: not '<string>', and without '..'. @param {string} file */
function plainPath(file) {
  const path = /^[A-Za-z]:\\|^\\\\/.test(file) ? file.replaceAll("\\", "/") : file;
  return file.startsWith("<") || /(^|\/)\.\.?(\/|$)/.test(path) ? null : path;
}

/** Return the rest of a path below a folder, without a slash in front; null when it is not below. @param {string} path @param {string} folder */
function below(path, folder) {
  const start = folder.replaceAll("\\", "/").replace(/\/+$/, "");
  return path.startsWith(`${start}/`) ? path.slice(start.length + 1) : null;
}

/** @param {string} path */
const encoded = (path) =>
  path
    .split("/")
    .map((part, i) => (i === 0 && /^[A-Za-z]:$/.test(part) ? part : encodeURIComponent(part)))
    .join("/");

/** @param {string} template @param {string} path @param {number | null} line @param {string} [commit] */
function filled(template, path, line, commit = "") {
  const values = { path: encoded(path), line: String(line ?? 1), commit: encodeURIComponent(commit) };
  const joined = path.startsWith("/") ? template.replace(/([^/])\/\{path\}/g, "$1{path}") : template; // one slash
  const address = joined.replace(MARK, (_, name) => values[/** @type {"path"} */ (name)]);
  return URL.canParse(address) ? address : null;
}

/** Return the address of a line in an editor, or null. @param {Editor} editor @param {string} path @param {number | null} line */
export function editorAddress({ template, from, to }, path, line) {
  const rest = from && to ? below(path, from) : null;
  const here = rest === null ? path : `${to.replaceAll("\\", "/").replace(/\/+$/, "")}/${rest}`;
  return /^(\/|[A-Za-z]:\/)/.test(here) ? filled(template, here, line) : null;
}

/** @param {Repository} repository @param {string} path @param {number | null} line */
function inRepository({ url, roots }, path, line) {
  const found = roots
    .filter(({ folder }) => below(path, folder) !== null)
    .sort((a, b) => b.folder.length - a.folder.length)[0];
  if (!found) return null;
  const inside = [found.inside, below(path, found.folder)].filter(Boolean).join("/");
  return filled(url, inside, line, bundle.commit);
}

/**
 * Return the address of a source line and where it leads, or null.
 * @param {string | null | undefined} file @param {number | null} line
 * @returns {{href: string, title: string, web: boolean} | null}
 */
export function sourceAddress(file, line) {
  const path = file ? plainPath(file) : null;
  if (path === null) return null;
  const editor = chosenEditor();
  const own = editor && editorAddress(editor, path, line);
  if (own) return { href: own, title: "Open in the editor", web: /^https?:/i.test(own) };
  const far = bundle.repository && inRepository(bundle.repository, path, line);
  return far ? { href: far, title: `Open at ${new URL(far).host}`, web: true } : null;
}

/**
 * Show a source line: a link where it has an address, else text.
 * @param {string | null | undefined} file @param {number | null} line @param {any} [content]
 * @param {Record<string, any>} [props] its tooltip defaults to file and line
 * @returns {HTMLElement}
 */
export function placeLink(file, line, content, props = {}) {
  const address = sourceAddress(file, line);
  const full = `${file ?? "(unknown file)"}${line === null ? "" : `:${line}`}`;
  const title = props.title ?? full;
  return h(
    address ? "a" : "span",
    {
      class: "place",
      ...props,
      ...(address && { href: address.href, rel: "noopener noreferrer" }),
      ...(address?.web && { target: "_blank" }),
      title: address ? `${title}\n${address.title}` : title,
      dataset: file ? { sourceFile: file, sourceLine: line ?? "", sourceTitle: title } : {},
    },
    content ?? full,
  );
}

/** Turn the source lines on the page into links of the chosen editor, or back into text. */
function renewLinks() {
  for (const old of document.querySelectorAll("[data-source-file]")) {
    const { sourceFile, sourceLine, sourceTitle: title } = /** @type {HTMLElement} */ (old).dataset;
    const line = sourceLine ? Number(sourceLine) : null;
    const props = { title, class: old.className, tabindex: old.getAttribute("tabindex") };
    old.replaceWith(placeLink(sourceFile, line, [...old.childNodes], props));
  }
}
