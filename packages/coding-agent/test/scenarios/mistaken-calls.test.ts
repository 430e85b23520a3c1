import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ModelCall, modelCalls } from "../support/scenarios/model-calls.ts";

// Sends calls in other agents' formats to the built program: each is understood, noted or refused, never ignored.

async function answers(calls: readonly ModelCall[]) {
  await using on = await modelCalls([calls], ["--permissions", "full"]);
  mkdirSync(join(on.cwd, "src"));
  writeFileSync(join(on.cwd, "src/cart.js"), "let total = 1;\nlet b = 2;\nlet c = 3;\n");
  await using rpc = await on.start();
  await rpc.prompt("go");
  const file = (name: string) => readFileSync(join(on.cwd, name), "utf8");
  return { results: on.results(), cart: file("src/cart.js") };
}

test("accepts parameters of other tools", async () => {
  const { results } = await answers([
    ["grep", { pattern: "TOTAL", "-i": true, path: "src" }],
    ["ls", { directory: "src" }],
    ["read", { file_path: "src/cart.js", view_range: [2, 2] }],
    ["Bash", { cmd: "echo hi", description: "Say hi" }],
    ["bash", { command: ["bash", "-lc", "echo list"] }],
    ["str_replace_editor", { command: "view", path: "src/cart.js", view_range: [3, -1] }],
    ["Grep", { pattern: "let", output_mode: "files_with_matches", path: "src" }],
  ]);
  expect(results).toEqual([
    "src/cart.js:1: let total = 1;",
    "cart.js",
    "let b = 2;\n\n[Lines 2-2 of 3 are shown. Continue with offset=3.]",
    "hi\n",
    "list\n",
    "let c = 3;\n",
    "src/cart.js",
  ]);
});

test("accepts tools and parameters of codex, opencode, gemini, Cursor, Cline, Windsurf, Copilot and OpenHands", async () => {
  const { results } = await answers([
    ["shell_command", { command: "echo 1", workdir: "src", timeout_ms: 10_000 }],
    ["exec_command", { cmd: "echo 2", shell: "bash", login: true, tty: false, yield_time_ms: 1_000 }],
    ["container.exec", { cmd: ["bash", "-lc", "echo 3"] }],
    ["execute_command", { command: "echo 4", requires_approval: false }],
    ["run_command", { CommandLine: "echo 5", Cwd: ".", Blocking: true, SafeToAutoRun: true }],
    ["run_in_terminal", { command: "echo 6", explanation: "x", isBackground: false }],
    ["execute_bash", { command: "echo 7", is_input: "false" }],
    ["Bash", { command: "echo 8", dangerouslyDisableSandbox: false }],
    ["grep_files", { pattern: "total", path: "src", include: "*.js", limit: 10 }],
    ["grep_search", { SearchPath: "src", Query: "total", MatchPerLine: true }],
    ["grep_search", { query: "total", path: "src", isRegexp: false, exclude_pattern: "*.md", explanation: "x" }],
    ["file_search", { query: "cart", directory: "src", explanation: "x" }],
    ["find_by_name", { SearchDirectory: "src", Pattern: "*.js" }],
    ["list_dir", { relative_workspace_path: "src", explanation: "x" }],
    ["read_file", { file_path: "src/cart.js", offset: 3, mode: "slice" }],
    ["read", { paths: ["src/cart.js"], line_range: "3-3" }],
    ["view_file", { AbsolutePath: "src/cart.js", StartLine: 3, EndLine: 3 }],
  ]);
  expect(results).toEqual([
    "1\n",
    "2\n",
    "3\n",
    "4\n",
    "5\n",
    "6\n",
    "7\n",
    "8\n",
    ...Array(3).fill("src/cart.js:1: let total = 1;"),
    "src/cart.js",
    "src/cart.js",
    "cart.js",
    ...Array(3).fill("let c = 3;\n"),
  ]);
});

test("rejects parameters that would change the effect", async () => {
  const { results, cart } = await answers([
    ["Bash", { command: "rm src/cart.js", dangerouslyDisableSandbox: true }],
    ["exec_command", { cmd: "rm src/cart.js", tty: true }],
    ["run_command", { command: "rm src/cart.js", Blocking: false }],
    ["bash", { command: "rm src/cart.js", shell: "fish" }],
    ["replace", { file_path: "src/cart.js", old_string: "let", new_string: "", expected_replacements: 3 }],
    ["read", { paths: ["src/cart.js", "README.md"] }],
  ]);
  const names = ["dangerouslyDisableSandbox", "tty", "Blocking", "shell", "expected_replacements", "paths"];
  for (const [at, name] of names.entries()) expect(results[at]).toContain(`"${name}" is not a parameter of`);
  expect(cart).toStartWith("let total");
});

test("a read-only tool reports ignored parameters; one that changes something rejects the call", async () => {
  const { results, cart } = await answers([
    ["read", { path: "src/cart.js", limit: 1, foo: true }],
    ["write", { path: "src/cart.js", content: "", overwrite: false }],
    ["bash", { command: "rm src/cart.js", run_in_background: true }],
    ["read_fil", { path: "src/cart.js" }],
    ["ls", { path: "scr" }],
  ]);
  expect(results[0]).toEndWith('[Ignored: "foo" is not a parameter of read (path, offset, limit, lineNumbers).]');
  expect(results[1]).toContain('"overwrite" is not a parameter of write (path, content)');
  expect(results[2]).toStartWith("Not started: commands cannot run in the background");
  expect(results[3]).toMatch(/^Tool read_fil not found.*Your tools: .*bash.*write/);
  expect(results[4]).toEndWith("Did you mean `src`?");
  expect(cart).toStartWith("let total");
});

test("applies edits in the formats of other editors", async () => {
  const { results, cart } = await answers([
    [
      "str_replace_based_edit_tool",
      { command: "str_replace", path: "src/cart.js", old_str: "b = 2", new_str: "b = 5" },
    ],
    ["MultiEdit", { file_path: "src/cart.js", edits: [{ old_string: "let", new_string: "var", replace_all: true }] }],
    ["search_replace", { file_path: "src/cart.js", old_string: "= 1", new_string: "= 2", instructions: "x" }],
    ["replace", { file_path: "src/cart.js", old_string: "c = 3", new_string: "c = 4", expected_replacements: 1 }],
  ]);
  expect(results.map((text) => text.split("\n")[0])).toEqual([
    "Edited src/cart.js (1 replacement)",
    "Edited src/cart.js (3 replacements)",
    "Edited src/cart.js (1 replacement)",
    "Edited src/cart.js (1 replacement)",
  ]);
  expect(cart).toBe("var total = 2;\nvar b = 5;\nvar c = 4;\n");
});
