// Log size by kind of record: a box per kind, sized by its share, with its repeated bytes.
// The URL names the log: '#log=…'.
import { fill, h } from "../lib/page/dom.js";
import { bytes, plural } from "../lib/page/format.js";
import { LEFT_OUT } from "../lib/page/left-out.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";

const LEAST = 0.002; // share of all bytes; smaller kinds share one box

watchErrors();
try {
  const bundle = await openPageBundle();
  const draw = () => show(bundle).catch((error) => fill(document.body, h("main", null, errorBox(error))));
  addEventListener("hashchange", draw);
  await draw();
} catch (error) {
  fill(
    document.body,
    h("main", { class: "stopped" }, h("h1", null, "Can't open the bundle"), errorBox(error)),
  );
}

/** @param {import("../lib/bundle/bundle.js").Bundle} bundle */
async function show(bundle) {
  const asked = new URLSearchParams(location.hash.slice(1)).get("log");
  const log = bundle.log(asked ?? "") ?? bundle.logs[0];
  if (!log)
    return void fill(
      document.body,
      h("main", { class: "stopped" }, h("h1", null, "This bundle has no logs")),
    );
  const kinds = await log.table("kinds");
  if (!kinds)
    return void fill(
      document.body,
      h("main", { class: "stopped" }, h("h1", null, "Log size by record kind"), h("p", null, LEFT_OUT)),
    );
  const boxes = boxesOf(kinds);
  fill(
    document.body,
    h(
      "header",
      null,
      h("h1", null, `${bytes(log.summary.source.size_bytes)} of `, log.summary.source.name),
      bundle.logs.length > 1 &&
        h(
          "nav",
          { "aria-label": "Logs" },
          bundle.logs.map((one) =>
            h(
              "a",
              {
                "href": `#${new URLSearchParams({ log: one.id })}`,
                "aria-current": one === log ? "true" : null,
              },
              one.rank === null ? one.id : `rank ${one.rank}`,
            ),
          ),
        ),
    ),
    h("main", { class: "boxes" }, h("ul", { "aria-label": "Kinds of records" }, boxes.map(box))),
  );
}

/** @typedef {{name: string, size: number, events: number, again: number, share: number}} Box */

/** @param {import("../../schema/bundle.d.ts").Kinds[]} kinds @returns {Box[]} */
function boxesOf(kinds) {
  const whole = kinds.reduce((sum, kind) => sum + kind.size_bytes, 0) || 1;
  const all = kinds
    .map((kind) => ({
      name: kind.name ?? kind.type,
      size: kind.size_bytes,
      events: kind.event_count,
      again: kind.payload_size_bytes - kind.distinct_payload_size_bytes,
      share: kind.size_bytes / whole,
    }))
    .sort((one, other) => other.size - one.size);
  const large = all.filter(({ share }) => share >= LEAST),
    small = all.filter(({ share }) => share < LEAST);
  if (!small.length) return large;
  const sum = (/** @type {(box: Box) => number} */ of) => small.reduce((total, one) => total + of(one), 0);
  return [
    ...large,
    {
      name: plural(small.length, "smaller kind"),
      size: sum(({ size }) => size),
      events: sum(({ events }) => events),
      again: sum(({ again }) => again),
      share: sum(({ share }) => share),
    },
  ];
}

/** @param {Box} box */
function box({ name, size, events, again, share }) {
  const element = h(
    "li",
    { title: `${name}: ${bytes(size)} in ${plural(events, "record")}` },
    h("strong", null, name),
    h("span", null, `${bytes(size)}, ${share < 0.01 ? "less than 1" : Math.round(share * 100)} %`),
    h("span", { class: "dim" }, plural(events, "record")),
    again > 0 && h("span", { class: "again" }, `${bytes(again)} repeated`),
  );
  element.style.flexGrow = String(Math.max(1, Math.round(share * 1000)));
  element.style.flexBasis = `${Math.max(8, Math.sqrt(share) * 60)}rem`;
  element.style.minHeight = `${4 + Math.sqrt(share) * 16}rem`;
  return element;
}
