import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import {
  CHAT,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { AcpEditor } from "../support/acp-editor.ts";

test("a client receives what the program can do, and starts a session that answers", async () => {
  await using chat = await chatPlace(says("Hello there."));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  expect(editor.initialized).toMatchObject({
    protocolVersion: 1,
    agentInfo: { name: "pintle" },
    authMethods: [],
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: false, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
  });
  const { sessionId, modes, configOptions } = await editor.open();
  expect(modes?.currentModeId).toBe("workspace");
  expect(configOptions?.map(({ id, currentValue }) => [id, currentValue])).toEqual([
    ["mode", "workspace"],
    ["model", "local/m"],
    ["thinking", "off"],
    ["sandbox", "auto"],
  ]);
  await editor.until(() => editor.updatesOf("available_commands_update").length > 0, "the commands");
  expect(await editor.prompt(sessionId, "hello")).toBe("end_turn");
  expect(editor.text()).toBe("Hello there.");
  const chunks = editor.updatesOf("agent_message_chunk");
  expect(new Set(chunks.map(({ messageId }) => messageId)).size).toBe(1);
  expect(editor.updatesOf("usage_update").at(-1)).toMatchObject({
    size: expect.any(Number),
    cost: { currency: "USD" },
  });
  expect(editor.updatesOf("session_info_update")).toMatchObject([{ title: "hello" }]);
});

test("text, images, links and embedded files reach the model", async () => {
  await using chat = await chatPlace(says("seen"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await editor.prompt(sessionId, [
    { type: "text", text: "Compare" },
    { type: "resource_link", name: "a.ts", uri: "file:///project/a.ts" },
    { type: "text", text: " with " },
    { type: "resource", resource: { uri: "file:///project/b.ts", text: "const b = 1;" } },
    { type: "resource_link", name: "page", uri: "https://example.com/x" },
    { type: "image", data: image, mimeType: "image/png" },
  ]);
  const { messages } = chat.server.requests.at(-1)!.body as { messages: { content: string }[] };
  expect(messages.at(-1)?.content).toBe(
    [
      "Compare @/project/a.ts with @/project/b.ts [page](https://example.com/x)",
      "",
      '<context ref="file:///project/b.ts">',
      "const b = 1;",
      "</context>",
      "[An image was left out: this model does not take images.]",
    ].join("\n"),
  );
  const refused = editor.prompt(sessionId, [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }]);
  expect(await rejection(refused)).toMatchObject({ code: -32602 });
});

test("tool calls are reported with kind, location, arguments, live output, diff and end", async () => {
  const edits = [{ oldText: "one", newText: "two" }];
  await using chat = await chatPlace(
    callsTools(
      { name: "read", args: { path: "a.txt", offset: 1 }, id: "r" },
      { name: "edit", args: { path: "a.txt", edits }, id: "e" },
    ),
    callsTools({ name: "write", args: { path: "b.txt", content: "new\n" }, id: "w" }),
    callsTools(
      { name: "bash", args: { command: "echo out" }, id: "b" },
      { name: "read", args: { path: "none" }, id: "x" },
    ),
    says("done"),
  );
  const path = join(chat.place.cwd, "a.txt");
  writeFileSync(path, "one\n");
  await using editor = await AcpEditor.start({ ...chat.place, args: [...CHAT, "--permissions", "full"] });
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, "go")).toBe("end_turn");
  const call = (id: string) => {
    const of = editor
      .updates()
      .flatMap((update) =>
        (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") &&
        update.toolCallId === id
          ? [update]
          : [],
      );
    return { first: of[0]!, last: of.at(-1)!, all: Object.assign({}, ...of) };
  };
  expect(call("r").first.sessionUpdate).toBe("tool_call");
  expect(call("r").all).toMatchObject({
    kind: "read",
    title: "Read a.txt",
    status: "completed",
    locations: [{ path, line: 1 }],
    rawInput: { path: "a.txt", offset: 1 },
  });
  expect(call("e").all).toMatchObject({
    kind: "edit",
    status: "completed",
    content: [{ type: "diff", path, oldText: "one", newText: "two" }],
  });
  expect(call("w").all).toMatchObject({
    status: "completed",
    content: [{ type: "diff", path: join(chat.place.cwd, "b.txt"), newText: "new\n" }],
  });
  expect(call("b").all).toMatchObject({ kind: "execute", title: "echo out", status: "completed" });
  expect(JSON.stringify(call("b").all.content)).toContain("out");
  expect(call("x").all).toMatchObject({ status: "failed" });
});

test("the output of a command is sent while it runs", async () => {
  const command = "echo first; while [ ! -e go ]; do sleep 0.05; done; echo second";
  await using chat = await chatPlace(callsTools({ name: "bash", args: { command } }), says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: [...CHAT, "--permissions", "full"] });
  const { sessionId } = await editor.open();
  const turn = editor.prompt(sessionId, "go");
  const isTold = (text: string) =>
    editor.updatesOf("tool_call_update").some(({ content }) => JSON.stringify(content)?.includes(text));
  await editor.until(() => isTold("first"), "the first line");
  expect(isTold("second")).toBe(false);
  writeFileSync(join(chat.place.cwd, "go"), "");
  expect(await turn).toBe("end_turn");
  expect(isTold("second")).toBe(true);
});

