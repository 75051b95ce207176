// One record: its location, metadata and payload.
import { describe } from "../../lib/bundle/artifacts.js";
import { fill, h } from "../../lib/page/dom.js";
import { bytes, count, time } from "../../lib/page/format.js";
import { loader } from "../../lib/page/load.js";
import { store, stored } from "../../lib/page/remember.js";
import { jsonPane, payloadPane } from "../artifact/artifact.js";
import { numberOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";

const PANE = "tlparse-bundle.record-pane";

/** @param {import("../frame/viewer.js").Context} context @param {any} model @param {Element} root */
export function openRecord({ bundle, log, state }, model, root) {
  const load = loader(root);
  let shown = -2;

  const draw = (
    /** @type {any} */ event,
    /** @type {any} */ metadata,
    /** @type {Uint8Array | null} */ payload,
  ) => {
    const kind = model.directory.kinds.find(
      (/** @type {any} */ one) => one.type === event.type && one.name === event.name,
    );
    const { title, help } = describe(bundle.manifest, kind ?? { ...event, descriptor: event.type });
    const body = h("div", { class: "fill" });
    const name = event.name ?? event.type;
    /** @type {[string, string, (() => any)][]} */
    const panes = [["metadata", "Metadata", () => jsonPane(metadata, name)]];
    if (payload)
      panes.push([
        "payload",
        `Payload ${bytes(payload.length)}`,
        () => payloadPane(payload, kind?.language ?? "text", name),
      ]);
    const tabs = h("div", { "class": "tabs small", "role": "group", "aria-label": "Part of the record" });
    const choose = (/** @type {string} */ wanted) => {
      const pane = panes.find(([id]) => id === wanted) ?? panes[0];
      fill(
        tabs,
        panes.map(([id, text]) =>
          h(
            "button",
            {
              "aria-pressed": String(id === pane[0]),
              "onclick": () => {
                store(PANE, id);
                choose(id);
                /** @type {HTMLElement} */ (tabs.querySelector("[aria-pressed=true]"))?.focus();
              },
            },
            text,
          ),
        ),
      );
      fill(body, pane[2]().element);
    };
    choose(stored(PANE) ?? "payload");
    fill(
      root,
      h(
        "header",
        { class: "artifact-head" },
        h("h2", null, title),
        help && h("span", { class: "dim" }, help),
      ),
      h(
        "ul",
        { class: "facts-line padded" },
        h("li", null, `record ${count(event.event)}`),
        h("li", null, `line ${count(event.line)}`),
        h(
          "li",
          null,
          h(
            "span",
            { title: clockText(model.directory.clock, event) },
            `${time(event.time_us)} after the first record`,
          ),
        ),
        h("li", null, compileLink(model, numberOf(model, event), state)),
        h("li", null, event.record_rank === null ? "no rank" : `rank ${event.record_rank}`),
        h("li", null, writerText(event.pid)),
        h("li", null, h("span", { class: "path", title: "Call site in torch" }, event.origin)),
        h("li", null, `${bytes(event.size_bytes)} in the log`),
        event.payload_form !== null && event.payload_form !== "lf" && h("li", null, event.payload_form),
      ),
      tabs,
      body,
    );
  };

  return {
    /** @param {number} index -1 for none */
    show(index) {
      if (index === shown) return;
      shown = index;
      if (!(index >= 0 && index < model.directory.event_count)) {
        fill(
          root,
          h(
            "p",
            { class: "dim padded" },
            index >= 0 ? `This log has no record ${count(index)}.` : "No records match the filter.",
          ),
        );
        return;
      }
      load(
        `record ${count(index)}`,
        async (signal) => {
          const [event, raw, stacks] = await Promise.all([
            log.event(index),
            log.metadata(index, { signal }),
            log.stacks(),
          ]);
          return {
            event,
            metadata: stacks.resolve(raw),
            payload: event && (await log.payload(event, { signal })),
          };
        },
        ({ event, metadata, payload }) => draw(event, metadata, payload),
      );
    },
    close: () => {
      shown = -2;
    },
  };
}

/** @param {any} clock @param {any} event */
function clockText(clock, event) {
  if (clock.origin_epoch_us !== null)
    return new Date((clock.origin_epoch_us + event.time_us) / 1000).toISOString();
  return `First record: ${clock.origin ?? "no time"} (local time; year and time zone not recorded)`;
}

/** Return the writer of a record: torch 2.3 and 2.4 log the thread, whose id is an address, instead of the process. @param {number} id */
const writerText = (id) => (id > 2 ** 32 ? `thread ${id}` : `process ${id}`);
