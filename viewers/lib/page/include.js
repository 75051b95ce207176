// The dialog that redacts a bundle: the user chooses what to include, and the server writes the file.
import { fill, h } from "./dom.js";
import { download, fetched } from "./hand-over.js";

/** Content that a redacted bundle may keep: [name, title, description]. @type {[string, string, string][]} */
const CONTENT = [
  ["payloads", "Payloads", "Graphs, generated code and logs, unchanged: with all names in them"],
  ["source", "Source code", "Lines of your program in stacks and graph breaks"],
  ["metadata", "Record metadata", "Fields of records that are not in the bundle's tables, unchanged"],
];
/** @type {[string, string][]} */
const PARTS = [
  ["findings", "Findings"],
  ["timeline", "Timeline"],
  ["recompiles", "Recompiles"],
  ["graph_breaks", "Graph breaks"],
  ["failures", "Failures"],
  ["caches", "Caches"],
  ["guards", "Guards"],
  ["graphs", "Graphs"],
  ["kernels", "Kernels"],
  ["provenance", "Provenance"],
  ["tensors", "Tensors"],
  ["symbols", "Symbols"],
  ["metrics", "Metrics"],
  ["runtime", "Run times"],
  ["sources", "Shape sources"],
  ["export", "Export"],
  ["vllm", "vLLM"],
  ["anatomy", "Log anatomy"],
  ["ranks", "Ranks"],
];
const CODE = ["payloads", "source", "metadata"];
/** Parts that describe the model. */
const MODEL = [
  ...[
    "guards",
    "graphs",
    "kernels",
    "provenance",
    "tensors",
    "symbols",
    "runtime",
    "sources",
    "export",
    "vllm",
  ],
];
/** The presets: [name, title, what they drop]. @type {[string, string, string[]][]} */
const FOR = [
  ["share-with-public", "Anyone", [...CODE, ...MODEL]],
  ["share-with-vendor", "A vendor", CODE],
];
let made = 0;

/**
 * Open the dialog.
 * @param {{page: string, zip: string, preview: string, viewer: string}} urls URLs of the server's exports,
 *   and the viewer's name
 */
export function chooseWhatToInclude({ page, zip, preview, viewer }) {
  const id = `include-${++made}`;
  const box = (/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ about) =>
    h(
      "label",
      { class: "include-box" },
      h("input", {
        "type": "checkbox",
        "value": name,
        "aria-describedby": about ? `${id}-${name}` : null,
        "onchange": changed,
      }),
      h("span", null, title, about && h("span", { class: "dim", id: `${id}-${name}` }, about)),
    );
  const radio = (
    /** @type {string} */ group,
    /** @type {string} */ value,
    /** @type {string} */ title,
    /** @type {boolean} */ checked,
  ) =>
    h(
      "label",
      { class: "include-box" },
      h("input", {
        type: "radio",
        name: `${id}-${group}`,
        value,
        checked,
        onchange: () => group === "for" && choose(value),
      }),
      h("span", null, title),
    );
  const parts = h("summary", null),
    status = h("p", { role: "status", class: "include-status" }),
    shown = h("pre", { "class": "padded", "tabindex": "0", "aria-label": "Preview", "hidden": true });
  const start = h("button", { class: "tool main-tool", onclick: () => void give() }, "Download");
  const look = h("button", { class: "tool", onclick: () => void show() }, "Preview");
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      {
        "class": "help include",
        "aria-labelledby": `${id}-title`,
        "onkeydown": (/** @type {Event} */ event) => event.stopPropagation(),
        "onclose": () => dialog.remove(),
      },
      h(
        "header",
        { class: "help-head" },
        h("h2", { id: `${id}-title` }, "Choose what to include"),
        h("button", { class: "tool", onclick: () => dialog.close() }, "Close"),
      ),
      h(
        "fieldset",
        { class: "include-row" },
        h("legend", null, "For"),
        FOR.map(([value, title]) => radio("for", value, title, value === FOR[0][0])),
        radio("for", "", "Custom", false),
      ),
      h(
        "fieldset",
        null,
        h("legend", null, "Content"),
        CONTENT.map(([name, title, about]) => box(name, title, about)),
      ),
      h(
        "details",
        null,
        parts,
        h(
          "fieldset",
          { class: "include-parts" },
          h("legend", { class: "visually-hidden" }, "Sections"),
          PARTS.map(([name, title]) => box(name, title, "")),
        ),
      ),
      h(
        "fieldset",
        { class: "include-row" },
        h("legend", null, "Format"),
        radio("as", "zip", "Zip of the bundle", true),
        radio("as", "html", "One HTML page", false),
      ),
      h(
        "p",
        { class: "dim" },
        "The raw log, messages and values are never included. Functions, files, modules and tensors get pseudonyms.",
      ),
      h("div", { class: "include-row" }, start, look),
      status,
      shown,
    )
  );
  const boxes = () =>
    /** @type {HTMLInputElement[]} */ ([...dialog.querySelectorAll("input[type=checkbox]")]);
  const gone = () =>
    boxes()
      .filter(({ checked }) => !checked)
      .map(({ value }) => value);
  const radios = (/** @type {string} */ group) =>
    /** @type {HTMLInputElement[]} */ ([...dialog.querySelectorAll(`input[name="${id}-${group}"]`)]);
  const query = () => new URLSearchParams({ drop: gone().join(",") });

  function choose(/** @type {string} */ value) {
    const dropped = FOR.find(([name]) => name === value)?.[2];
    if (dropped) for (const one of boxes()) one.checked = !dropped.includes(one.value);
    changed();
  }
  function changed() {
    const now = gone(),
      fits =
        FOR.find(
          ([, , dropped]) => dropped.length === now.length && dropped.every((name) => now.includes(name)),
        )?.[0] ?? "";
    for (const one of radios("for")) one.checked = one.value === fits;
    fill(parts, `Page sections: ${PARTS.filter(([name]) => !now.includes(name)).length} of ${PARTS.length}`);
    shown.hidden = true;
    fill(status);
  }
  /** @param {() => Promise<string>} work */
  async function busy(work) {
    fill(status, "Writing …");
    start.disabled = look.disabled = true;
    try {
      fill(status, await work());
    } catch (error) {
      fill(status, /** @type {Error} */ (error).message.slice(0, 1_000));
    } finally {
      start.disabled = look.disabled = false;
    }
  }
  const give = () =>
    busy(async () => {
      const kind = radios("as").find(({ checked }) => checked)?.value ?? "zip";
      const search = query();
      if (kind === "html") search.set("viewer", viewer);
      download(`redacted.${kind}`, await fetched(`${kind === "html" ? page : zip}?${search}`));
      return `Saved as redacted.${kind}. Check it before you share it.`;
    });
  const show = () =>
    busy(async () => {
      fill(shown, await (await fetched(`${preview}?${query()}`)).text());
      shown.hidden = false;
      shown.scrollIntoView({ block: "nearest" });
      return "";
    });

  document.body.append(dialog);
  choose(FOR[0][0]);
  dialog.showModal();
  radios("for")[0].focus();
}