test("the todo list is sent as the plan", async () => {
  const ops = [
    {
      op: "replace",
      phases: [
        {
          name: "p",
          tasks: [
            { content: "first", status: "completed" },
            { content: "second", status: "in_progress" },
            { content: "third", status: "abandoned" },
          ],
        },
      ],
    },
  ];
  await using chat = await chatPlace(callsTools({ name: "todo_write", args: { ops } }), says("done"), says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: [...CHAT, "--set", "todo.reminders=false"] });
  const { sessionId } = await editor.open();
  await editor.prompt(sessionId, "plan it");
  expect(editor.updatesOf("plan").at(-1)?.entries).toEqual([
    { content: "first", priority: "medium", status: "completed" },
    { content: "second", priority: "medium", status: "in_progress" },
  ]);
});

test("two sessions are independent, and the prompts of one run in order", async () => {
  const held = heldAnswer();
  await using chat = await chatPlace(held.respond, says("from the other"), says("behind"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const [one, two] = await Promise.all([editor.open(), editor.open()]);
  const first = editor.prompt(one.sessionId, "slow");
  await held.asked;
  const behind = editor.prompt(one.sessionId, "second");
  expect(await editor.prompt(two.sessionId, "quick")).toBe("end_turn");
  expect(editor.text(two.sessionId)).toBe("from the other");
  held.write("slow words");
  held.finish();
  expect(await first).toBe("end_turn");
  expect(editor.text(one.sessionId)).toStartWith("slow words");
  expect(await behind).toBe("end_turn");
  expect(editor.text(one.sessionId)).toBe("slow wordsbehind");
});

test("stop reasons: the output limit, the limit of turns, a failure of the model", async () => {
  const cut = (response: import("node:http").ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "cut" }, finish_reason: "length" }] })}\n\ndata: [DONE]\n\n`,
    );
  };
  const fails = (response: import("node:http").ServerResponse) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end('{"error":{"message":"the request is bad"}}');
  };
  await using chat = await chatPlace(cut, callsTools({ name: "ls", args: {} }), fails);
  await using editor = await AcpEditor.start({ ...chat.place, args: [...CHAT, "--set", "agent.maxTurns=1"] });
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, "cut")).toBe("max_tokens");
  expect(await editor.prompt(sessionId, "turns")).toBe("max_turn_requests");
  expect(await rejection(editor.prompt(sessionId, "fail"))).toMatchObject({
    code: -32603,
    message: expect.stringContaining("the request is bad"),
  });
});

test("a prompt with a schema in `_meta` is answered with the result of its run", async () => {
  const out = callsTools({ name: "structured_output", args: { line: 3 }, id: "out" });
  await using chat = await chatPlace(out);
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const schema = { type: "object", properties: { line: { type: "integer" } }, required: ["line"] };
  const answer = await editor.agent.request("session/prompt", {
    sessionId,
    prompt: [{ type: "text", text: "go" }],
    _meta: { "pintle/outputSchema": schema },
  });
  expect(answer).toMatchObject({
    stopReason: "end_turn",
    _meta: { "pintle/result": { status: "completed", output: { line: 3 }, outputAttempts: 1 } },
  });
});
