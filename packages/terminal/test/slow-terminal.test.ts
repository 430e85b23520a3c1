import { expect } from "bun:test";
import { join } from "node:path";
import { program } from "../../coding-agent/test/support/program.ts";
import { CHAT, chatPlace, heldAnswer } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { testWith } from "../../coding-agent/test/support/system-tool.ts";
import { KEYS } from "./support/terminal-run.ts";
import { VirtualScreen } from "./support/virtual-screen.ts";

const atSlowTerminal = testWith("python3");

atSlowTerminal("a terminal that is slow shows all of it, and keys count meanwhile", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  const { cwd, env } = chat.place;
  const child = Bun.spawn(["python3", join(import.meta.dir, "support/slow-terminal.py"), program, ...CHAT, "much"], {
    cwd,
    env: { ...env, TERM: "xterm-256color" },
    stdin: "pipe",
    stdout: "pipe",
  });
  const screen = new VirtualScreen(80, 24);
  const reader = child.stdout.getReader();
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      const { value, done } = await reader.read();
      if (done) throw new Error(`it ended, having shown\n${screen.lines().join("\n")}`);
      await screen.write(value);
    }
  };
  const type = async (text: string) => {
    child.stdin.write(text);
    await child.stdin.flush();
  };
  await held.asked;
  const lines = Array.from({ length: 3_000 }, (_, index) => `line ${index} of the answer`);
  held.write(`\`\`\`\n${lines.join("\n")}\n`);
  await until(() => screen.lines().some((line) => line.includes("line 10 of")));
  await type("typed meanwhile");
  await until(() => screen.screen().includes("typed meanwhile"));
  held.write("```\nthe end");
  held.finish();
  await until(() => screen.lines().includes("the end"));
  expect(screen.lines().flatMap((line) => (line.startsWith("  line ") ? [line.trim()] : []))).toEqual(lines);
  await type(KEYS.ctrlC + KEYS.ctrlC);
  await until(() => !screen.screen().includes("typed meanwhile"));
  expect(await child.exited).toBe(0);
});
