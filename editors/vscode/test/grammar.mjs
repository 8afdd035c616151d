// The grammar as the editor reads it: lines to tokens with their scopes.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const require = createRequire(import.meta.url);
const oniguruma = require("vscode-oniguruma");
const textmate = require("vscode-textmate");
const here = dirname(fileURLToPath(import.meta.url));

export async function loadGrammar() {
  await oniguruma.loadWASM(readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm")));
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async (scope) => {
      if (scope !== "source.pto") return null;
      const path = join(here, "../syntaxes/pto.tmLanguage.json");
      return textmate.parseRawGrammar(readFileSync(path, "utf8"), path);
    },
  });
  return registry.loadGrammar("source.pto");
}

/// For each line, its tokens as {text, scopes}; `source.pto` is left out.
export function* tokenize(grammar, text) {
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
    state = ruleStack;
    yield tokens
      .map(({ startIndex, endIndex, scopes }) => ({ text: line.slice(startIndex, endIndex), scopes: scopes.slice(1) }))
      .filter(({ text }) => text);
  }
}

/// A snapshot: each line behind `>`, below it its tokens that have a scope.
export function snapshot(grammar, text) {
  const lines = [];
  for (const tokens of tokenize(grammar, text)) {
    lines.push(`>${tokens.map((token) => token.text).join("")}`);
    for (const { text, scopes } of tokens)
      if (scopes.length && text.trim()) lines.push(`  ${text}  ${scopes.map((scope) => scope.replace(/\.pto$/, "")).join(" ")}`);
  }
  return lines.join("\n") + "\n";
}
