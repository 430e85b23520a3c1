import { expect, test } from "bun:test";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { program } from "../../coding-agent/test/support/program.ts";
import { chatPlace, says } from "../../coding-agent/test/support/scenarios/chat-server.ts";
import { KEYS, TerminalRun } from "./support/terminal-run.ts";

test("a session of a gateway is used as one of an own engine, and another terminal can join it", async () => {
  await using chat = await chatPlace(says("From the server."), says("Again."));
  const { cwd, env } = chat.place;
  const directory = join(cwd, "run");
  mkdirSync(directory);
  chmodSync(directory, 0o700);
  const socket = join(directory, "s");
  const server = Bun.spawn(
    [program, "serve", "--socket", socket, "--set", "defaultModel=m", "--set", "defaultProvider=local"],
    {
      ...{ cwd, env },
      stdout: "ignore",
      stderr: "pipe",
    },
  );
  try {
    const reader = server.stderr.getReader();
    await reader.read(); // it says where it listens
    await using run = new TerminalRun(["--attach", socket, "hello"], chat.place);
    await run.sees("From the server.");
    const { stdout } = Bun.spawnSync([program, "sessions", "--json"], { cwd, env });
    const [{ id }] = JSON.parse(stdout.toString());
    await using other = new TerminalRun(["--attach", socket, "--session", id], chat.place);
    await other.sees("❯ hello");
    await other.sees("From the server.");
    other.type(`more${KEYS.enter}`);
    await run.sees("❯ more");
    await run.sees("Again.");
    expect(run.screen.lines().filter((line) => line === "Again.")).toHaveLength(1);
  } finally {
    server.kill();
    await server.exited;
  }
});
