// A form with the inputs of the last call: edit one, and see which cache entry the next call would match.
import { debounce, fill, h } from "../../lib/page/dom.js";
import { count, plural } from "../../lib/page/format.js";
import { BadValue, parseValue } from "../../lib/guards/literal.js";
import { isArgument, predict } from "../../lib/guards/predict.js";
import { Tensor, contiguous, repr } from "../../lib/guards/values.js";
import { idText, rowOf } from "../shared/model.js";
import { compileLink } from "../shared/parts.js";
import { localName } from "./history.js";
import { guardParts } from "./short.js";

/** @typedef {import("./history.js").History} History */
/** @typedef {import("./reasons.js").About} About */
/** @typedef {import("../../lib/guards/values.js").Value} Value */
/** @typedef {import("../../lib/guards/predict.js").Prediction} Prediction */
/** @typedef {import("../../lib/guards/predict.js").Judged} Judged */
/** @typedef {{source: string, initial: string, value: Value, input: HTMLInputElement, error: HTMLElement, element: HTMLElement}} Field */

const MOST_FIELDS = 200;
const MOST_ENTRIES = 20;
const MOST_GUARDS = 6; // of one entry
const PAUSE_MS = 120; // of typing
let forms = 0;

/** Build the form; null when the log does not record the inputs of a call. @param {About} about @param {History} history */
export function predictor(about, history) {
  const last = history.entries.at(-1);
  const inputs = last && history.inputs.get(last.compile);
  if (!last || !inputs) return null;
  const form = forms++;
  const fields = [...inputs]
    .slice(0, MOST_FIELDS)
    .map(([source, value], i) => field(source, value, `call-${form}-${i}`, () => judgeSoon()));
  const [ofCall, others] = [true, false].map((wanted) =>
    fields.filter(({ source }) => isArgument(source) === wanted),
  );
  const answer = h("div", { class: "answer", role: "status" });
  const entries = h("div", { class: "answer-entries" });
  const judge = () => {
    const call = read(fields);
    if (call.bad.length > 0) {
      fill(
        answer,
        h(
          "p",
          null,
          `Correct ${call.bad.map(({ source }) => localName(source)).join(", ")} to get an answer.`,
        ),
      );
      fill(entries);
      return;
    }
    const prediction = predict(history.entries, call.given, call.changed, history.isLimited);
    fill(answer, verdict(about, prediction, call.given));
    fill(entries, entryList(about, prediction, call.given));
  };
  const judgeSoon = debounce(() => answer.isConnected && judge(), PAUSE_MS);
  const reset = () => {
    for (const { input, initial } of fields) input.value = initial;
    judge();
    fields[0]?.input.focus();
  };
  judge();
  return [
    h(
      "p",
      { class: "dim" },
      "The inputs of the last call that compiled. Edit one to ask about the next call after the end of the log. Write tensors such as ",
      h("code", null, "f32[8, 4]"),
      ", with ",
      h("code", null, "f32[8, 4][1, 8]cuda:0 requires_grad"),
      " for strides, device and autograd, and other values as Python literals. Globals and modules are as the last compile saw them.",
    ),
    h(
      "form",
      {
        "class": "call-form",
        "aria-label": "Inputs of the next call",
        "onsubmit": (/** @type {Event} */ event) => (event.preventDefault(), judge()),
      },
      ofCall.map(({ element }) => element),
      inputs.size > MOST_FIELDS &&
        h("p", { class: "dim" }, `The first ${count(MOST_FIELDS)} of ${plural(inputs.size, "value")}.`),
      others.length > 0 &&
        h(
          "details",
          null,
          h("summary", null, `Globals and modules (${count(others.length)})`),
          others.map(({ element }) => element),
        ),
      h("p", null, h("button", { class: "tool", type: "button", onclick: reset }, "Reset to the last call")),
    ),
    answer,
    entries,
  ];
}

/** @param {string} source @param {Value} value @param {string} id @param {() => void} onedit @returns {Field} */
function field(source, value, id, onedit) {
  const isTensor = value instanceof Tensor;
  const initial = written(value);
  const error = h("span", { class: "field-error", id: `${id}-error`, hidden: true });
  const input = h("input", {
    id: id,
    type: "text",
    class: "field mono",
    spellcheck: "false",
    autocomplete: "off",
    placeholder: "not stated",
    oninput: onedit,
  });
  input.value = initial;
  const element = h(
    "div",
    { class: "call-field" },
    h(
      "label",
      { for: id },
      h("code", null, localName(source)),
      isTensor && h("span", { class: "visually-hidden" }, " (tensor)"),
    ),
    input,
    error,
  );
  return { source, initial, value, input, error, element };
}

