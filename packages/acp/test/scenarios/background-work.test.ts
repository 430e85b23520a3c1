import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../ai/test/support/fault-matrix-answer.ts";
import { CHAT, callsTools, chatPlace, says } from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { AcpEditor } from "../support/acp-editor.ts";

const ASYNC = [...CHAT, "--set", "async.enabled=true"];
const untilFile = (name: string) => callsTools({ name: "bash", args: { command: untilExists(name), async: true } });
const untilExists = (name: string) => `touch begun; until [ -e ${name} ]; do sleep 0.02; done; touch gone`;

test("a prompt is answered when the background work it started has ended and its result was handled", async () => {
  await using chat = await chatPlace(untilFile("go"), says("It runs."), says("It has ended."));
  await using editor = await AcpEditor.start({ ...chat.place, args: ASYNC });
  const { sessionId } = await editor.open();
  let isAnswered = false;
  const answer = editor.prompt(sessionId, "build it").finally(() => {
    isAnswered = true;
  });
  await editor.until(() => editor.text() === "It runs.", "the first answer");
  expect(isAnswered).toBe(false);
  writeFileSync(join(chat.place.cwd, "go"), "");
  expect(await answer).toBe("end_turn");
  expect(editor.text()).toBe("It runs.It has ended.");
});

test("a cancelled prompt is answered at once, and its background work continues", async () => {
  await using chat = await chatPlace(untilFile("go"), says("It runs."));
  await using editor = await AcpEditor.start({ ...chat.place, args: ASYNC });
  const { sessionId } = await editor.open();
  const exists = (name: string) => until(() => existsSync(join(chat.place.cwd, name)));
  const answer = editor.prompt(sessionId, "build it");
  await editor.until(() => editor.text() === "It runs.", "the first answer");
  await exists("begun");
  await editor.cancel(sessionId);
  expect(await answer).toBe("cancelled");
  writeFileSync(join(chat.place.cwd, "go"), "");
  await exists("gone"); // the command has not been stopped
});

test("a call of task shows what its subagents do, and questions name the subagent", async () => {
  await using chat = await chatPlace(
    callsTools({ name: "task", args: { tasks: [{ name: "tester", task: "Run the tests" }] } }),
    callsTools({ name: "bash", args: { command: "touch tested" } }),
    says("All tests pass."),
    says("Done."),
  );
  const args = [...CHAT, "--permissions", "ask"];
  // Progress is reported a few times per second; the answer waits for it.
  const permit = async (): Promise<string> => {
    await editor.until(() => /\*\*tester\*\* \(task\) · bash /.test(JSON.stringify(editor.heard)), "the progress");
    return "allow_once";
  };
  await using editor: AcpEditor = await AcpEditor.start({ ...chat.place, args, permit });
  const { sessionId } = await editor.open();
  expect(await editor.prompt(sessionId, "check it")).toBe("end_turn");
  expect(editor.text()).toBe("Done.");
  const asked = editor.permissions.map(({ toolCall }) => toolCall.title);
  expect(asked).toEqual([expect.stringMatching(/^tester \(task\): .*touch tested/)]);
  const [call] = editor.updatesOf("tool_call").filter(({ name }) => name === "task");
  const updates = editor.updatesOf("tool_call_update").filter(({ toolCallId }) => toolCallId === call?.toolCallId);
  expect(JSON.stringify(updates)).toContain("Delegate: Run the tests");
  expect(JSON.stringify(updates)).toMatch(/\*\*tester\*\* \(task\) · bash /);
  expect(updates.at(-1)?.status).toBe("completed");
});
