import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The build output, dist/, is a viewer folder like any other: relative addresses, nothing inline, so that the
// page's Content-Security-Policy holds.
export default defineConfig({
  base: "./",
  plugins: [react()],
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  worker: { format: "es" },
});
