// Write the pages of the viewers with few, minified files of modules, for servers that are far away:
//
//   node build.mjs FOLDER
//
// FOLDER gets <viewer>/index.html, to be served in place of the viewer's own, and its modules. The package build
// runs this, and servers use the result where it is there (tlparse_bundle/serve/viewers.py).
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { rolldown } from "rolldown";

const VIEWERS = ["compare", "default", "home", "multirank", "open", "provenance", "trend", "vllm"];
const MANY = 5; // views that share a module, so that it goes into a file with other such modules
const PRELOAD = / *<link rel="modulepreload" href="([^"]+)" \/>\n/g;
const SCRIPT = / *<script type="module" src="main\.js"><\/script>\n/;

// Workers and decoders stay separate files, at their places.
const fromBuilt = (path) => `../../${relative(import.meta.dirname, path).replaceAll(sep, "/")}`;
const separate = {
  name: "separate",
  resolveId: (source, importer) =>
    source.includes("/vendor/")
      ? { id: fromBuilt(resolve(dirname(importer), source)), external: "absolute" }
      : null,
  transform: (code, id) => code.replaceAll("import.meta.url", `new URL("${fromBuilt(id)}", import.meta.url)`),
};

async function build(viewer, target) {
  const page = await readFile(join(import.meta.dirname, viewer, "index.html"), "utf8");
  const first = new Set(
    [...page.matchAll(PRELOAD)].map(([, path]) => resolve(import.meta.dirname, viewer, path)),
  );
  const bundle = await rolldown({
    input: join(import.meta.dirname, viewer, "main.js"),
    plugins: [separate],
    checks: { ineffectiveDynamicImport: false },
  });
  const { output } = await bundle.write({
    dir: join(target, viewer),
    minify: { compress: true, mangle: false, codegen: true }, // names remain readable in error reports
    chunkFileNames: "[name].js",
    codeSplitting: {
      groups: [
        { name: "first", test: (id) => first.has(id), priority: 2 },
        { name: "lib", test: /\/(lib|shared)\//, minShareCount: MANY, priority: 1 },
      ],
    },
  });
  const main = output.find((file) => file.isEntry);
  const beside = output.filter(
    (file) => main.dynamicImports?.includes(file.fileName) && first.has(file.facadeModuleId),
  );
  const preloads = [...main.imports, ...beside.map((file) => file.fileName)];
  const links = preloads.map(
    (name) => `    <link rel="modulepreload" href="../built/${viewer}/${name}" />\n`,
  );
  const script = `    <script type="module" src="../built/${viewer}/${main.fileName}"></script>\n`;
  if (!SCRIPT.test(page)) throw new Error(`${viewer}/index.html does not load main.js`);
  const built = page.replace(PRELOAD, "").replace(SCRIPT, () => links.join("") + script);
  await writeFile(join(target, viewer, "index.html"), built);
}

const target = resolve(process.argv[2]);
await mkdir(target, { recursive: true });
await Promise.all(VIEWERS.map((viewer) => build(viewer, target)));
