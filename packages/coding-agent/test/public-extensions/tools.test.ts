import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, program, repository } from "../support/program.ts";
import { linesOf } from "../support/public-extensions/frames.ts";
import { publicExtension, withPublicExtensions } from "../support/public-extensions/installed.ts";

const CALLER = join(import.meta.dir, "../support/public-extensions/caller.ts");

interface Frame {
  type: string;
  toolName?: string;
  isError?: boolean;
  error?: string;
  result?: { content: { text?: string }[] };
}

interface Row {
  name: string;
  entry: string;
  /** Each row is a prompt that becomes a tool call, and the expected result. */
  calls: [prompt: string, text: string][];
  prepare?(place: { home: string; cwd: string }): void;
}

/** Loads an extension into the built program and calls its tools; errors from loading come first. */
async function run({ entry, calls, prepare }: Row): Promise<[isError: boolean | undefined, text: string][]> {
  using scratch = scratchDirectory();
  const [home, cwd] = [join(scratch.path, "home"), join(scratch.path, "work")];
  mkdirSync(join(home, ".pintle"), { recursive: true });
  mkdirSync(cwd);
  writeFileSync(join(home, ".pintle/settings.json"), JSON.stringify({ permissions: { mode: "full" } }));
  writeFileSync(join(cwd, "sums.ts"), "export function addOne(value: number) {\n  return value + 1;\n}\n");
  prepare?.({ home, cwd });
  const args = ["--mode", "rpc", "-e", CALLER, "-e", publicExtension(entry), "--model", "script/caller"];
  await using child = Bun.spawn([program, ...args], {
    cwd,
    env: cleanEnvironment(home),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const results: [boolean | undefined, string][] = [];
  const waiting = [...calls];
  const next = () => {
    const [message] = waiting.shift() ?? [];
    if (message === undefined)
      void child.stdin.end(); // the exit code says whether it succeeded
    else child.stdin.write(`${JSON.stringify({ id: message, type: "prompt", message })}\n`);
  };
  for await (const frame of linesOf<Frame>(child.stdout)) {
    if (frame.type === "ready" || frame.type === "agent_settled") next();
    if (frame.type === "extension_error") results.push([true, String(frame.error)]);
    if (frame.type !== "tool_execution_end") continue;
    results.push([frame.isError, frame.result?.content.map(({ text = "" }) => text).join("\n") ?? ""]);
  }
  expect(await child.exited).toBe(0);
  return results;
}

const ROWS: readonly Row[] = [
  { name: "pi-subagents", entry: "pi-subagents/index.ts", calls: [['subagent {"action":"list"}', "Builtin agents"]] },
  {
    name: "pi-mcp-adapter",
    entry: "pi-mcp-adapter/index.ts",
    prepare({ home }) {
      const server = join(repository, "packages/coding-agent/test/support/mcp/stdio-server.ts");
      const command = { command: process.execPath, args: [server] };
      mkdirSync(join(home, ".config/mcp"), { recursive: true });
      writeFileSync(join(home, ".config/mcp/mcp.json"), JSON.stringify({ mcpServers: { local: command } }));
    },
    calls: [
      ['mcp {"connect":"local"}', "echo"],
      ['mcp {"tool":"local_echo","args":"{\\"text\\":\\"from the adapter\\"}"}', "from the adapter"],
    ],
  },
  {
    name: "pi-lens",
    entry: "pi-lens/dist/index.js",
    calls: [
      ['module_report {"path":"sums.ts"}', '"name":"addOne"'],
      ['read_symbol {"path":"sums.ts","symbol":"addOne"}', "return value + 1"],
    ],
  },
  {
    name: "pi-web-access",
    entry: "pi-web-access/index.ts",
    calls: [
      ['get_search_content {"responseId":"none"}', "No stored results"],
      ['fetch_content {"url":"http://127.0.0.1:9/"}', "Blocked internal address"],
    ],
  },
  {
    name: "@aliou/pi-processes",
    entry: "@aliou/pi-processes/extensions/processes/index.ts",
    calls: [['process {"action":"start","name":"sleeper","command":"sleep 60"}', "Started process sleeper"]],
  },
  {
    name: "@juicesharp/rpiv-todo",
    entry: "@juicesharp/rpiv-todo/index.ts",
    calls: [
      ['todo {"action":"create","subject":"write tests"}', "Created #1: write tests"],
      ['todo {"action":"list"}', "[pending] #1 write tests"],
    ],
  },
  {
    name: "@tmustier/pi-ralph-wiggum",
    entry: "@tmustier/pi-ralph-wiggum/index.ts",
    calls: [['ralph_start {"name":"loop","taskContent":"# Task","maxIterations":1}', 'Started loop "loop"']],
  },
];

for (const row of ROWS) {
  withPublicExtensions.test(`${row.name} loads, and its tools work`, async () => {
    const results = await run(row);
    expect(results.map(([isError, text]) => [isError, text.slice(0, 4_000)])).toEqual(
      row.calls.map(([, text]) => [false, expect.stringContaining(text)]),
    );
  });
}
