import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sendStatus } from "../../../ai/test/support/loopback-server.ts";
import { program, runProgram } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import type { Machine } from "../support/scenarios/stored-sessions.ts";
import { testWith } from "../support/system-tool.ts";

// Tests what a user sees at a real terminal, which Python's pty module creates.

const ESC = "\u001b";
const ERASE = `\r${ESC}[2K`;
const TERMINAL = ["python3", join(import.meta.dir, "../support/scenarios/terminal.py")];
const atTerminal = testWith("python3");

interface Shown extends AsyncDisposable {
  /** Resolves when the terminal shows it; rejects if the program ends first. */
  until(isShown: (text: string) => boolean): Promise<void>;
  /** Everything shown, once the program has ended. */
  rest(): Promise<{ code: number; text: string }>;
}

function show(args: readonly string[], { cwd, env }: Machine, extra: Record<string, string> = {}): Shown {
  const child = Bun.spawn([...TERMINAL, ...args], {
    cwd,
    env: { TERM: "xterm", ...env, ...extra },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  let text = "";
  const readMore = async () => {
    const { value, done } = await reader.read();
    if (!done) text += decoder.decode(value, { stream: true });
    return !done;
  };
  return {
    async until(isShown) {
      while (!isShown(text)) if (!(await readMore())) throw new Error(`The program ended, having shown: ${text}`);
    },
    async rest() {
      while (await readMore());
      return { code: await child.exited, text };
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
    },
  };
}

/** What remains on the screen, without erased lines. */
const screenOf = (text: string) =>
  text
    .replaceAll("\r\n", "\n")
    .replaceAll(`${ESC}[2m`, "")
    .replaceAll(`${ESC}[0m`, "")
    .split("\n")
    .map((line) => line.split(ERASE).at(-1));

atTerminal("text is shown as it comes, a spinner while there is none, and one line per tool call", async () => {
  const answer = heldAnswer();
  const call = callsTools({ name: "ls", args: { path: `./${ESC}]0;owned\u0007` } });
  await using chat = await chatPlace(call, answer.respond);
  await using shown = show([program, ...CHAT, "-p", "hi"], chat.place);
  await answer.asked;
  await shown.until((text) => ["-", "/", "|", "\\"].some((frame) => text.includes(`${ERASE}${ESC}[2m${frame} `)));
  answer.write("Hel");
  await shown.until((text) => text.includes("Hel"));
  answer.write("lo");
  await shown.until((text) => text.includes("Hello"));
  answer.write(` there${ESC}[2J`);
  answer.finish();
  const { code, text } = await shown.rest();
  expect(code).toBe(0);
  expect(screenOf(text)).toEqual([
    "> ls ./?]0;owned?",
    expect.stringMatching(/^ {2}ls failed: .*…$/),
    "Hello there?[2J",
    expect.stringMatching(/^pintle: session [0-9a-f-]{36}$/),
    "",
  ]);
});

atTerminal("a failure that is tried again says which model, which key, and when", async () => {
  await using chat = await chatPlace(
    sendStatus(529, JSON.stringify({ error: { message: `busy ${ESC}[2J` } })),
    says("Hello"),
  );
  const args = ["--set", "retry.baseDelayMs=1", ...CHAT, "-p", "hi"];
  const { code, text } = await show([program, ...args], chat.place).rest();
  expect([code, screenOf(text)]).toEqual([
    0,
    [
      expect.stringMatching(/^pintle: local\/m: HTTP 529: busy .*; trying again in 1 s \(attempt 1 of \d+\)$/),
      "Hello",
      expect.stringContaining("pintle: session"),
      "",
    ],
  ]);
  expect(text).not.toContain("\u001b[2J");
});

atTerminal("TERM=dumb has no spinner, NO_COLOR no colours; both have the lines", async () => {
  for (const env of [{ TERM: "dumb" }, { NO_COLOR: "1" }] as Record<string, string>[]) {
    await using chat = await chatPlace(callsTools({ name: "ls" }), says("Done"));
    const { text } = await show([program, ...CHAT, "-p", "hi"], chat.place, env).rest();
    expect(screenOf(text).slice(0, 2)).toEqual(["> ls", "Done"]);
    expect(text).not.toContain("\u001b[2m");
    if (env.TERM) expect(text).not.toContain("\u001b");
  }
});

atTerminal("--quiet shows the answer alone", async () => {
  await using chat = await chatPlace(callsTools({ name: "ls" }), says("Done"));
  const { text } = await show([program, ...CHAT, "--quiet", "-p", "hi"], chat.place).rest();
  expect(text).toBe("Done\r\n");
});

atTerminal("an answer that goes to a file leaves its progress on the terminal", async () => {
  await using chat = await chatPlace(callsTools({ name: "ls" }), says("Done \u001b[1mbold"));
  const file = join(chat.place.root, "out.txt");
  const shown = show(["--only-stderr", program, ...CHAT, "-p", "hi"], chat.place, { STDOUT_FILE: file });
  expect(screenOf((await shown.rest()).text)).toEqual(["> ls", expect.stringContaining("pintle: session"), ""]);
  expect(readFileSync(file, "utf8")).toBe("Done \u001b[1mbold\n");
});

const inPipe = (args: string[], { cwd, env }: Machine) => runProgram([...CHAT, ...args, "-p", "hi"], { cwd, env });
const twice = () => chatPlace(saysAndCalls("First."), says("Second."));

/** Text, then a call. */
function saysAndCalls(text: string) {
  return (response: import("node:http").ServerResponse) => {
    const chunk = (delta: object, finish_reason: string | null) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
    const tool_calls = [{ index: 0, id: "c", function: { name: "ls", arguments: "{}" } }];
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(`${chunk({ content: text }, null)}${chunk({ tool_calls }, "tool_calls")}data: [DONE]\n\n`);
  };
}

atTerminal(
  "a pipe gets all text of the run, or with --last the last message; progress only if it is asked for",
  async () => {
    const session = /^pintle: session [0-9a-f-]{36}\n$/;
    {
      await using chat = await twice();
      const all = await inPipe([], chat.place);
      expect(all).toEqual({ code: 0, stdout: "First.\n\nSecond.\n", stderr: expect.stringMatching(session) });
    }
    {
      await using chat = await twice();
      expect(await inPipe(["--last", "--quiet"], chat.place)).toEqual({ code: 0, stdout: "Second.\n", stderr: "" });
    }
    {
      await using chat = await twice();
      const { stdout, stderr } = await inPipe(["--verbose", "--no-session"], chat.place);
      expect([stdout, stderr]).toEqual(["First.\n\nSecond.\n", "> ls\n"]);
    }
  },
);
