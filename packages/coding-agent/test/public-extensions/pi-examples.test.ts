import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchDirectory } from "../../../../test/support/scratch-directory.mjs";
import { cleanEnvironment, program } from "../support/program.ts";
import { linesOf } from "../support/public-extensions/frames.ts";
import { publishedPi, withPublishedPi } from "../support/public-extensions/installed.ts";

// Runs every example extension of pi 1.5.0 in the built program: loads it, passes a run with a tool call through its
// handlers, runs each of its commands and answers its dialogs. No error may be reported.

const EXAMPLES = join(publishedPi, "1.5.0/pi-coding-agent/examples/extensions");

/** Requirements of an example that a test cannot meet. */
const EXPECTED: Readonly<Record<string, RegExp>> = {
  "file-trigger": /^session_start: ENOENT: .*agent-trigger\.txt/,
  // Downloads a virtual machine.
  gondolin: /^(?:session_start|before_agent_start|command): /,
};

/** No example can reach a network. */
const NOWHERE = "http://127.0.0.1:9";

interface Frame {
  type: string;
  id?: string;
  event?: string;
  error?: string;
  method?: string;
  options?: string[];
  success?: boolean;
  data?: { commands?: { name: string; source: string }[] };
}

const ANSWERS: Readonly<Record<string, (frame: Frame) => object>> = {
  select: ({ options = [] }) => ({ value: options[0] }),
  confirm: () => ({ confirmed: true }),
  input: () => ({ value: "3" }),
  editor: () => ({ value: "3" }),
};

/** Runs an example and returns the reported errors, each after the event to which it belongs. */
async function run(name: string): Promise<string[]> {
  using scratch = scratchDirectory();
  const [home, cwd] = [join(scratch.path, "home"), join(scratch.path, "work")];
  mkdirSync(join(home, ".pintle"), { recursive: true });
  mkdirSync(cwd);
  writeFileSync(join(home, ".pintle/settings.json"), JSON.stringify({ permissions: { mode: "full" } }));
  await using child = Bun.spawn([program, "--mode", "rpc", "-e", entryOf(name)], {
    cwd,
    env: cleanEnvironment(home, { HTTPS_PROXY: NOWHERE, HTTP_PROXY: NOWHERE }),
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  });
  const send = (frame: object) => child.stdin.write(`${JSON.stringify(frame)}\n`);
  const errors: string[] = [];
  const waiting: { id: string; [field: string]: unknown }[] = [
    { id: "run", type: "prompt", message: "call ls {}" },
    { id: "commands", type: "get_commands" },
  ];
  let current: string | undefined;
  const next = () => {
    const frame = waiting.shift();
    current = frame?.id;
    if (frame) send(frame);
    else void child.stdin.end();
  };
  for await (const frame of linesOf<Frame>(child.stdout)) {
    if (frame.type === "ready") next();
    else if (frame.type === "extension_error") errors.push(`${frame.event}: ${frame.error}`);
    else if (frame.type === "extension_ui_request") {
      const answer = ANSWERS[frame.method ?? ""]?.(frame);
      if (answer) send({ type: "extension_ui_response", id: frame.id, ...answer });
    } else if (frame.type === "agent_settled" && current === "run") next();
    else if (frame.type === "response" && frame.id === current && current !== "run") {
      if (frame.success === false) errors.push(`${frame.id}: ${frame.error}`);
      for (const { name: command, source } of frame.data?.commands ?? [])
        if (source === "extension") waiting.push({ id: `/${command}`, type: "prompt", message: `/${command}` });
      next();
    }
  }
  const code = await child.exited;
  return code === 0 ? errors : [...errors, `exit code ${code}`];
}

function entryOf(name: string): string {
  const file = join(EXAMPLES, `${name}.ts`);
  return existsSync(file) ? file : join(EXAMPLES, name, "index.ts");
}

function names(): string[] {
  if (!existsSync(EXAMPLES)) return [];
  return readdirSync(EXAMPLES, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : entry.name.endsWith(".ts") ? [entry.name.slice(0, -".ts".length)] : [],
  );
}

withPublishedPi.describe("the examples of pi 1.5.0", () => {
  test("are all here", () => {
    expect(names()).toHaveLength(78);
  });

  test.each(names())("%s runs without an error", async (name) => {
    const expected = EXPECTED[name];
    expect((await run(name)).filter((error) => !expected?.test(error))).toEqual([]);
  });
});
