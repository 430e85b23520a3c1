import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ServeProgram } from "../support/serve-program.ts";

type Host = Awaited<ReturnType<ServeProgram["connect"]>>;

async function open(host: Host, params: object = {}): Promise<string> {
  const { data } = await host.ask({ type: "open_session", ...params });
  return (data as { sessionId: string }).sessionId;
}

async function prompt(host: Host, sessionId: string, message: string): Promise<void> {
  await host.ask({ type: "prompt", sessionId, message });
  await host.next((frame) => frame.type === "agent_settled" && frame.sessionId === sessionId);
}

test("with all workers in use, stored sessions are listed, renamed, deleted and restored", async () => {
  await using served = new ServeProgram({ settings: { "serve.maxWorkers": 1, "serve.drainMs": 1 } });
  const host = await served.connect();
  const stored = await open(host);
  await prompt(host, stored, "hello");
  await host.ask({ type: "close_session", sessionId: stored, abort: true });
  const busy = await open(host);
  host.send(JSON.stringify({ type: "bash", sessionId: busy, command: "sleep 600" }));
  expect(await host.ask({ type: "open_session" })).toMatchObject({ success: false, code: "busy" });
  const names = async () => {
    const { data } = await host.ask({ type: "list_sessions" });
    return (data as { sessions: { sessionId: string; name?: string }[] }).sessions
      .filter(({ sessionId }) => sessionId === stored)
      .map(({ name }) => name);
  };
  expect(await names()).toEqual([undefined]);
  expect(await host.ask({ type: "rename_session", sessionId: stored, name: "renamed" })).toMatchObject({
    success: true,
  });
  expect(await names()).toEqual(["renamed"]);
  expect(await host.ask({ type: "delete_session", sessionId: stored })).toMatchObject({ success: true });
  expect(await names()).toEqual([]);
  expect(await host.ask({ type: "restore_session", sessionId: stored })).toMatchObject({ success: true });
  expect(await names()).toEqual(["renamed"]);
});

test("a notice of an extension reaches every host, a dialog only those that show dialogs", async () => {
  await using served = new ServeProgram();
  writeFileSync(
    join(served.root, "tell.ts"),
    `export default (pi) => pi.registerCommand("tell", { description: "", handler: async (_args, ctx) => {
      ctx.ui.notify("built", "info");
      ctx.ui.setStatus("build", "green");
    } });`,
  );
  const [silent, refusing] = [await served.connect(), await served.connect()];
  const sessionId = await open(silent, { settings: { extensions: ["tell.ts"] } });
  await refusing.ask({ type: "attach_session", sessionId });
  await refusing.ask({ type: "set_host_capabilities", sessionId, ui: false });
  await silent.ask({ type: "prompt", sessionId, message: "/tell" });
  for (const host of [silent, refusing]) {
    const notice = await host.next(({ type }) => type === "extension_ui_request");
    expect(notice).toMatchObject({ method: "notify", message: "built" });
    await host.ask({ type: "get_state", sessionId });
    expect(host.frames.filter(({ method }) => method === "setStatus")).toEqual([]);
  }
});

test("commands for a session that the connection is not attached to, or that does not exist, say which", async () => {
  await using served = new ServeProgram();
  const [owner, other] = [await served.connect(), await served.connect()];
  const sessionId = await open(owner);
  const refused = [
    [{ type: "get_state", sessionId }, "not_attached"],
    [{ type: "prompt", sessionId, message: "x" }, "not_attached"],
    [{ type: "get_state", sessionId: "absent" }, "not_attached"],
    [{ type: "detach_session", sessionId }, "not_attached"],
    [{ type: "detach_session", sessionId: "absent" }, "not_found"],
    [{ type: "attach_session", sessionId: "absent" }, "not_open"],
  ] as const;
  for (const [command, code] of refused) expect([command, await other.ask(command)]).toMatchObject([command, { code }]);
  expect(await owner.ask({ type: "detach_session", sessionId })).toMatchObject({ success: true });
  expect(await owner.ask({ type: "detach_session", sessionId })).toMatchObject({ code: "not_attached" });
});

test("a host that subscribes to settled events receives neither updates nor starts", async () => {
  await using served = new ServeProgram();
  const [host, settled] = [await served.connect(), await served.connect()];
  const sessionId = await open(host);
  await settled.ask({ type: "attach_session", sessionId, events: "settled" });
  await host.ask({ type: "prompt", sessionId, message: "read notes.txt" });
  await settled.next(({ type }) => type === "session_settled");
  const types = new Set(
    settled.frames.filter((frame) => frame.sessionId === sessionId).map(({ type }) => String(type)),
  );
  expect([...types].filter((type) => /_start$|^(message|tool_execution)_update$/.test(type))).toEqual([]);
  for (const type of ["message_end", "tool_execution_end", "agent_end", "agent_settled"]) expect(types).toContain(type);
});
