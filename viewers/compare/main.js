// The viewer of a comparison: asks for it, which a server may have to make first, while the modules that draw it are on their way.
import { fill, h } from "../lib/page/dom.js";
import { errorBox, watchErrors } from "../lib/page/load.js";
import { openRun } from "./places.js";

const viewer = import("./viewer.js");

watchErrors();
viewer.catch(() => {}); // told below
document.getElementById("boot")?.remove();
const opening = openRun(); // of an exported page it takes what the page holds, before anything is drawn
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