/** Return a value as a user would write it: strides only where they are not those of a contiguous tensor. @param {Value} value */
function written(value) {
  if (!(value instanceof Tensor)) return repr(value);
  const { size, stride, dtype, device, requiresGrad } = value;
  const isContiguous = stride !== null && String(stride) === String(contiguous(size));
  return repr(isContiguous ? new Tensor(size, null, dtype, device, requiresGrad) : value);
}

/** Return the values of the form, and mark the fields that are wrong. @param {Field[]} fields */
function read(fields) {
  /** @type {Map<string, Value>} */
  const given = new Map();
  const changed = new Set(/** @type {string[]} */ ([]));
  const bad = [];
  for (const one of fields) {
    const text = one.input.value.trim();
    let message = "";
    try {
      const isEdited = text !== one.initial;
      if (isEdited) changed.add(one.source);
      if (text !== "") given.set(one.source, isEdited ? parseValue(text) : one.value);
    } catch (error) {
      if (!(error instanceof BadValue)) throw error;
      message = error.message;
      bad.push(one);
    }
    tell(one, message);
  }
  return { given, changed, bad };
}

/** Show what is wrong with a field, or nothing. @param {Field} field @param {string} message */
function tell({ input, error }, message) {
  error.textContent = message;
  error.hidden = message === "";
  if (message === "") {
    input.removeAttribute("aria-invalid");
    input.removeAttribute("aria-describedby");
  } else {
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", error.id);
  }
}

/** @param {About} about @param {string} compile */
const shownId = ({ model }, compile) => {
  const index = rowOf(model, compile);
  return index < 0 ? compile : idText(model.compiles[index]);
};

/** Return the answer in a sentence. @param {About} about @param {Prediction} prediction @param {Map<string, Value>} given */
function verdict(about, { recompiles, entry, isCertain, isRefused, judged }, given) {
  if (entry) {
    return h(
      "p",
      null,
      h("strong", null, `Matches cache entry ${shownId(about, entry.compile)}`),
      isCertain ? ": no recompile." : ", if the guards below hold that the log does not decide.",
    );
  }
  const closest = judged
    .filter(({ failed }) => failed.length > 0)
    .reduce(
      (best, one) => (best && best.failed.length <= one.failed.length ? best : one),
      /** @type {Judged | null} */ (null),
    );
  const first = closest?.failed[0];
  const parts = first && guardParts(first.guard, given);
  return h(
    "p",
    null,
    h("strong", null, recompiles || !isRefused ? "Recompiles" : "Runs eager"),
    isRefused
      ? ": no cache entry fits, and the recompile limit is reached."
      : isCertain
        ? ": no cache entry fits."
        : ", unless the guards below hold that the log does not decide.",
    closest &&
      parts && [
        ` The closest entry is ${shownId(about, closest.entry.compile)}, where ${plural(closest.failed.length, "guard fails", "guards fail")}: `,
        h("code", null, parts.text),
        ` ${parts.values}.`,
      ],
  );
}

/** List the entries as torch tries them, with the guards that fail. @param {About} about @param {Prediction} prediction @param {Map<string, Value>} given */
function entryList(about, { entry, judged }, given) {
  const { model, state } = about;
  const item = (/** @type {Judged} */ { entry: one, failed, unknown }) => {
    const index = rowOf(model, one.compile);
    const words =
      one === entry && unknown.length === 0
        ? "fits"
        : failed.length > 0
          ? plural(failed.length, "guard fails", "guards fail")
          : "fits if these hold:";
    const shown = failed.length > 0 ? failed : unknown;
    return h(
      "li",
      null,
      index < 0 ? one.compile : compileLink(model, index, state),
      ` ${words}`,
      shown.length > 0 &&
        h(
          "ul",
          null,
          shown.slice(0, MOST_GUARDS).map(({ guard }) => {
            const { text, values } = guardParts(guard, failed.length > 0 ? given : undefined);
            return h("li", null, h("code", null, text), failed.length > 0 && values && ` ${values}`);
          }),
          shown.length > MOST_GUARDS &&
            h("li", { class: "dim" }, `and ${count(shown.length - MOST_GUARDS)} more`),
        ),
    );
  };
  return [
    h("p", { class: "dim" }, "Cache entries in the order in which torch tries them:"),
    h(
      "ol",
      { "class": "history", "aria-label": "Cache entries, newest first" },
      judged.slice(0, MOST_ENTRIES).map(item),
    ),
    judged.length > MOST_ENTRIES &&
      h("p", { class: "dim" }, `and ${plural(judged.length - MOST_ENTRIES, "older entry", "older entries")}`),
  ];
}
