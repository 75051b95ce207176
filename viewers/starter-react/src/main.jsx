// Opens the bundle, then hands the page to React. '../../lib' is the same reader that the other viewers use.
import { createRoot } from "react-dom/client";
import { openPageBundle } from "../../lib/page/open-bundle.js";
import { App } from "./App.jsx";
import "../../lib/page/tokens.css";
import "../../lib/page/base.css";
import "./style.css";

const root = document.createElement("div");
root.id = "root";
try {
  const bundle = await openPageBundle(); // '?bundle=' in the address, 'bundle/' beside the page, or one that is dropped on it
  document.body.replaceChildren(root);
  createRoot(root).render(<App bundle={bundle} />);
} catch (error) {
  document.body.replaceChildren(root);
  createRoot(root).render(<p role="alert">{error.message}</p>);
}
