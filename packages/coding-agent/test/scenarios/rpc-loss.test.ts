import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { program } from "../support/program.ts";
import { CHAT, chatPlace, says } from "../support/scenarios/chat-server.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// A host that is not reading at the end learns from the exit code that something was lost.

test("unread output causes exit code 1 and one sentence", async () => {
  await using chat = await chatPlace(says("hi"));
  // More responses than a pipe holds, and a reader that is alive but reads nothing.
  const requests = `${JSON.stringify({ type: "get_state" })}\n`.repeat(100);
  const script = `{ "$PROGRAM" --mode rpc ${CHAT.join(" ")} < requests; echo "exit $?" >&2; touch over; } | until [ -e over ]; do sleep 0.05; done`;
  writeFileSync(join(chat.place.cwd, "requests"), requests);
  const shell = Bun.spawn(["sh", "-c", script], {
    cwd: chat.place.cwd,
    env: { ...chat.place.env, PROGRAM: program },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  expect(await new Response(shell.stderr).text()).toBe(
    "pintle: the host did not read the end of the output, which is lost\nexit 1\n",
  );
  await shell.exited;
}, 60_000);

test("a host that closes stdout before reading everything causes exit code 1, without a message", async () => {
  await using chat = await chatPlace(says("hi"));
  const child = Bun.spawn([program, "--mode", "rpc", ...CHAT], { ...chat.place, stdin: "pipe", stderr: "pipe" });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  child.stdin.write(`${JSON.stringify({ type: "get_state" })}\n`);
  child.stdin.end();
  expect(await child.exited).toBe(1);
  expect(await new Response(child.stderr).text()).toBe("");
}, 60_000);

test("a session that could not be stored causes exit code 0, and sentences without a stack trace", async () => {
  using place = machine();
  writeFileSync(join(place.root, "file"), "");
  await using rpc = await startRpc(["--session-dir", join(place.root, "file/sessions")], place);
  await rpc.prompt("one");
  const { sessionFile } = (await rpc.call("get_state")).data;
  expect(await rpc.end()).toBe(0);
  const lines = (await rpc.stderr()).trim().split("\n");
  expect(lines.at(-1)).toBe(`pintle: the session could not be saved to ${sessionFile}`);
  for (const line of lines) expect(line).toStartWith("pintle: ");
  expect(lines.length).toBeLessThanOrEqual(2);
});

test("a session that was read and stored completely causes exit code 0, without a message", async () => {
  await using chat = await chatPlace(says("hi"));
  await using rpc = await startRpc(CHAT, chat.place);
  await rpc.prompt("one");
  expect(await rpc.end()).toBe(0);
  expect(await rpc.stderr()).toBe("");
});
