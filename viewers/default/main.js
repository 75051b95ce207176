// The default viewer: asks for the bundle and for what its first screen shows, while the modules that draw it are on their way.
import { afterPaint } from "../lib/page/dom.js";
import { watchErrors } from "../lib/page/load.js";
import { openPageBundle } from "../lib/page/open-bundle.js";
import { stopped } from "../lib/page/page.js";
import { openingLog } from "./shared/model.js";

const viewer = import("./frame/viewer.js");

watchErrors();
viewer.catch(() => {}); // told below
try {
  const bundle = await openPageBundle();
  askFor(bundle);
  const page = await (await viewer).start(bundle);
  afterPaint(() => import("../lib/live/watch.js").then(({ watch }) => watch(bundle, page)));
} catch (error) {
  stopped(error);
}

/** Every view begins with these, and tells what goes wrong with them. @param {import("../lib/bundle/bundle.js").Bundle} bundle */
function askFor(bundle) {
  const named = new URLSearchParams(location.hash.slice(1)).get("log");
  const log = named ? bundle.log(named) : bundle.logs.length > 0 && openingLog(bundle);
  if (log) Promise.all([log.compiles(), log.findings()]).catch(() => {});
}
