// Entry point: loads the bundle and the tables of the first screen in parallel with the modules that draw it.
import { afterPaint } from "../lib/page/dom.js";
import { watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";
import { stopped } from "../lib/page/page.js";
import { openingLog } from "./shared/model.js";

const viewer = import("./frame/viewer.js");

watchErrors();
viewer.catch(() => {}); // reported below
try {
  const bundle = await openPageBundle();
  preload(bundle);
  const page = await (await viewer).start(bundle);
  afterPaint(() => import("../lib/live/watch.js").then(({ watch }) => watch(bundle, page)));
} catch (error) {
  stopped(error);
}

/** Start loading the tables that every view needs. The views report errors. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
function preload(bundle) {
  const named = new URLSearchParams(location.hash.slice(1)).get("log");
  const log = named ? bundle.log(named) : bundle.logs.length > 0 && openingLog(bundle);
  if (log) Promise.all([log.compiles(), log.findings()]).catch(() => {});
}
