import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LIMITS, scriptedGateway } from "../support/gateway-fixture.ts";
import { open, prompt } from "../support/session-talk.ts";
import { isType } from "../support/test-host.ts";

test("a command past those in flight is refused as busy, on this connection alone", async () => {
  await using served = scriptedGateway({ limits: { ...LIMITS, maxInFlight: 2 } });
  const [host, other] = [served.host(), served.host()];
  const sessionId = await open(host);
  await other.get({ type: "attach_session", sessionId });
  // Responses stay in order: the second command waits for its turn.
  host.write({ type: "bash", sessionId, id: 1, command: "touch arrived && sleep 60" });
  host.write({ type: "bash", sessionId, id: 2, command: "true" });
  expect(await host.ask({ type: "get_state", sessionId })).toMatchObject({ success: false, code: "busy" });
  expect(await host.ask({ type: "get_server_state" })).toMatchObject({ success: false, code: "busy" });
  expect(await other.ask({ type: "get_state", sessionId })).toMatchObject({ success: true });
  // A refusal does not count against the limit, and responses free capacity.
  await served.until(() => existsSync(join(served.cwd, "arrived")), "the commands to arrive");
  served.killWorkers();
  await host.until(isType("worker_exited"));
  expect(await prompt(host, sessionId, "say again")).toBe("again");
});

test("a setting for all sessions that arrives while one is being opened gets one response and applies to it", async () => {
  await using served = scriptedGateway();
  const host = served.host();
  const sessionId = await open(host);
  await host.get({ type: "detach_session", sessionId });
  // The session is open, so the command is waiting for its state when the next ones arrive.
  const opened = host.ask({ type: "open_session", session: sessionId });
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  const set = await Promise.all([
    host.ask({ type: "set_update_mode", mode: "delta" }),
    host.ask({ type: "set_event_filter", events: ["message_end"] }),
    host.ask({ type: "set_host_capabilities", ui: true }),
  ]);
  expect(set).toMatchObject([{ success: true }, { success: true }, { success: true }]);
  expect(await opened).toMatchObject({ success: true });
  const from = host.frames.length;
  await prompt(host, sessionId, "say x");
  expect(host.frames.slice(from).some(isType("message_update"))).toBe(false);
  expect(
    host.frames.filter(({ type, command }) => type === "response" && command === "set_host_capabilities"),
  ).toHaveLength(1);
});

test("a session that is detached while it is being opened is still attached, and detached with the connection", async () => {
  await using served = scriptedGateway({ idleMs: 20 });
  const [host, keeper] = [served.host(), served.host()];
  const sessionId = await open(keeper);
  const opened = host.ask({ type: "open_session", session: sessionId });
  await Promise.resolve();
  await Promise.resolve();
  await Promise.resolve();
  await host.get({ type: "detach_session", sessionId });
  expect(await opened).toMatchObject({ success: true });
  expect(await prompt(host, sessionId, "say here")).toBe("here");
  host.leave();
  keeper.leave();
  await served.until(() => served.gateway.state().workers === 0, "the worker to end");
});

test("a session past those of a connection is refused before an engine is started for it", async () => {
  await using served = scriptedGateway({ limits: { ...LIMITS, maxSessionsPerConnection: 2 } });
  const host = served.host();
  const answers = await Promise.all([1, 2, 3, 4].map(() => host.ask({ type: "open_session" })));
  expect(answers.map(({ success, code }) => code ?? success)).toEqual([true, true, "busy", "busy"]);
  const { sessionId } = answers[0]!.data as { sessionId: string };
  expect(await host.ask({ type: "new_session", sessionId })).toMatchObject({ success: false, code: "busy" });
  expect(served.journal().match(/^start/gm)).toHaveLength(2);
  // Attaching again does not count, and detaching frees capacity.
  expect(await open(host, { session: sessionId })).toBe(sessionId);
  await host.get({ type: "detach_session", sessionId });
  await open(host);
});

test("a session that is being closed cannot be opened, and can when it is closed", async () => {
  await using served = scriptedGateway();
  const [host, other] = [served.host(), served.host()];
  const sessionId = await open(host);
  await prompt(host, sessionId, "say x");
  const closed = host.ask({ type: "close_session", sessionId });
  // `not_open` would tell the host to repeat the command that it has just sent.
  expect(await other.ask({ type: "open_session", session: sessionId })).toMatchObject({ success: false, code: "busy" });
  expect(await closed).toMatchObject({ success: true });
  expect(await other.ask({ type: "open_session", session: sessionId })).toMatchObject({ success: true });
});
