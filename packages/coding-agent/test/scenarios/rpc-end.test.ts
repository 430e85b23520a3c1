import { describe, expect, test } from "bun:test";
import { grammarViolations } from "@pintle/agent/testing";
import {
  eventually,
  hasProc,
  processesWith,
  uniqueSleep,
} from "../../../exec/test/support/processes/living-processes.ts";
import { program } from "../support/program.ts";
import { CHAT, callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";
import { readLines } from "../support/scenarios/lines.ts";
import { type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { where } from "../support/where.ts";

// Tests how the process ends with work in flight. crash-matrix.test.ts tests that nothing stored is lost.

const SIGNALS = [
  ["SIGTERM", 143],
  ["SIGINT", 130],
  ["SIGHUP", 129],
] as const;

/** A running command with an orphaned child in the background. */
async function startSleeping(rpc: RpcChild): Promise<string> {
  const sleep = uniqueSleep();
  rpc.send({ id: "b", type: "bash", command: `${sleep} & ${sleep}` });
  expect(await eventually(() => processesWith(sleep).length >= 2)).toBe(true);
  return sleep;
}

const isGone = (command: string) => eventually(() => processesWith(command).length === 0);
const weather = { name: "weather", description: "d", parameters: { type: "object" } };

describe("the end of input", () => {
  test("aborts the run, writes all its closing events, and exits with 0", async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("prompt", { message: "x" });
    await held.asked;
    held.write("so far");
    await rpc.until((frame) => frame.type === "message_update");
    expect(await rpc.end()).toBe(0);
    expect(rpc.frames.slice(-6).map(({ type }) => type)).toEqual([
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      "prompt_result",
      "session_settled",
    ]);
    expect(rpc.frames.at(-4)).toMatchObject({ type: "agent_end", stopReason: "aborted" });
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });

  test("answers everything that was accepted", async () => {
    await using chat = await chatPlace(says("hi"));
    await using rpc = await startRpc(CHAT, chat.place);
    const types = ["set_model", "bash", "get_messages", "prompt", "clear_queue", "abort", "nonsense", "get_state"];
    for (const type of types)
      rpc.send({ id: type, type, command: "sleep 0.3; echo done", message: "x", provider: "local", modelId: "m" });
    expect(await rpc.end()).toBe(0);
    const answered = rpc.frames.flatMap(({ type, id, requestId }) => (type === "response" ? [id ?? requestId] : []));
    expect([...new Set(answered)].sort()).toEqual(types.sort());
    expect(rpc.frames.find(({ id }) => id === "bash")?.data).toMatchObject({ output: "done\n", exitCode: 0 });
  });

  where(hasProc, "needs /proc").test(
    "cancels commands that take longer than 5 s, including waiting ones, and answers each",
    async () => {
      await using chat = await chatPlace();
      await using rpc = await startRpc(CHAT, chat.place);
      const sleep = await startSleeping(rpc);
      for (const id of ["b2", "b3"]) rpc.send({ id, type: "bash", command: "echo too late" });
      expect(await rpc.end()).toBe(0);
      const answers = rpc.frames.filter(({ type }) => type === "response");
      expect(answers).toMatchObject(
        ["b", "b2", "b3"].map((id) => ({ id, command: "bash", success: true, data: { cancelled: true } })),
      );
      expect(await isGone(sleep)).toBe(true);
    },
  );

  test("ends a pending host tool call with its own message", async () => {
    await using chat = await chatPlace(callsTools({ name: "weather" }));
    await using rpc = await startRpc(CHAT, chat.place);
    await rpc.call("set_host_tools", { tools: [weather] });
    await rpc.call("prompt", { message: "x" });
    await rpc.until((frame) => frame.type === "host_tool_call");
    expect(await rpc.end()).toBe(0);
    expect(rpc.frames.find(({ type }) => type === "tool_execution_end")).toMatchObject({
      isError: true,
      result: { content: [{ type: "text", text: "RPC client disconnected before host tool execution completed" }] },
    });
    expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
  });
});

describe.each(SIGNALS)("%s", (signal, code) => {
  where(hasProc, "needs /proc").test(
    `exits with ${code}, ends the run with its events, and leaves no process`,
    async () => {
      const held = heldAnswer();
      await using chat = await chatPlace(held.respond);
      await using rpc = await startRpc(CHAT, chat.place);
      await rpc.call("prompt", { message: "x" });
      await held.asked;
      const sleep = await startSleeping(rpc);
      process.kill(rpc.pid, signal);
      expect(await rpc.end()).toBe(code);
      expect(await isGone(sleep)).toBe(true);
      expect(rpc.frames.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
      expect(grammarViolations(rpc.frames as never, { expectSettled: true })).toEqual([]);
    },
  );
});

where(hasProc, "needs /proc").test("SIGKILL leaves no process either", async () => {
  await using chat = await chatPlace();
  await using rpc = await startRpc(CHAT, chat.place);
  const sleep = await startSleeping(rpc);
  await rpc.kill("SIGKILL");
  expect(await isGone(sleep)).toBe(true);
});

where(hasProc, "needs /proc").test(
  "a host that closes its end of stdout makes the process exit with 1, and no process is left",
  async () => {
    const held = heldAnswer();
    await using chat = await chatPlace(held.respond);
    // `head` reads the first line and exits; the shell then reports how the program ended.
    const pipeline = `{ "$PROGRAM" --mode rpc ${CHAT.join(" ")}; echo "exit $?" >&2; } | head -n 1`;
    const shell = Bun.spawn(["sh", "-c", pipeline], {
      cwd: chat.place.cwd,
      env: { ...chat.place.env, PROGRAM: program },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    const sleep = uniqueSleep();
    const send = (frame: object) => {
      shell.stdin.write(`${JSON.stringify(frame)}\n`);
      shell.stdin.flush();
    };
    const { value: first = "" } = await readLines(shell.stdout).next();
    expect(JSON.parse(first)).toMatchObject({ type: "ready" });
    send({ type: "bash", command: sleep });
    expect(await eventually(() => processesWith(sleep).length > 0)).toBe(true);
    send({ type: "get_state" });
    expect(await new Response(shell.stderr).text()).toContain("exit 1\n");
    await shell.exited;
    expect(await isGone(sleep)).toBe(true);
  },
);
