// The dialog in which the user chooses the editor that opens source lines.
import { fill, h } from "./dom.js";
import { chooseEditor, chosenEditor, editorAddress, templateProblem } from "./place-link.js";

const NONE = "",
  OWN = "own";
/** Value, name and template. @type {[string, string, string][]} */
const EDITORS = [
  ["vscode", "VS Code", "vscode://file/{path}:{line}"],
  ["vscodium", "VSCodium", "vscodium://file/{path}:{line}"],
  ["cursor", "Cursor", "cursor://file/{path}:{line}"],
  ["windsurf", "Windsurf", "windsurf://file/{path}:{line}"],
  ["pycharm", "PyCharm", "pycharm://open?file={path}&line={line}"],
  ["idea", "IntelliJ IDEA", "idea://open?file={path}&line={line}"],
  ["zed", "Zed", "zed://file/{path}:{line}"],
  ["sublime", "Sublime Text (with subl:// handler)", "subl://open?url=file://{path}&line={line}"],
];
const EXAMPLE = { path: "/home/me/train.py", line: 12 };

export function showSourceSettings() {
  const now = chosenEditor();
  const known = EDITORS.find(([, , template]) => template === now?.template);
  const input = (/** @type {string} */ value, /** @type {string} */ placeholder) =>
    h("input", { type: "text", spellcheck: "false", value, placeholder, oninput: () => apply() });
  const choice = h(
    "select",
    { onchange: () => (setTemplate(), apply()) },
    h("option", { value: NONE }, "none: plain text, or the repository of the bundle"),
    EDITORS.map(([value, name]) => h("option", { value }, name)),
    h("option", { value: OWN }, "other …"),
  );
  choice.value = known ? known[0] : now ? OWN : NONE;
  const template = input(now?.template ?? "", "editor://open?file={path}&line={line}");
  const from = input(now?.from ?? "", "such as /workspace/repo");
  const to = input(now?.to ?? "", "such as /home/me/repo");
  const result = h("p", { class: "dim source-example", role: "status" });
  const rows = [
    field("Address", template),
    field("Folder in the log", from),
    field("The same folder here", to),
  ];
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { "aria-labelledby": "source-title", "class": "help" },
      h(
        "header",
        { class: "help-head" },
        h("h2", { id: "source-title" }, "Open source lines in an editor"),
        h("button", { class: "tool", onclick: () => dialog.close() }, "Close"),
      ),
      h("div", { class: "source-settings" }, field("Editor", choice), rows),
      result,
      h(
        "p",
        { class: "dim" },
        "This browser stores the choice for all bundles of this site. Fill in the folders if the log is from a different machine.",
      ),
    )
  );

  function setTemplate() {
    const found = EDITORS.find(([value]) => value === choice.value);
    if (found) template.value = found[2];
    else if (EDITORS.some(([, , one]) => one === template.value)) template.value = "";
  }

  function apply() {
    for (const row of rows) row.hidden = choice.value === NONE;
    template.readOnly = choice.value !== OWN;
    const editor = { template: template.value.trim(), from: from.value.trim(), to: to.value.trim() };
    const problem = choice.value === NONE ? null : templateProblem(editor.template);
    chooseEditor(choice.value === NONE || problem ? null : editor);
    const example = {
      ...EXAMPLE,
      path: editor.from ? `${editor.from.replace(/[\\/]+$/, "")}/train.py` : EXAMPLE.path,
    };
    const address = problem === null && editor.template && editorAddress(editor, example.path, example.line);
    fill(
      result,
      choice.value === NONE
        ? "Source lines are text."
        : (problem ?? (address ? `Example: ${address}` : "The folder here must be an absolute path.")),
    );
  }

  apply();
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {string} name @param {HTMLElement} control @returns {HTMLElement} */
const field = (name, control) => h("label", null, h("span", null, name), control);
