import { describe, expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import type { SessionManager } from "../../../../storage/src/session-manager.ts";
import type { SetupSessionManager } from "../../../src/extensibility/api/session-types.ts";
import { setUpSession } from "../../../src/extensibility/extensions/session-setup.ts";
import { freshPlace, show, storeOf } from "../../support/session/test-session.ts";

function newManager(): SessionManager {
  return storeOf(freshPlace()).createInMemory();
}

describe("setup of a new session", () => {
  test("writes under the names that extensions know, and reads what it wrote", async () => {
    const manager = newManager();
    await setUpSession((open) => {
      const id = open.appendMessage({ role: "user", content: "hello", timestamp: 7 });
      open.appendCustomMessageEntry("note", "a note", true, { n: 1 });
      open.appendCustomEntry("state", { kept: true });
      open.appendSessionInfo("named");
      open.appendLabelChange(id, "start");
      open.appendModelChange("acme", "large");
      open.appendThinkingLevelChange("high");
      expect([open.getEntry(id)?.type, open.getLabel(id), open.getSessionName()]).toEqual([
        "message",
        "start",
        "named",
      ]);
    }, manager);
    const { messages, model, thinkingLevel } = manager.buildContext();
    expect(show(messages)).toEqual(["user: hello", "custom: a note"]);
    expect([messages[0]?.timestamp, model, thinkingLevel]).toEqual([7, { provider: "acme", modelId: "large" }, "high"]);
  });

  test.each<[string, unknown]>([
    ["nothing", {}],
    ["another role", { role: "system", content: [] }],
    ["a text of the model", { role: "assistant", content: "hi" }],
    ["no content", { role: "user" }],
  ])("rejects a message with %s", async (_what, message) => {
    const manager = newManager();
    const done = setUpSession((open) => void open.appendMessage(message as AgentMessage), manager);
    expect(await done.catch(String)).toContain("TypeError");
    expect(manager.entries()).toEqual([]);
  });

  test("throws when used after setup", async () => {
    const manager = newManager();
    let kept: SetupSessionManager | undefined;
    await setUpSession((open) => {
      kept = open;
    }, manager);
    expect(() => kept?.appendCustomEntry("late")).toThrow("setup is over");
    expect(kept?.getSessionId()).toBe(manager.sessionId);
  });
});
