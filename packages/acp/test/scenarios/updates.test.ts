import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { runProgram } from "../../../coding-agent/test/support/program.ts";
import { CHAT, chatPlace, says } from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { testWith } from "../../../coding-agent/test/support/system-tool.ts";
import { AcpEditor } from "../support/acp-editor.ts";

const TERMINAL = join(import.meta.dir, "../support/typing.py");
const program = join(import.meta.dir, "../../../../dist/pintle");

test("a compacted history is reported, and is part of a loaded session", async () => {
  const words = (tokens: number) => "word".padEnd(tokens * 4, " xyz");
  await using chat = await chatPlace(says(words(300)));
  const models = [{ id: "m", contextWindow: 8_192, maxTokens: 1_000 }];
  const providers = { local: { baseUrl: chat.server.url, api: "openai-completions", auth: "none", models } };
  writeFileSync(join(chat.place.env.PINTLE_HOME!, "models.json"), JSON.stringify({ providers }));
  const capabilities = { session: { compaction: {}, notices: {} } };
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT, capabilities });
  const { sessionId } = await editor.open();
  const told = () => editor.updatesOf("compaction_update");
  for (let n = 0; n < 30 && told().length < 2; n += 1) await editor.prompt(sessionId, `${n} ${words(400)}`);
  const [first, second] = told();
  expect(first).toMatchObject({ status: "in_progress" });
  expect(second).toMatchObject({ status: "completed", compactionId: first!.compactionId });
  expect(second?.summary?.length).toBe(1);
  await editor.agent.request("session/close", { sessionId });
  const from = told().length;
  await editor.agent.request("session/load", { sessionId, cwd: chat.place.cwd, mcpServers: [] });
  expect(told().slice(from)).toMatchObject([{ status: "completed" }]);
});

test("skills and templates are listed as commands, with their arguments", async () => {
  await using chat = await chatPlace(says("done"));
  const prompts = join(chat.place.env.PINTLE_HOME!, "prompts");
  mkdirSync(prompts, { recursive: true });
  writeFileSync(join(prompts, "review.md"), "---\ndescription: look at it\n---\nReview $1 with care.\n");
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  await editor.until(() => editor.updatesOf("available_commands_update").length > 0, "the commands");
  const { availableCommands } = editor.updatesOf("available_commands_update").at(-1)!;
  expect(availableCommands).toContainEqual(expect.objectContaining({ name: "review", description: "look at it" }));
  await editor.prompt(sessionId, "/review a.ts");
  const { messages } = chat.server.requests.at(-1)!.body as { messages: { content: string }[] };
  expect(messages.at(-1)?.content).toContain("Review a.ts with care.");
});

test("a model without a key requires authentication", async () => {
  await using chat = await chatPlace(says("never"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT, capabilities: { auth: { terminal: true } } });
  expect(editor.initialized.authMethods).toMatchObject([{ type: "terminal", id: "api-key", args: ["--login"] }]);
  const providers = { local: { baseUrl: chat.server.url, api: "openai-completions", models: [{ id: "m" }] } };
  writeFileSync(join(chat.place.env.PINTLE_HOME!, "models.json"), JSON.stringify({ providers }));
  expect(await rejection(editor.open())).toMatchObject({
    code: -32000,
    message: expect.stringContaining("no API key"),
  });
});

testWith("python3")("a key typed at the terminal is stored and not echoed", async () => {
  await using chat = await chatPlace(says("never"));
  const command = ["python3", TERMINAL, "Provider: =anthropic", "(hidden): =sk-ant-secret", program];
  const { stdout, code } = await runProgram(["acp", "--login"], { ...chat.place, command });
  expect({ code, isShown: stdout.includes("sk-ant-secret") }).toEqual({ code: 0, isShown: false });
  const stored = readFileSync(join(chat.place.env.PINTLE_HOME!, "auth.json"), "utf8");
  expect(stored).toContain("sk-ant-secret");
});

test("a session whose opening is cancelled is closed", async () => {
  await using chat = await chatPlace(says("done"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const controller = new AbortController();
  const request = { cwd: chat.place.cwd, mcpServers: [] };
  const opening = editor.agent.request("session/new", request, { cancellationSignal: controller.signal });
  controller.abort();
  expect(await rejection(opening)).toMatchObject({ code: -32800 });
  const { sessionId } = await editor.open();
  await editor.until(() => editor.updates(sessionId).length > 0, "the commands");
  expect(editor.updates().length).toBe(editor.updates(sessionId).length); // no updates for a session that the client does not know
});

test("the mode and the subcommand accept the same flags and refuse others", async () => {
  await using chat = await chatPlace(says("done"));
  for (const [args, text] of [
    [["acp", "hello"], "takes no arguments"],
    [["acp", "--login"], "needs a terminal"],
    [["acp", "--permissions", "yolo"], "--permissions must be one of"],
    [["--mode", "acp", "--tools", "read"], "--tools cannot be used with --mode acp"],
  ] as const) {
    const { code, stderr } = await runProgram([...args], chat.place);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(text) });
  }
  const { code, stdout } = await runProgram(["--mode", "acp", ...CHAT], chat.place);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "" }); // without a client nothing is sent, and the program exits normally
});
