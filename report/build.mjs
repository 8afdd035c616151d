// Bundles the page into one file: node build.mjs [OUTPUT]. The same sources and the
// versions of package-lock.json give the same bytes.

import { build } from "esbuild";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2] ?? join(here, "../share/report/report.html");
const result = await build({
  absWorkingDir: here,
  entryPoints: { page: "src/app.tsx", style: "src/page.css" },
  outdir: "out",
  bundle: true,
  write: false,
  minify: true,
  charset: "utf8",
  legalComments: "none",
  format: "iife",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
});
const text = (name) => {
  const file = result.outputFiles.find((file) => file.path.endsWith(name));
  // Nothing in the bundle may end the element that it stands in.
  return file.text.trim().replace(/<\/(script|style)/gi, "<\\/$1");
};
// Licences of what is bundled ask to be kept with it.
const notices = ["preact", "uplot"].map(
  (name) => `${name}:\n${readFileSync(join(here, "node_modules", name, "LICENSE"), "utf8").trim()}`,
);
const page = readFileSync(join(here, "template.html"), "utf8")
  .replace("/*STYLE*/", () => text("style.css"))
  .replace("/*SCRIPT*/", () => text("page.js"))
  .replace("<body>", () => `<!--\n${notices.join("\n\n")}\n-->\n<body>`);
mkdirSync(dirname(output), { recursive: true });
writeFileSync(output, page);
