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
  test("sessions begin with workspace, and hosts may be stricter but not freer", async () => {
    await using served = new ServeProgram();
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

  test("a preset that the user has chosen is where sessions begin, and hosts may come back to it", async () => {
    await using served = new ServeProgram({ settings: { "permissions.mode": "full" } });
    const host = await served.connect();
    const sessionId = await open(host);
    for (const mode of ["plan", "full"]) {
      expect(await host.ask({ type: "set_permission_mode", sessionId, mode })).toMatchObject({ success: true });
    }
    expect((await host.ask({ type: "get_state", sessionId })).data).toMatchObject({ permissionMode: "full" });
  });

  test("a call of a host tool is left to a host that answers no questions; if another host answers, it is asked", async () => {
    await using served = new ServeProgram();
    const [host, page] = [await served.connect(), await served.connect()];
    const sessionId = await open(host);
    const place = { name: "place", description: "Where this runs", parameters: { type: "object" } };
    await host.ask({ type: "set_host_tools", sessionId, tools: [place] });
    await host.ask({ type: "prompt", sessionId, message: "call place {}" });
    const { id } = await host.next(({ type }) => type === "host_tool_call");
    const result = { content: [{ type: "text", text: "in the host" }] };
    host.send(JSON.stringify({ type: "host_tool_result", sessionId, id, result }));
    await host.next(({ type }) => type === "agent_settled");
    await page.ask({ type: "attach_session", sessionId });
    await page.ask({ type: "set_host_capabilities", sessionId, approvals: true });
    await host.ask({ type: "prompt", sessionId, message: "call place {}" });
    const question = await page.next(({ type }) => type === "approval_request");
    page.send(JSON.stringify({ type: "approval_response", sessionId, id: question.id, decision: "deny" }));
    await page.next(({ type }) => type === "agent_settled");
    expect(question.request).toMatchObject({ tool: "place", origin: "host" });
    const { data } = await host.ask({ type: "get_messages", sessionId });
    const results = (data as { messages: { role: string; isError?: boolean }[] }).messages.filter(
      ({ role }) => role === "toolResult",
    );
    expect(results.map(({ isError }) => isError)).toEqual([false, true]);
  });

  test("only a host that was asked can answer an approval", async () => {
    await using served = new ServeProgram();
    const [asked, other] = [await served.connect(), await served.connect()];
    const sessionId = await open(asked, { settings: { "permissions.mode": "ask" } });
    await other.ask({ type: "attach_session", sessionId });
    await other.ask({ type: "set_host_capabilities", sessionId, ui: true, trust: true });
    await asked.ask({ type: "set_host_capabilities", sessionId, approvals: true });
    await asked.ask({ type: "prompt", sessionId, message: "write notes.txt: hi" });
    const { id } = await asked.next(({ type }) => type === "approval_request");
    expect(id).toMatch(/^approval_[0-9a-f]{8}-/);
    const answer = { type: "approval_response", sessionId, id };
    other.send(JSON.stringify({ ...answer, decision: "allow_once" }));
    expect((await other.ask({ type: "get_pending", sessionId })).data).toEqual({ pending: [] });
    expect((await asked.ask({ type: "get_pending", sessionId })).data).toMatchObject({ pending: [{ id }] });
    asked.send(JSON.stringify({ ...answer, decision: "deny" }));
    expect(await asked.next(({ type }) => type === "approval_resolved")).toMatchObject({
      decision: "deny",
      by: "host",
    });
    await asked.next(({ type }) => type === "agent_settled");
    expect(existsSync(join(served.root, "notes.txt"))).toBe(false);
  });

  test("no title or name turns text around", async () => {
    await using served = new ServeProgram();
    const host = await served.connect();
    const sessionId = await open(host, { settings: { "permissions.mode": "ask" }, name: "fix \u202egpj.exe" });
    await host.ask({ type: "set_host_capabilities", sessionId, approvals: true });
    await host.ask({ type: "prompt", sessionId, message: "write notes\u202egpj.exe: hi" });
    const { id, request } = await host.next(({ type }) => type === "approval_request");
    expect((request as { title: string }).title).toContain("notes?gpj.exe");
    host.send(JSON.stringify({ type: "approval_response", sessionId, id, decision: "deny" }));
    await host.next(({ type }) => type === "agent_settled");
    await host.ask({ type: "set_session_name", sessionId, name: "a\u2066b\u200dc" });
    const { data } = await host.ask({ type: "get_state", sessionId });
    expect((data as { sessionName: string }).sessionName).toBe("ab\u200dc");
  });

  test("serve.maxPermissions gives more", async () => {
    await using served = new ServeProgram({ settings: { "serve.maxPermissions": "full" } });
    const host = await served.connect();
    const sessionId = await open(host, { settings: { "permissions.mode": "full" } });
    expect(await host.ask({ sessionId, ...allowAll })).toMatchObject({ success: true });
    expect(await host.ask({ type: "set_sandbox_mode", sessionId, mode: "off" })).toMatchObject({ success: true });
  });

  test.each([false, true])("a permission forever is kept only where the server allows it (%p)", async (allowAlways) => {
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
  });
});
