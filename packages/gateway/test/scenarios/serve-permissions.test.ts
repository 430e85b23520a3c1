import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ServeProgram } from "../support/serve-program.ts";

type Host = Awaited<ReturnType<ServeProgram["connect"]>>;

async function open(host: Host, params: object = {}): Promise<string> {
  const { data } = await host.ask({ type: "open_session", ...params });
  return (data as { sessionId: string }).sessionId;
}

const allowAll = { type: "set_policy", rules: [{ effect: "allow", command: "npm test" }] };

describe("how far hosts may go", () => {
  test("sessions begin with the preset of the settings, and hosts may be stricter but not freer", async () => {
    await using served = new ServeProgram({ settings: { "permissions.mode": "workspace" } });
    const host = await served.connect();
    const sessionId = await open(host);
    expect(((await host.ask({ type: "get_state", sessionId })).data as { permissionMode: string }).permissionMode).toBe(
      "workspace",
    );
    expect(await host.ask({ type: "set_permission_mode", sessionId, mode: "plan" })).toMatchObject({ success: true });
    expect(await host.ask({ type: "set_policy", sessionId, rules: [{ effect: "deny", command: "rm" }] })).toMatchObject(
      {
        success: true,
      },
    );
    const tooFree = [
      { type: "set_permission_mode", sessionId, mode: "full" },
      { sessionId, ...allowAll },
      { type: "set_sandbox_mode", sessionId, mode: "off" },
      { type: "open_session", settings: { "permissions.mode": "full" } },
      { type: "open_session", settings: { "permissions.rules": [{ effect: "allow", tool: "*" }] } },
      { type: "open_session", settings: { "sandbox.mode": "off" } },
      { type: "open_session", settings: { "sandbox.network": "on" } },
    ];
    for (const command of tooFree) {
      const answer = await host.ask(command);
      expect(answer).toMatchObject({ success: false, code: "not_allowed" });
      expect(answer.error).toContain("serve.maxPermissions");
    }
    expect(await open(host, { settings: { "permissions.mode": "ask", "sandbox.mode": "read-only" } })).toBeString();
  });

  test("serve.maxPermissions gives more", async () => {
    await using served = new ServeProgram({ settings: { "permissions.mode": "ask", "serve.maxPermissions": "full" } });
    const host = await served.connect();
    const sessionId = await open(host, { settings: { "permissions.mode": "full" } });
    expect(await host.ask({ sessionId, ...allowAll })).toMatchObject({ success: true });
    expect(await host.ask({ type: "set_sandbox_mode", sessionId, mode: "off" })).toMatchObject({ success: true });
  });

  test.each([false, true])(
    "a permission for ever is kept only where the server allows it (%p)",
    async (allowAlways) => {
      await using served = new ServeProgram({ settings: { "serve.allowAlways": allowAlways } });
      const host = await served.connect();
      const sessionId = await open(host, { settings: { "permissions.mode": "ask" } });
      await host.ask({ type: "set_host_capabilities", sessionId, approvals: true });
      await host.ask({ type: "prompt", sessionId, message: "write notes.txt: hi" });
      const { id, suggestedRules } = await host.next(({ type }) => type === "approval_request");
      host.send(
        JSON.stringify({ type: "approval_response", sessionId, id, decision: "allow_always", rules: suggestedRules }),
      );
      const resolved = await host.next(({ type }) => type === "approval_resolved");
      expect(resolved.decision).toBe(allowAlways ? "allow_always" : "allow_session");
      await host.next(({ type }) => type === "agent_settled");
      expect(existsSync(join(served.root, "notes.txt"))).toBe(true);
      expect(existsSync(join(served.root, "../.pintle/settings.json"))).toBe(allowAlways);
    },
  );
});
