// Packages the extension: node package.mjs ROOT. A .vsix is a zip archive with the files in extension/ and two
// documents that describe it. The same files give the same bytes.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { zip } from "./zip.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = process.argv[2];
const manifest = JSON.parse(readFileSync(join(here, "package.json"), "utf8"));
const read = (name) => readFileSync(join(here, name));

// What an installed extension needs; nothing else goes in.
const files = [
  "README.md",
  "language-configuration.json",
  "syntaxes/pto.tmLanguage.json",
  "dist/extension.js",
  "dist/ThirdPartyNotices.txt",
];
const { scripts, devDependencies, dependencies, private: unpublished, ...published } = manifest;
const entries = [
  ["package.json", Buffer.from(JSON.stringify(published, null, 2) + "\n")],
  ...files.map((name) => [name, read(name)]),
];
const licence = ["LICENSE", "LICENSE.txt", "LICENSE.md"].find((name) => root && existsSync(join(root, name)));
if (licence) entries.push(["LICENSE.txt", readFileSync(join(root, licence))]);

const escape = (text) => text.replace(/[<>&"]/g, (c) => `&#${c.charCodeAt(0)};`);
const asset = (type, path) => `    <Asset Type="${type}" Path="extension/${path}" Addressable="true"/>\n`;
const vsixmanifest = `<?xml version="1.0" encoding="utf-8"?>
<PackageManifest Version="2.0.0" xmlns="http://schemas.microsoft.com/developer/vsx-schema/2011">
  <Metadata>
    <Identity Language="en-US" Id="${manifest.name}" Version="${manifest.version}" Publisher="${manifest.publisher}"/>
    <DisplayName>${escape(manifest.displayName)}</DisplayName>
    <Description xml:space="preserve">${escape(manifest.description)}</Description>
    <Tags>${escape(manifest.keywords.join(","))}</Tags>
    <Categories>${escape(manifest.categories.join(","))}</Categories>
    <Properties>
      <Property Id="Microsoft.VisualStudio.Code.Engine" Value="${escape(manifest.engines.vscode)}"/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionDependencies" Value=""/>
      <Property Id="Microsoft.VisualStudio.Code.ExtensionKind" Value="workspace"/>
    </Properties>
${licence ? "    <License>extension/LICENSE.txt</License>\n" : ""}  </Metadata>
  <Installation>
    <InstallationTarget Id="Microsoft.VisualStudio.Code"/>
  </Installation>
  <Dependencies/>
  <Assets>
${asset("Microsoft.VisualStudio.Code.Manifest", "package.json")}${asset("Microsoft.VisualStudio.Services.Content.Details", "README.md")}${
  licence ? asset("Microsoft.VisualStudio.Services.Content.License", "LICENSE.txt") : ""
}  </Assets>
</PackageManifest>
`;
const types = { json: "application/json", js: "application/javascript", md: "text/markdown", txt: "text/plain", vsixmanifest: "text/xml" };
const contentTypes = `<?xml version="1.0" encoding="utf-8"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${Object.entries(types)
  .map(([name, type]) => `<Default Extension=".${name}" ContentType="${type}"/>`)
  .join("")}</Types>
`;
const archive = zip([
  ["extension.vsixmanifest", Buffer.from(vsixmanifest)],
  ["[Content_Types].xml", Buffer.from(contentTypes)],
  ...entries.map(([name, bytes]) => [`extension/${name}`, bytes]),
]);
writeFileSync(join(here, `${manifest.name}-${manifest.version}.vsix`), archive);
console.log(`${manifest.name}-${manifest.version}.vsix: ${entries.length} files, ${archive.length} bytes`);
