// Diagnostic codes with counts and meanings.
import { h } from "../../lib/page/dom.js";
import { count } from "../../lib/page/format.js";

/** @param {any} bundle @param {string} code */
const meaning = (bundle, code) =>
  Object.hasOwn(bundle.manifest.diagnostic_codes, code)
    ? bundle.manifest.diagnostic_codes[code]
    : { severity: "warning", meaning: "" };

/** @param {string} severity */
export function severityBadge(severity) {
  const warning = severity === "warning";
  return h(
    "span",
    { class: `status ${warning ? "status-break" : "status-none"}` },
    h("span", { "class": "sign", "aria-hidden": "true" }, warning ? "⚠" : "i"),
    " ",
    severity,
  );
}

/** List codes with counts and meanings. @param {any} bundle @param {[string, any][]} found @param {(code: string) => string} link */
export function diagnosticsList(bundle, found, link) {
  return h(
    "dl",
    { class: "pairs" },
    found
      .map(([code, n]) => {
        const known = meaning(bundle, code);
        return [
          h(
            "dt",
            null,
            severityBadge(known.severity),
            " ",
            h("a", { href: link(code) }, code),
            ` ${count(n)}`,
          ),
          h("dd", null, known.meaning),
        ];
      })
      .flat(),
  );
}
