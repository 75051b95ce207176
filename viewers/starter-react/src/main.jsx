// Opens the bundle, then starts React. All viewers share the reader in '../../lib'.
import { createRoot } from "react-dom/client";
import { openPageBundle } from "../../lib/page/open-bundle.js";
import { App } from "./App.jsx";
import "../../lib/page/tokens.css";
import "../../lib/page/base.css";
import "./style.css";

const root = document.createElement("div");
root.id = "root";
try {
  const bundle = await openPageBundle(); // '?bundle=', 'bundle/' next to the page, or a bundle dropped on it
  document.body.replaceChildren(root);
  createRoot(root).render(<App bundle={bundle} />);
} catch (error) {
  document.body.replaceChildren(root);
  createRoot(root).render(<p role="alert">{error.message}</p>);
}
