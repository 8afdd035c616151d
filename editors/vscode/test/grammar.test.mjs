// The colours of a sample, token by token, and properties of every program of the tree.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadGrammar, snapshot, tokenize } from "./grammar.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const source = process.env.PTOSCOPE_SOURCE;
const grammar = await loadGrammar();

function* programs(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory() && entry.name !== "instructions") yield* programs(join(folder, entry.name));
    else if (entry.name.endsWith(".pto")) yield join(folder, entry.name);
}

test("the sample has the colours of its snapshot", () => {
  const made = snapshot(grammar, readFileSync(join(here, "grammar/sample.pto"), "utf8"));
  const kept = join(source, "editors/vscode/test/grammar/sample.snap");
  if (process.env.PTOSCOPE_RENEW) writeFileSync(kept, made); // then read it
  assert.ok(existsSync(kept), "no snapshot");
  assert.equal(made, readFileSync(kept, "utf8"));
});

test("in every program, instructions, values and comments are what they are", () => {
  let instructions = 0;
  for (const path of programs(join(source, "examples"))) {
    let number = 0;
    for (const tokens of tokenize(grammar, readFileSync(path, "utf8"))) {
      const place = `${path}:${++number}`;
      const line = tokens.map((token) => token.text).join("");
      const code = line.replace(/"[^"]*"/g, (text) => " ".repeat(text.length)).replace(/\/\/.*$/, "");
      const scopeAt = (at) => {
        let end = 0;
        return tokens.find((token) => (end += token.text.length) > at).scopes.join(" ");
      };
      for (const match of code.matchAll(/(?<![#!\w.])pto\.([\w.]+)(?!\s*=)(?=\s*["#%@[({]|\s*$|\s+[a-z]+\()/g)) {
        if (/[,{]\s*$|attributes \{$/.test(code.slice(0, match.index))) continue; // a unit attribute: {pto.kernel}
        assert.match(scopeAt(match.index + 4), /keyword\.other\.instruction/, place);
        ++instructions;
      }
      for (const match of code.matchAll(/%\w+/g)) assert.match(scopeAt(match.index), /variable\.other\.ssa/, place);
      for (const match of code.matchAll(/!pto\.\w+/g)) assert.match(scopeAt(match.index + 5), /entity\.name\.type/, place);
      for (const match of code.matchAll(/#pto\.\w+/g)) assert.match(scopeAt(match.index + 5), /entity\.other\.attribute-name/, place);
      for (const match of code.matchAll(/@\w+/g)) assert.match(scopeAt(match.index), /entity\.name\.function/, place);
      const comment = line.replace(/"[^"]*"/g, (text) => " ".repeat(text.length)).indexOf("//");
      if (comment >= 0) assert.match(scopeAt(comment), /^comment/, place);
    }
  }
  assert.ok(instructions > 500, `only ${instructions} instructions seen`);
});

test("an unfinished line does not colour the next one", () => {
  for (const open of ['pto.set_flag["PIPE_V', "pto.barrier #pto.pipe<PIPE", "%x = pto.vlds %p[%c0] : !pto.ptr<f32,"]) {
    const [, next] = [...tokenize(grammar, `${open}\n  pto.barrier_all`)];
    assert.deepEqual(next.at(-1), { text: "barrier_all", scopes: ["keyword.other.instruction.pto"] }, open);
  }
});
