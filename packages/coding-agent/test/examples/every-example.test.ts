import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { firstCode } from "../support/examples/first-code.ts";
import { dist, repository, runProgram } from "../support/program.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Checks that all examples/extensions are listed, tested, and start as they say.

const read = (path: string) => readFileSync(join(repository, path), "utf8");
const folderOf = (kind: string) => join(repository, "examples", kind);

/** A file, or a folder with an index. */
const namesIn = (kind: string) =>
  readdirSync(folderOf(kind))
    .filter((name) => !name.endsWith(".md"))
    .sort();
const NAMES = namesIn("extensions");

const entryOf = (kind: string, name: string) => {
  const index = `examples/${kind}/${name}/index.ts`;
  return existsSync(join(repository, index)) ? index : `examples/${kind}/${name}`;
};

/** Returns the names that the first column of a table links to, in order. */
const listed = (page: string, prefix: string) =>
  read(page)
    .split("\n")
    .flatMap((line) => (line.startsWith("| [") ? [/\]\(([^)]+)\)/.exec(line)?.[1] ?? ""] : []))
    .filter((target) => target.startsWith(prefix) && !target.includes("://"))
    .map((target) => target.slice(prefix.length).replace(/\/$/, ""));

test("both tables, in the folder and in the guide, list each example once", () => {
  expect(listed("examples/extensions/README.md", "").sort()).toEqual(NAMES);
  expect(listed("docs/extensions.md", "../examples/extensions/").sort()).toEqual(NAMES);
});

test("each example has a test in this folder", () => {
  const texts = readdirSync(import.meta.dir).map((name) => readFileSync(join(import.meta.dir, name), "utf8"));
  for (const kind of ["extensions", "custom-tools"]) {
    const untested = namesIn(kind).filter((name) => !texts.some((text) => text.includes(`("${name}`)));
    expect([kind, untested]).toEqual([kind, []]);
  }
});

/** Returns the command lines in the comment at the head of an example. */
function startLines(entry: string): string[] {
  const [head = ""] = read(entry).split(/^(?!\/\/)/m);
  return [...head.matchAll(/^\/\/ {3}(.*\bpintle .*)$/gm)].map(([, line = ""]) => line);
}

describe("each example starts with a command line that works", () => {
  test.each(NAMES)("%s", async (name) => {
    const lines = startLines(entryOf("extensions", name));
    expect(lines.length).toBeGreaterThan(0);
    using place = machine();
    mkdirSync(join(place.cwd, "work"));
    symlinkSync(join(repository, "examples"), join(place.cwd, "work/examples"));
    const env = { ...place.env, PATH: `${dist}:${place.env.PATH}` };
    for (const line of lines) {
      expect(line).toContain(`examples/extensions/${name}`);
      const { code, stderr } = await runProgram(["-c", line], { cwd: join(place.cwd, "work"), env, command: ["sh"] });
      expect([line, code, stderr.includes("extension")]).toEqual([line, 0, false]);
    }
  });
});

test("the examples import types from pintle only, and nothing from its internals", () => {
  for (const name of NAMES) {
    const text = read(entryOf("extensions", name));
    const imports = [...text.matchAll(/from "([^"]+)"/g)].map(([, specifier = ""]) => specifier);
    expect([name, imports.includes("pintle")]).toEqual([name, true]);
    const others = imports.filter((one) => !/^(pintle|@pintle\/client|typebox|node:[\w/]+|\.\/[\w-]+\.ts)$/.test(one));
    expect([name, others]).toEqual([name, []]);
  }
});

test("the first example in docs/extensions.md works when saved where the page says", async () => {
  using place = machine();
  mkdirSync(join(place.root, ".pintle/extensions"), { recursive: true });
  writeFileSync(join(place.root, ".pintle/extensions/ask-before-push.ts"), firstCode("extensions.md"));
  await using rpc = await startRpc([], place);
  await rpc.call("prompt", { message: "run git push --dry-run" });
  const { id, title, message } = await rpc.until(({ method }) => method === "confirm");
  expect([title, message]).toEqual(["Push?", "git push --dry-run"]);
  rpc.send({ type: "extension_ui_response", id, confirmed: false });
  const { result } = await rpc.until(({ type }) => type === "tool_execution_end");
  expect(result.content).toEqual([{ type: "text", text: "Nobody agreed to the push." }]);
});
