// The package: what is in it, and what its manifest names.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = process.env.PTOSCOPE_SOURCE;
const { version } = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const vsix = join(here, `ptoscope-${version}.vsix`);
// Another reader of archives than the one that wrote it.
const python = (program, ...words) => execFileSync("/usr/bin/python3", ["-c", program, vsix, ...words], { maxBuffer: 1 << 26 });
const read = (name) => python("import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))", name);
const names = JSON.parse(python("import json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(json.dumps(z.namelist()))"));

test("the package has what is needed, and nothing else", () => {
  const expected = ["README.md", "dist/ThirdPartyNotices.txt", "dist/extension.js", "language-configuration.json", "package.json", "syntaxes/pto.tmLanguage.json"];
  if (existsSync(join(source, "LICENSE"))) expected.push("LICENSE.txt");
  assert.deepEqual([...names].sort(), ["[Content_Types].xml", "extension.vsixmanifest", ...expected.map((name) => `extension/${name}`)].sort());
});

test("both descriptions agree, and name files that are there", () => {
  const manifest = JSON.parse(read("extension/package.json"));
  const description = read("extension.vsixmanifest").toString();
  python("import sys, zipfile, xml.dom.minidom as m; z = zipfile.ZipFile(sys.argv[1]); [m.parseString(z.read(n)) for n in sys.argv[2:]]", "extension.vsixmanifest", "[Content_Types].xml");
  assert.match(description, new RegExp(`Id="ptoscope" Version="${version}" Publisher="ptoscope"`));
  for (const [, path] of description.matchAll(/Path="([^"]+)"/g)) assert.ok(names.includes(path), path);
  const { languages, grammars } = manifest.contributes;
  const files = [manifest.main, languages[0].configuration, grammars[0].path].map((path) => `extension/${path.slice(2)}`);
  for (const path of files) assert.ok(names.includes(path), path);
  assert.ok(!("devDependencies" in manifest) && !("scripts" in manifest) && !("dependencies" in manifest));
  const types = read("[Content_Types].xml").toString();
  for (const name of names) if (name !== "[Content_Types].xml") assert.ok(types.includes(`Extension=".${name.split(".").at(-1)}"`), name);
});

test("licences of all that is bundled are in it", () => {
  const notices = read("extension/dist/ThirdPartyNotices.txt").toString();
  for (const name of ["vscode-languageclient", "vscode-jsonrpc", "vscode-languageserver-protocol", "vscode-languageserver-types", "semver", "minimatch"])
    assert.match(notices, new RegExp(`^${name}$`, "m"));
});

test("the same sources give the same bytes", () => {
  const before = readFileSync(vsix);
  execFileSync("node", [join(here, "build.mjs")]);
  execFileSync("node", [join(here, "package.mjs"), source]);
  assert.ok(readFileSync(vsix).equals(before));
});

test("its version is that of the tool", () => {
  assert.match(readFileSync(join(source, "CMakeLists.txt"), "utf8"), new RegExp(`project\\(ptoscope VERSION ${version} `));
});

test("the problem matchers read what the tool prints", () => {
  const { problemMatchers } = JSON.parse(read("extension/package.json")).contributes;
  const { pattern } = problemMatchers[0];
  const run = ["run", join(source, "examples/broken/missing_flag.pto"), "--arg", "auto"];
  let text;
  try {
    execFileSync(process.env.PTOSCOPE, run, { stdio: "pipe" });
  } catch (error) {
    text = String(error.stdout) + String(error.stderr);
  }
  const found = text.split("\n").flatMap((line) => new RegExp(pattern.regexp).exec(line) ?? []);
  assert.equal(found[pattern.file], run[1]);
  assert.equal(found[pattern.severity], "error");
  assert.equal(found[pattern.code], "race-raw");
  assert.ok(Number(found[pattern.line]) > 1 && found[pattern.message].includes("pto."));
  const remark = new RegExp(problemMatchers[1].pattern.regexp).exec("a.pto:3:5: remark[loose-spelling]: text");
  assert.deepEqual(remark.slice(1), ["a.pto", "3", "5", "loose-spelling", "text"]);
});

test("the page about editors names what there is", () => {
  const page = readFileSync(join(source, "docs/editor-setup.md"), "utf8");
  const { contributes } = JSON.parse(read("extension/package.json"));
  assert.ok(page.includes(`code --install-extension build/vscode/ptoscope-${version}.vsix`));
  const attributes = Object.keys(contributes.debuggers[0].configurationAttributes.launch.properties);
  for (const name of [...attributes, "ptoscope.path", "ptoscope.runArguments", "$ptoscope"]) assert.ok(page.includes(`\`${name}\``), name);
  for (const { title } of contributes.commands.slice(0, 2)) assert.ok(page.includes(`**${title}**`), title);
});
