// Entries of the command palette: views, compiles, artifacts, logs, settings.
import { artifactsOf } from "../../lib/bundle/artifacts.js";
import { attemptKey } from "../../lib/bundle/log.js";
import { openPalette } from "../../lib/frame/palette.js";
import { time } from "../../lib/page/format.js";
import { toggleTheme } from "../../lib/page/remember.js";
import { showSourceSettings } from "../../lib/page/source-settings.js";
import { functionName, idText, logName, modelOf, placeOf } from "../shared/model.js";
import { showHelp } from "./help.js";

/** @typedef {import("../../lib/frame/palette.js").Entry} Entry */

const MOST_LOGS = 2_000,
  MOST_ARTIFACTS = 20_000;

/**
 * @param {import("../../lib/bundle/bundle.js").Bundle} bundle @param {import("../../lib/page/hash-state.js").HashState} state
 * @param {import("../../lib/bundle/log.js").Log | null} log @param {import("../../lib/frame/frame.js").Group[]} groups of views
 */
export function jump(bundle, state, log, groups) {
  const views = groups.flatMap(({ title, items }) =>
    items.map((item) => ({
      text: item.title,
      about: title,
      group: "Views",
      icon: item.icon,
      href: item.href,
    })),
  );
  const logs =
    bundle.logs.length > 1
      ? bundle.logs
          .slice(0, MOST_LOGS)
          .map((one) => ({
            text: logName(one),
            about: one.summary.source.name,
            group: "Logs",
            icon: "ranks",
            href: state.link({ log: one.id, view: state.current.view }),
          }))
      : [];
  const settings = [
    { text: "Switch between light and dark", group: "Settings", run: toggleTheme },
    { text: "Open source lines in an editor", group: "Settings", run: showSourceSettings },
    { text: "Help", about: "?", group: "Settings", run: showHelp },
  ];
  openPalette({
    entries: [...views, ...settings, ...logs],
    more: log ? entriesOf(log, state) : undefined,
    go: (href) => state.go(href),
    search: (text) => state.link({ view: "search", q: text, in: "text" }),
  });
}

/** Compiles and their artifacts, in the order of the log. @param {import("../../lib/bundle/log.js").Log} log @param {import("../../lib/page/hash-state.js").HashState} state @returns {Promise<Entry[]>} */
async function entriesOf(log, state) {
  const [model, { rows, byAttempt }] = await Promise.all([modelOf(log), artifactsOf(log)]);
  const compiles = model.order.filter((index) => model.compiles[index].id !== null);
  let left = MOST_ARTIFACTS;
  return [
    ...compiles.map((index) => {
      const compile = model.compiles[index];
      return {
        text: `${idText(compile)} ${functionName(compile)}`,
        about: [placeOf(model, compile), compile.total_us !== null && time(compile.total_us)]
          .filter(Boolean)
          .join(" · "),
        group: "Compiles",
        icon: "compiles",
        href: state.link({ view: "compile", compile: compile.key }),
      };
    }),
    ...compiles.flatMap((index) => {
      const seen = new Map();
      return (byAttempt.get(attemptKey(model.compiles[index])) ?? [])
        .slice(0, Math.max(0, left))
        .map((row) => {
          left--;
          const { name } = rows[row],
            nth = (seen.get(name) ?? 0) + 1;
          seen.set(name, nth);
          return {
            text: name,
            about: `${idText(model.compiles[index])} ${functionName(model.compiles[index])}${nth > 1 ? `, ${nth}` : ""}`,
            group: "Artifacts",
            icon: "records",
            href: state.link({
              view: "compile",
              compile: model.compiles[index].key,
              artifact: nth === 1 ? name : `${name}@${nth}`,
            }),
          };
        });
    }),
  ];
}
