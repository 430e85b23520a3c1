import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ClientCapabilities } from "@agentclientprotocol/sdk";
import {
  CHAT,
  callsTools,
  chatPlace,
  heldAnswer,
  says,
} from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { AcpEditor, type EditorOptions } from "../support/acp-editor.ts";

const never = () => new Promise<never>(() => {});

interface State {
  name: string;
  answers: Parameters<typeof chatPlace>;
  args?: string[];
  capabilities?: ClientCapabilities;
  options?: Partial<EditorOptions>;
  /** Resolves when the turn is in that state. */
  reached(editor: AcpEditor, model: ReturnType<typeof heldAnswer>): Promise<unknown>;
}

const isCalled = (editor: AcpEditor) =>
  editor.until(() => editor.updatesOf("tool_call_update").some(({ status }) => status === "in_progress"), "the call");

/** The states in which a turn can be cancelled. The model's last answer is for the next turn. */
const STATES: (model: ReturnType<typeof heldAnswer>) => State[] = (model) => [
  { name: "at once", answers: [model.respond], reached: () => Promise.resolve() },
  { name: "while the model is silent", answers: [model.respond], reached: () => model.asked },
  {
    name: "while the model writes",
    answers: [model.respond],
    reached: async (editor) => {
      await model.asked;
      model.write("some words");
      await editor.until(() => editor.text() !== "", "words");
    },
  },
  {
    name: "while a command runs",
    answers: [callsTools({ name: "bash", args: { command: "sleep 30" } })],
    args: ["--permissions", "full"],
    reached: isCalled,
  },
  {
    name: "while a permission is pending",
    answers: [callsTools({ name: "bash", args: { command: "touch x" } })],
    args: ["--permissions", "ask"],
    options: { permit: never },
    reached: (editor) => editor.until(() => editor.permissions.length > 0, "the question"),
  },
  {
    name: "while a form is open",
    answers: [
      callsTools({ name: "ask", args: { questions: [{ id: "q", question: "?", options: [{ label: "a" }] }] } }),
    ],
    capabilities: { elicitation: { form: {} } },
    options: { elicit: never },
    reached: (editor) => editor.until(() => editor.elicitations.length > 0, "the form"),
  },
  {
    name: "while a command runs in the client's terminal",
    answers: [callsTools({ name: "bash", args: { command: "sleep 30" } })],
    args: ["--permissions", "full"],
    capabilities: { terminal: true },
    reached: (editor) => editor.until(() => editor.check.seen.has("terminal/wait_for_exit"), "the terminal"),
  },
  {
    name: "while a staged change waits",
    answers: [callsTools({ name: "ast_edit", args: { ops: [{ pat: "foo($A)", out: "bar($A)" }], path: "a.ts" } })],
    args: ["--permissions", "ask"],
    options: { permit: never },
    reached: (editor) => editor.until(() => editor.permissions.length > 0, "the question"),
  },
  {
    name: "while a failed call waits for its retry",
    answers: [
      (response) => {
        response.writeHead(503, { "retry-after": "30" });
        response.end();
      },
    ],
    capabilities: { session: { notices: {} } },
    reached: (editor) => editor.until(() => editor.updatesOf("notice").length > 0, "the notice"),
  },
];

/** All updates of a turn precede its response. */
function expectNothingBehind(editor: AcpEditor, sessionId: string): void {
  const end = editor.heard.findLastIndex(({ result }) => (result as { stopReason?: string })?.stopReason !== undefined);
  const behind = editor.heard.slice(end + 1).flatMap(({ method, params }) => {
    const { sessionId: of, update } = (params ?? {}) as { sessionId?: string; update?: { sessionUpdate: string } };
    return method === "session/update" && of === sessionId ? [update?.sessionUpdate] : [];
  });
  expect(behind).toEqual([]);
}

const names = STATES(heldAnswer()).map(({ name }) => name);

describe.each(["session/cancel", "$/cancel_request"] as const)("%s", (by) => {
  test.each(names)("%s", async (name) => {
    const model = heldAnswer();
    const state = STATES(model).find((one) => one.name === name)!;
    await using chat = await chatPlace(...state.answers, says("the next turn"));
    writeFileSync(join(chat.place.cwd, "a.ts"), "foo(1);\n");
    await using editor = await AcpEditor.start({
      ...chat.place,
      args: [...CHAT, ...(state.args ?? [])],
      ...(state.capabilities && { capabilities: state.capabilities }),
      ...state.options,
    });
    const { sessionId } = await editor.open();
    const controller = new AbortController();
    const prompt = [{ type: "text" as const, text: "go" }];
    const turn = editor.agent.request(
      "session/prompt",
      { sessionId, prompt },
      { cancellationSignal: controller.signal },
    );
    await state.reached(editor, model);
    if (by === "session/cancel") await editor.cancel(sessionId);
    else controller.abort();
    expect(await turn).toMatchObject({ stopReason: "cancelled" });
    expectNothingBehind(editor, sessionId);
    const open = new Map<string, string>();
    for (const update of editor.updates(sessionId)) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      if (update.status) open.set(update.toolCallId, update.status);
    }
    expect([...open.values()].filter((status) => status !== "failed" && status !== "completed")).toEqual([]);
    if (state.capabilities?.terminal) {
      await editor.until(() => editor.check.seen.has("terminal/release"), "the release");
      expect(editor.check.seen.get("terminal/kill")).toBe(1);
    }
    if (name === "at once") return; // the model may or may not have been called
    const from = editor.text().length;
    expect(await editor.prompt(sessionId, "on")).toBe("end_turn");
    expect(editor.text().slice(from)).toBe("the next turn");
  });
});

test("cancelling also ends queued prompts; a prompt sent right afterwards waits for the end", async () => {
  const model = heldAnswer();
  await using chat = await chatPlace(model.respond, says("after"));
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const first = editor.prompt(sessionId, "slow");
  const second = editor.prompt(sessionId, "waits");
  await model.asked;
  await editor.cancel(sessionId);
  const third = editor.prompt(sessionId, "after");
  expect(await Promise.all([first, second, third])).toEqual(["cancelled", "cancelled", "end_turn"]);
  expect(editor.text()).toBe("after");
});

test("closing a session cancels what runs in it", async () => {
  const model = heldAnswer();
  await using chat = await chatPlace(model.respond);
  await using editor = await AcpEditor.start({ ...chat.place, args: CHAT });
  const { sessionId } = await editor.open();
  const turn = editor.prompt(sessionId, "slow");
  await model.asked;
  await editor.agent.request("session/close", { sessionId });
  expect(await turn).toBe("cancelled");
  await model.left;
});
