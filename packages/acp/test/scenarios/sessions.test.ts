import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { CHAT, callsTools, chatPlace, says } from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { childrenOf } from "../../../gateway/test/support/gateway-fixture.ts";
import { AcpEditor } from "../support/acp-editor.ts";

const mcpServer = resolve(import.meta.dir, "../../../coding-agent/test/support/mcp/stdio-server.ts");

test("a stored session is listed, loaded with its conversation, resumed without it, closed and deleted", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "ls", args: {}, id: "l" }),
    says("It is empty."),
    says("again"),
  );
  const { cwd } = chat.place;
  const session = { id: "" };
  {
    await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
    const { sessionId } = await editor.open();
    session.id = sessionId;
    await editor.prompt(sessionId, "What is here?");
    expect((await editor.agent.request("session/list", {})).sessions).toEqual([
      { sessionId, cwd, title: "What is here?", updatedAt: expect.any(String) },
    ]);
    await editor.agent.request("session/close", { sessionId });
    expect(await rejection(editor.prompt(sessionId, "more"))).toMatchObject({ code: -32002 });
  }
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const sessionId = session.id;
  const loaded = await editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(loaded.modes?.currentModeId).toBe("workspace");
  const told = editor.heard.findIndex(({ result }) => (result as { modes?: unknown })?.modes !== undefined);
  const before = editor.heard.slice(0, told).flatMap(({ params }) => {
    const { update } = (params ?? {}) as { update?: { sessionUpdate: string; content?: { text?: string } } };
    return update ? [[update.sessionUpdate, update.content?.text]] : [];
  });
  expect(before).toEqual([
    ["user_message_chunk", "What is here?"],
    ["tool_call", undefined],
    ["tool_call_update", undefined],
    ["agent_message_chunk", "It is empty."],
  ]);
  expect(editor.updatesOf("tool_call_update")).toMatchObject([{ toolCallId: "l", status: "completed" }]);
  await editor.agent.request("session/close", { sessionId });

  const from = editor.updates().length;
  await editor.agent.request("session/resume", { sessionId, cwd });
  expect(await editor.prompt(sessionId, "And now?")).toBe("end_turn");
  const kinds = editor
    .updates()
    .slice(from)
    .map(({ sessionUpdate }) => sessionUpdate);
  expect(kinds).not.toContain("user_message_chunk");
  expect(editor.text().endsWith("again")).toBe(true);

  const elsewhere = join(cwd, "elsewhere");
  mkdirSync(elsewhere);
  const wrong = editor.agent.request("session/load", { sessionId, cwd: elsewhere, mcpServers: [] });
  expect(await rejection(wrong)).toMatchObject({ code: -32602, message: expect.stringContaining(cwd) });
  expect((await editor.agent.request("session/list", { cwd: elsewhere })).sessions).toEqual([]);

  await editor.agent.request("session/delete", { sessionId });
  expect((await editor.agent.request("session/list", { cwd })).sessions).toEqual([]);
  await editor.agent.request("session/delete", { sessionId }); // again, and one that never existed
  await editor.agent.request("session/delete", { sessionId: "never" });
  const gone = editor.agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(await rejection(gone)).toMatchObject({ code: -32002 });
});

test("preset, model, thinking and sandbox can be selected, and are reported", async () => {
  await using chat = await chatPlace(says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId, configOptions } = await editor.open();
  const model = configOptions?.find(({ id }) => id === "model");
  expect(JSON.stringify(model)).toContain("local/thinker");
  await editor.agent.request("session/set_mode", { sessionId, modeId: "ask" });
  await editor.until(() => editor.updatesOf("current_mode_update").length > 0, "the mode");
  expect(editor.updatesOf("current_mode_update")).toMatchObject([{ currentModeId: "ask" }]);
  const set = async (configId: string, value: string) => {
    const answer = await editor.agent.request("session/set_config_option", { sessionId, configId, value });
    return Object.fromEntries(answer.configOptions.map(({ id, currentValue }) => [id, currentValue]));
  };
  expect(await set("model", "local/thinker")).toMatchObject({ mode: "ask", model: "local/thinker" });
  expect(await set("thinking", "high")).toMatchObject({ thinking: "high" });
  expect(await set("sandbox", "read-only")).toMatchObject({ sandbox: "read-only" });
  expect(await set("mode", "plan")).toMatchObject({ mode: "plan" });
  for (const [configId, value] of [
    ["mode", "yolo"],
    ["model", "nobody/none"],
    ["colour", "red"],
  ] as const) {
    expect(await rejection(set(configId, value))).toMatchObject({ code: -32602 });
  }
  const wrong = editor.agent.request("session/set_mode", { sessionId, modeId: "yolo" });
  expect(await rejection(wrong)).toMatchObject({ code: -32602 });
});

test("MCP servers of the client are connected for the session", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "mcp__docs__echo", args: { text: "over there" } }),
    says("done"),
  );
  await using editor = await AcpEditor.start({ ...chat.place, args: [...CHAT, "--permissions", "full"] });
  const docs = { name: "docs", command: process.execPath, args: [mcpServer], env: [{ name: "COLOUR", value: "red" }] };
  const { sessionId } = await editor.open({ mcpServers: [docs] });
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn");
  const end = editor
    .updatesOf("tool_call_update")
    .findLast(({ status }) => status === "completed" || status === "failed");
  expect(end).toMatchObject({ status: "completed" });
  expect(JSON.stringify(end?.content)).toContain("over there");
  const params = { cwd: chat.place.cwd, mcpServers: [{ name: "x" }] };
  expect(await editor.ask({ id: "n", method: "session/new", params })).toMatchObject({ error: { code: -32602 } });
  // If the engine refuses, no session is left behind.
  const engines = () => childrenOf(editor.child.pid, chat.place.cwd).length;
  const before = engines();
  const twice = { cwd: chat.place.cwd, mcpServers: [docs, docs] };
  expect(await editor.ask({ id: "t", method: "session/new", params: twice })).toMatchObject({
    error: { code: -32602 },
  });
  expect(engines()).toBe(before);
});

test("additional directories belong to the workspace", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "write", args: { path: "../further/a.txt", content: "x" } }),
    says("done"),
  );
  const cwd = join(chat.place.root, "project");
  const further = join(chat.place.root, "further");
  mkdirSync(cwd);
  mkdirSync(further);
  writeFileSync(join(further, "seen"), "");
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open({ cwd, additionalDirectories: [further] });
  await editor.prompt(sessionId, "go");
  expect(editor.permissions).toEqual([]);
  expect(editor.updatesOf("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
});
