// Entry point of the comparison viewer: requests the comparison while the modules that draw it load.
import { fill, h } from "../lib/page/dom.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openRun } from "./places.js";

const viewer = import("./viewer.js");

watchErrors();
viewer.catch(() => {}); // handled below
document.getElementById("boot")?.remove();
const opening = openRun(); // exported pages: reads embedded data before the page is drawn
fill(document.body, h("p", { class: "loading", role: "status" }, "Comparing …"));
try {
  const run = await opening;
  (await viewer).start(run);
} catch (error) {
  fill(
    document.body,
    h(
      "main",
      { class: "stopped" },
      h("h1", null, "No comparison"),
      errorBox(error, () => location.reload()),
    ),
  );
}
