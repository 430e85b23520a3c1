import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { rejection } from "../../../ai/test/support/rejection.ts";
import {
  CHAT,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { where } from "../../../coding-agent/test/support/where.ts";
import { hasProc } from "../../../exec/test/support/processes/living-processes.ts";
import { childrenOf } from "../../../gateway/test/support/gateway-fixture.ts";
import { AcpEditor } from "../support/acp-editor.ts";

const isNull = ({ id, error }: Record<string, unknown>) => id === null && error !== undefined;

test("invalid lines are answered with the reason, and the connection stays open", async () => {
  await using chat = await chatPlace(says("alive"));
  const args = [...CHAT, "--set", "serve.maxFrameBytes=20000"];
  await using editor = await AcpEditor.start({ ...chat.place, args });
  const lines: [string, number][] = [
    ["{broken", -32700],
    ["[]", -32600],
    ['"text"', -32600],
    ['{"id":null,"method":"initialize"}', -32600],
    ["x".repeat(30_000), -32600],
  ];
  for (const [index, [line, code]] of lines.entries()) {
    await editor.writeRaw(line);
    await editor.until(() => editor.heard.filter(isNull).length > index, `the answer to ${line.slice(0, 20)}`);
    expect(editor.heard.filter(isNull)[index]).toMatchObject({ error: { code } });
  }
  await editor.writeRaw("");
  await editor.writeRaw('{"jsonrpc":"2.0","id":777,"result":{}}'); // a response that matches no request
  await editor.writeRaw('{"jsonrpc":"2.0","method":"session/nothing"}'); // a notification is never answered
  await editor.writeRaw('{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}');
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, "still there?")).toBe("end_turn");
  expect(editor.text()).toBe("alive");
  expect(editor.heard.filter(isNull).length).toBe(lines.length);
});

test("unknown methods, wrong parameters and unknown sessions have their own codes", async () => {
  await using chat = await chatPlace(says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const cases: [string, unknown, number][] = [
    ["session/nothing", {}, -32601],
    ["logout", {}, -32601],
    ["__proto__", {}, -32601],
    ["session/new", {}, -32602],
    ["session/new", [], -32602],
    ["session/new", { cwd: "relative", mcpServers: [] }, -32602],
    ["session/new", { cwd: "/no/such/place", mcpServers: [] }, -32602],
    ["session/new", { cwd: chat.place.cwd, mcpServers: [{ type: "pigeon", name: "p" }] }, -32602],
    ["session/load", { sessionId: "never", cwd: chat.place.cwd, mcpServers: [] }, -32002],
    ["session/load", { sessionId: "../../etc/passwd", cwd: chat.place.cwd, mcpServers: [] }, -32002],
    ["session/prompt", { sessionId: "never", prompt: [] }, -32002],
    ["session/prompt", { sessionId, prompt: [] }, -32602],
    ["session/prompt", { sessionId, prompt: [{ type: "text" }] }, -32602],
    ["session/prompt", { sessionId, prompt: "text" }, -32602],
    ["session/set_mode", { sessionId }, -32602],
    ["session/list", { cursor: 7 }, -32602],
    ["authenticate", { methodId: "none" }, -32602],
    ["initialize", {}, -32602],
  ];
  for (const [index, [method, params, code]] of cases.entries()) {
    const answer = await editor.ask({ id: `c${index}`, method, params });
    expect({ method, code: (answer.error as { code: number } | undefined)?.code }).toEqual({ method, code });
  }
  expect(await editor.ask({ id: "m", method: 7 })).toMatchObject({ error: { code: -32600 } });
});

test("initialize comes first", async () => {
  await using chat = await chatPlace(says("done"));
  await using editor = new AcpEditor({ ...chat.place, args: CHAT });
  const answer = await editor.ask({ id: 1, method: "session/list", params: {} });
  expect(answer).toMatchObject({ error: { code: -32600 } });
  // An unknown version gets the latest known one.
  const params = { protocolVersion: 99 };
  expect(await editor.ask({ id: 2, method: "initialize", params })).toMatchObject({ result: { protocolVersion: 1 } });
});

test("a client that dies ends its sessions and the program", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  const editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const lost = editor.prompt(sessionId, "slow").catch(() => "lost");
  await held.asked;
  await editor[Symbol.asyncDispose]();
  expect(editor.child.exitCode).toBe(0);
  await held.left; // the model is no longer called
  await lost;
});

test("SIGTERM ends the program", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond);
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const lost = editor.prompt(sessionId, "slow").catch(() => "lost");
  await held.asked;
  editor.child.kill("SIGTERM");
  expect(await editor.child.exited).toBe(0);
  await lost;
});

test("an unanswered permission is a denial, and the question is withdrawn", async () => {
  await using chat = await chatPlace(callsTools({ name: "bash", args: { command: "touch x" } }), says("done"));
  const args = [...CHAT, "--permissions", "ask", "--set", "permissions.timeoutMs=1000"];
  await using editor = await AcpEditor.start({ ...chat.place, args, permit: () => new Promise(() => {}) });
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn");
  expect(editor.updatesOf("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  expect(editor.check.seen.get("$/cancel_request")).toBe(1);
});

test("a crashed engine fails the prompt, and the next prompt starts another engine", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond, says("back"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT, capabilities: { session: { notices: {} } } });
  const { sessionId } = await editor.open();
  const lost = editor.prompt(sessionId, "slow");
  await held.asked;
  for (const pid of childrenOf(editor.child.pid, chat.place.cwd)) process.kill(pid, "SIGKILL");
  expect(await rejection(lost)).toMatchObject({ code: -32603 });
  expect(editor.updatesOf("notice").some(({ severity }) => severity === "error")).toBe(true);
  expect(await editor.prompt(sessionId, "again")).toBe("end_turn");
  expect(editor.text()).toBe("back");
});

const residentMiB = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

where(hasProc, "needs /proc").test(
  "a client that does not read costs little memory and receives everything once it reads",
  async () => {
    const model = heldAnswer();
    await using chat = await chatPlace(model.respond);
    const args = [...CHAT, "--set", "compaction.enabled=false", "--set", "stream.maxAnswerChars=1000000000"];
    await using editor = await AcpEditor.start({ ...chat.place, args });
    const { sessionId } = await editor.open();
    const turn = editor.prompt(sessionId, "much");
    await model.asked;
    const before = residentMiB(editor.child.pid);
    const resume = editor.holdReading();
    const piece = "0123456789abcdef ".repeat(300);
    const PIECES = 6_000; // 30 MB: more than the buffers in between
    for (let written = 0; written < PIECES; written += 1) {
      model.write(piece);
      await model.drained();
    }
    const grown = residentMiB(editor.child.pid) - before;
    model.finish();
    resume();
    expect(await turn).toBe("end_turn");
    expect(editor.text().length).toBe(PIECES * piece.length);
    expect(grown).toBeLessThan(200);
  },
  120_000,
);
