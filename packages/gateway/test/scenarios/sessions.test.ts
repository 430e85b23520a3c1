import { expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describeStores } from "../../../cluster/test/support/two-stores.ts";
import { LIMITS } from "../support/gateway-fixture.ts";
import { lastCursor, open, prompt, roleOf } from "../support/session-talk.ts";
import { isType, type TestHost } from "../support/test-host.ts";

interface Row {
  sessionId: string;
  status: string;
  name?: string;
}

const list = async (host: TestHost, query: object = {}) =>
  (await host.get<{ sessions: Row[] }>({ type: "list_sessions", ...query })).sessions;

describeStores((start) => {
  test("a session is opened, prompted and received, with a number on each frame", async () => {
    await using served = await start();
    const host = served.host();
    expect(host.frames[0]).toMatchObject({ type: "server_ready", protocolVersion: 1, epoch: served.gateway.epoch });
    expect(host.frames[0]?.capabilities).toContain("approvals");
    expect(host.frames[0]?.capabilities).toContain("host_fs");
    const opened = await host.get<{ sessionId: string }>({ type: "open_session", name: "first" });
    const { sessionId } = opened;
    expect(opened).toMatchObject({ state: { sessionId, sessionName: "first" }, cursor: { seq: 0 }, resync: false });
    const from = host.frames.length;
    await host.get({ type: "prompt", sessionId, message: "hello", id: "mine" });
    const result = await host.until(isType("prompt_result"), from);
    expect(result).toMatchObject({ sessionId, id: "mine", status: "completed" });
    await host.until(isType("session_settled"), from);
    const events = host.events(sessionId);
    expect(events.map(({ type }) => type)).toContain("message_update");
    // Entries are numbered, but sent only to a host that subscribes to them.
    const seqs = events.map(({ seq }) => seq as number);
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    expect(new Set(seqs).size).toBe(seqs.length);
    const end = events.findLast(isType("message_end"))!;
    expect(end.cursor).toMatchObject({ seq: end.seq, entryId: expect.any(String) });
  });

  test("a mistake in a command is reported to its sender with the sender's id, and to others without one", async () => {
    await using served = await start();
    const [host, other] = [served.host(), served.host()];
    const sessionId = await open(host);
    await other.get({ type: "attach_session", sessionId });
    const isMistake = (frame: { type?: unknown; source?: unknown }) =>
      frame.type === "notice" && frame.source === "host";
    await host.get({ type: "set_session_name", sessionId, name: "x", nmae: "y", id: "mine" });
    expect(await host.until(isMistake)).toMatchObject({ code: "unknown_field", requestId: "mine" });
    expect((await other.until(isMistake)).requestId).toBeUndefined();
  });

  test("a session that is not stored is emitted like the others", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host, { ephemeral: true });
    expect(await prompt(host, sessionId, "hello")).toContain("offline model");
    expect(lastCursor(host).entryId).toBeString();
    expect(await list(host)).toMatchObject([{ sessionId, status: "idle" }]);
  });

  test("a session is closed by a host that has just received agent_settled", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    const send = host.send.bind(host);
    host.send = (frame) => {
      send(frame);
      if (frame.json.includes('"type":"agent_settled"')) host.write({ type: "close_session", sessionId, id: "close" });
    };
    await host.get({ type: "prompt", sessionId, message: "hello" });
    expect(await host.until(({ id }) => id === "close")).toMatchObject({ success: true });
    expect(host.frames.map(({ type }) => type)).toContain("prompt_result");
    await host.until(isType("session_closed"));
  });

  test("two hosts that open the same stored session at once share one worker", async () => {
    await using served = await start();
    const first = served.host();
    const sessionId = await open(first);
    await prompt(first, sessionId, "hello");
    await first.get({ type: "close_session", sessionId });
    expect(await first.until(isType("session_closed"))).toMatchObject({ sessionId });
    expect(await first.ask({ type: "attach_session", sessionId })).toMatchObject({ code: "not_open" });
    const hosts = [served.host(), served.host(), served.host()];
    const ids = await Promise.all(hosts.map((host) => open(host, { session: sessionId })));
    expect(ids).toEqual([sessionId, sessionId, sessionId]);
    await prompt(hosts[0]!, sessionId, "hello again");
    for (const host of hosts) await host.until(isType("session_settled"));
    const numbers = hosts.map((host) => host.frames.findLast(isType("agent_settled"))?.seq);
    expect(new Set(numbers).size).toBe(1);
    // A session that was closed and reopened does not reuse numbers.
    expect(numbers[0]).toBeGreaterThan(lastCursor(first).seq);
  });

  test("sessions are listed, renamed, deleted and restored", async () => {
    await using served = await start();
    const host = served.host();
    const [kept, closed] = [await open(host), await open(host)];
    for (const sessionId of [kept, closed]) await prompt(host, sessionId, "hello");
    await host.get({ type: "close_session", sessionId: closed });
    const statuses = async () => new Map((await list(host)).map(({ sessionId, status }) => [sessionId, status]));
    expect(await statuses()).toEqual(
      new Map([
        [kept, "idle"],
        [closed, "stored"],
      ]),
    );
    expect((await list(host, { status: "idle" })).map(({ sessionId }) => sessionId)).toEqual([kept]);
    await host.get({ type: "rename_session", sessionId: closed, name: "second" });
    await host.get({ type: "rename_session", sessionId: kept, name: "first" });
    const names = new Map((await list(host)).map(({ sessionId, name }) => [sessionId, name]));
    expect(names.get(kept)).toBe("first");
    expect(names.get(closed)).toBe("second");
    await host.get({ type: "delete_session", sessionId: kept });
    await host.get({ type: "delete_session", sessionId: closed });
    expect(await list(host)).toEqual([]);
    expect(await host.ask({ type: "open_session", session: kept })).toMatchObject({ code: "not_found" });
    await host.get({ type: "restore_session", sessionId: kept });
    expect((await list(host)).map(({ sessionId }) => sessionId)).toEqual([kept]);
    expect(await open(host, { session: kept })).toBe(kept);
  });

  test("a host that asks for the end of a session receives it first, and earlier entries in pages", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    for (const message of ["one", "two", "three"]) await prompt(host, sessionId, message);
    type Read = { entries: { id: string }[]; first?: number };
    const { entries: all } = await host.get<Read>({ type: "get_entries", sessionId });
    const late = served.host();
    const since = { epoch: "", seq: 0 };
    await late.get({ type: "attach_session", sessionId, since, lastEntries: 4 });
    const snapshot = (await late.until(isType("session_snapshot"))) as unknown as Read;
    expect(snapshot).toMatchObject({ first: all.length - 4, entries: all.slice(-4) });
    expect(snapshot).not.toHaveProperty("more");
    const found = [...snapshot.entries];
    for (let first = snapshot.first ?? 0; first > 0; ) {
      const page = await late.get<Read>({ type: "get_entries", sessionId, before: found[0]?.id, limit: 3 });
      found.unshift(...page.entries);
      first = page.first ?? 0;
    }
    expect(found).toEqual(all);
    expect(await late.ask({ type: "attach_session", sessionId, since, lastEntries: 0 })).toMatchObject({
      error: "lastEntries must be between 1 and 256",
    });
  });

  test("commands that leave a session open another one in addition", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "hello");
    await prompt(host, sessionId, "what files are here");
    const { entries } = await host.get<{ entries: { id: string; message?: { role: string } }[] }>({
      type: "get_entries",
      sessionId,
    });
    const second = entries.filter(({ message }) => message?.role === "user")[1]!;
    const branched = await host.get<{ sessionId: string }>({ type: "branch", sessionId, entryId: second.id });
    expect(branched).toMatchObject({ text: "what files are here", cancelled: false, state: { messageCount: 2 } });
    const cloned = await host.get<{ sessionId: string }>({ type: "clone", sessionId });
    const fresh = await host.get<{ sessionId: string }>({ type: "new_session", sessionId });
    const ids = [sessionId, ...[branched, cloned, fresh].map((answer) => answer.sessionId)];
    expect(new Set(ids).size).toBe(4);
    expect(await host.ask({ type: "fork", sessionId, entryId: "nowhere" })).toMatchObject({ code: "invalid_request" });
    const state = (id: string) => host.get({ type: "get_state", sessionId: id });
    const counts = (await Promise.all(ids.map(state))).map(({ messageCount }) => messageCount as number);
    const [all = 0] = counts;
    expect(counts).toEqual([all, 2, all, 0]);
    // Repeating it with its key returns the same session.
    const key = { type: "new_session", sessionId, commandKey: "k" };
    const [one, two] = [await host.get(key), await host.get(key)];
    expect(one.sessionId).toBe(two.sessionId);
  });

  test("paths stay inside the roots, also through links; variables are those that are allowed", async () => {
    await using served = await start({ allowedEnv: ["COLOUR"] });
    const host = served.host();
    const inside = join(served.cwd, "project");
    mkdirSync(inside);
    symlinkSync("/", join(served.cwd, "out"));
    writeFileSync(join(served.cwd, "notes.jsonl"), '{"type":"session","id":"x","cwd":"/"}\n');
    const refused = (fields: object) => host.ask({ type: "open_session", ...fields });
    for (const cwd of [
      "/",
      join(served.cwd, ".."),
      join(served.cwd, "out"),
      join(served.cwd, "out/etc"),
      "../..",
      "nowhere",
    ]) {
      expect(await refused({ cwd })).toMatchObject({ success: false, code: "not_allowed" });
    }
    expect(await refused({ env: { LD_PRELOAD: "/x.so" } })).toMatchObject({ code: "not_allowed" });
    expect(await refused({ session: "/etc/passwd" })).toMatchObject({ code: "not_found" });
    expect(await refused({ session: "../../etc/passwd" })).toMatchObject({ code: "not_found" });
    // A session file inside the roots whose own directory is outside; with a database only its sessions are known.
    expect((await refused({ session: join(served.cwd, "notes.jsonl") })).code).toMatch(/^not_(allowed|found)$/);
    // A value that looks like a flag is a value.
    const sessionId = await open(host, { cwd: "project", env: { COLOUR: "red" }, name: "--no-tools", tools: ["bash"] });
    expect(await host.get({ type: "get_state", sessionId })).toMatchObject({ sessionName: "--no-tools" });
    const bash = await host.get<{ output: string }>({ type: "bash", sessionId, command: "echo $COLOUR; pwd" });
    expect(bash.output.trim().split("\n")).toEqual(["red", inside]);
    expect(await refused({ settings: { "no.such.setting": 1 } })).toMatchObject({ code: "invalid_request" });
    expect(await host.ask({ type: "set_api_key", sessionId, provider: "x", key: "y" })).toMatchObject({
      code: "not_allowed",
    });
  });

  test("a loop without an end in an extension costs its own session only", async () => {
    await using served = await start({ unresponsiveMs: 1_500 });
    const extension = join(served.cwd, "loop.ts");
    writeFileSync(extension, 'export default (pi) => pi.on("agent_start", () => { for (;;); });');
    const host = served.host();
    const [looping, other] = [await open(host, { settings: { extensions: [extension] } }), await open(host)];
    host.write({ type: "prompt", sessionId: looping, message: "hello" });
    expect(await prompt(host, other, "hello")).toContain("offline model");
    const exited = await host.until(isType("worker_exited"));
    expect(exited).toMatchObject({ sessionId: looping, signal: "SIGKILL" });
    expect(served.logged.join()).toContain("has not answered");
    expect(await host.get({ type: "get_state", sessionId: looping })).toMatchObject({ sessionId: looping });
    expect(await prompt(host, other, "hello")).toContain("I understand these requests");
  });

  test("a worker that was idle comes back with the conversation and with what was set for it", async () => {
    await using served = await start({ idleMs: 10 });
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "hello");
    await host.get({ type: "set_permission_mode", sessionId, mode: "plan" });
    host.leave();
    await served.until(() => served.gateway.state().workers === 0, "the worker to end");
    const back = served.host();
    await back.get({ type: "attach_session", sessionId, since: lastCursor(host) });
    expect(await back.get({ type: "get_state", sessionId })).toMatchObject({ messageCount: 2, permissionMode: "plan" });
    await prompt(back, sessionId, "hello again");
    const { messages } = await back.get<{ messages: { role: string }[] }>({ type: "get_messages", sessionId });
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  test("a process that a command left running keeps its worker, until it is gone", async () => {
    await using served = await start({ idleMs: 10 });
    const host = served.host();
    const sessionId = await open(host);
    const command = "sh -c 'touch begun; while [ ! -e enough ]; do sleep 0.05; done; touch over' >/dev/null 2>&1 &";
    await host.get({ type: "bash", sessionId, command });
    await served.until(() => existsSync(join(served.cwd, "begun")), "the process in the background");
    expect(await host.get({ type: "get_state", sessionId })).toMatchObject({ backgroundProcesses: 1 });
    host.leave();
    // After many times the idle period, it has been asked repeatedly and is still open.
    await Bun.sleep(300);
    expect([served.gateway.state().workers, existsSync(join(served.cwd, "over"))]).toEqual([1, false]);
    writeFileSync(join(served.cwd, "enough"), "");
    await served.until(() => existsSync(join(served.cwd, "over")), "the process to go on to its end");
    await served.until(() => served.gateway.state().workers === 0, "the worker to end");
  });

  /** Starts a command in the background, which ends once the file `enough` exists. */
  async function startJob(host: TestHost, cwd: string, fields: object = {}): Promise<string> {
    const sessionId = await open(host);
    await host.get({ type: "set_host_capabilities", sessionId, asyncWork: true });
    const command = "touch begun; while [ ! -e enough ]; do sleep 0.05; done; touch over";
    await host.get({
      type: "prompt",
      sessionId,
      message: `call bash ${JSON.stringify({ command, async: true, ...fields })}`,
    });
    await host.until(isType("agent_settled"));
    expect(readdirSync(cwd)).not.toContain("over");
    return sessionId;
  }

  test("a job keeps its worker, also from a session that needs one, until its result is delivered", async () => {
    await using served = await start({ idleMs: 10, limits: { ...LIMITS, maxWorkers: 1 } });
    const host = served.host();
    const sessionId = await startJob(host, served.cwd);
    expect(await host.ask({ type: "open_session" })).toMatchObject({ success: false, code: "busy" });
    host.leave();
    // Many times the idle time: it is asked again and again, and stays.
    await Bun.sleep(300);
    expect([served.gateway.state().workers, existsSync(join(served.cwd, "over"))]).toEqual([1, false]);
    writeFileSync(join(served.cwd, "enough"), "");
    await served.until(() => served.gateway.state().workers === 0, "the worker to end");
    const back = served.host();
    await back.get({ type: "attach_session", sessionId });
    const { messages } = await back.get<{ messages: { role: string }[] }>({ type: "get_messages", sessionId });
    expect(messages.map(({ role }) => role).slice(-2)).toEqual(["custom", "assistant"]);
  });

  test("a server that shuts down waits for a job and its result, and for no service", async () => {
    await using served = await start({ drainMs: 60_000 });
    const host = served.host();
    const sessionId = await startJob(host, served.cwd);
    await startJob(served.host(), served.cwd, { service: true });
    let isDrained = false;
    const drained = served.gateway.drain().then(() => {
      isDrained = true;
    });
    expect(await host.ask({ type: "prompt", sessionId, message: "x" })).toMatchObject({ code: "draining" });
    expect(isDrained).toBe(false);
    writeFileSync(join(served.cwd, "enough"), "");
    await drained;
    const ended = host.frames.filter((frame) => frame.sessionId === sessionId).map(({ type }) => type);
    expect(ended.slice(ended.indexOf("async_job_end"))).toContain("agent_settled");
    expect(served.gateway.state().workers).toBe(0);
  });

  test("a job that outlasts the drain ends with its worker", async () => {
    await using served = await start({ drainMs: 1 });
    await startJob(served.host(), served.cwd);
    await served.gateway.drain();
    expect(served.gateway.state().workers).toBe(0);
    expect(existsSync(join(served.cwd, "over"))).toBe(false);
  });

  test("a session whose job is running is closed at once", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await startJob(host, served.cwd);
    await host.get({ type: "close_session", sessionId });
    expect(served.gateway.state().workers).toBe(0);
  });

  test("a run is continued over the gateway, and its end has the id of the host's command", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    host.write({ type: "prompt", id: "first", sessionId, message: "run touch begun; sleep 60" });
    await served.until(() => existsSync(join(served.cwd, "begun")), "the command");
    await host.get({ type: "abort", sessionId });
    host.write({ type: "continue_run", id: "go on", sessionId });
    const isResult = (frame: { type?: unknown; id?: unknown }) =>
      frame.type === "prompt_result" && frame.id === "go on";
    expect(await host.until(isResult)).toMatchObject({ sessionId, status: "completed" });
  });

  test("a session without a message keeps its id when its worker comes back", async () => {
    await using served = await start({ idleMs: 10 });
    const host = served.host();
    const sessionId = await open(host, { name: "empty" });
    host.leave();
    await served.until(() => served.gateway.state().workers === 0, "the worker to end");
    const back = served.host();
    await back.get({ type: "attach_session", sessionId });
    expect(await back.get({ type: "get_state", sessionId })).toMatchObject({ sessionId, sessionName: "empty" });
  });

  test("more sessions than workers: idle ones make room, and then the server is busy", async () => {
    await using served = await start({ limits: { ...LIMITS, maxWorkers: 2 } });
    const host = served.host();
    const ids = [await open(host), await open(host), await open(host)];
    for (const sessionId of ids) expect(await prompt(host, sessionId, "hello")).toContain("offline");
    expect(served.gateway.state().workers).toBeLessThanOrEqual(2);
    // Two busy sessions cannot give up their workers.
    for (const sessionId of ids.slice(0, 2))
      host.write({ type: "bash", sessionId, command: "touch $$.started; sleep 60" });
    const started = () => readdirSync(served.cwd).filter((name) => name.endsWith(".started"));
    await served.until(() => started().length === 2, "two sessions at work");
    expect(await host.ask({ type: "get_state", sessionId: ids[2] })).toMatchObject({ success: false, code: "busy" });
  });

  test("with all workers in use, open sessions without one are renamed and listed; other commands still wait for a worker", async () => {
    await using served = await start({ limits: { ...LIMITS, maxWorkers: 1 } });
    const host = served.host();
    const [idle, empty] = [await open(host), await open(host, { name: "empty" })];
    await prompt(host, idle, "hello");
    const busy = await open(host);
    host.write({ type: "bash", sessionId: busy, command: "touch started; sleep 600" });
    await served.until(() => existsSync(join(served.cwd, "started")), "the command");
    const [renamed, refused] = await Promise.all([
      host.ask({ type: "rename_session", sessionId: idle, name: "first" }),
      host.ask({ type: "prompt", sessionId: idle, message: "hello" }),
    ]);
    expect([renamed, refused]).toMatchObject([{ success: true }, { success: false, code: "busy" }]);
    expect(await host.until(isType("session_info_changed"))).toMatchObject({ sessionId: idle, name: "first" });
    await host.get({ type: "rename_session", sessionId: empty, name: "second" });
    await host.get({ type: "rename_session", sessionId: busy, name: "third" });
    const rows = new Map((await list(host)).map(({ sessionId, name, status }) => [sessionId, { name, status }]));
    expect(rows).toEqual(
      new Map([
        [idle, { name: "first", status: "idle" }],
        [empty, { name: "second", status: "idle" }],
        [busy, { name: "third", status: "running" }],
      ]),
    );
    expect(served.gateway.state().workers).toBe(1);
    await host.get({ type: "close_session", sessionId: busy, abort: true });
    expect(await host.get({ type: "get_state", sessionId: empty })).toMatchObject({ sessionName: "second" });
    expect(await host.get({ type: "get_state", sessionId: idle })).toMatchObject({ sessionName: "first" });
  });

  test("a server that shuts down accepts no prompts, lets runs finish, and leaves no process", async () => {
    await using served = await start({ drainMs: 60_000 });
    const host = served.host();
    const sessionId = await open(host);
    const bash = host.ask({ type: "bash", sessionId, command: "sleep 0.3; echo done > finished" });
    await served.until(() => served.gateway.state().sessions.running === 1, "a running session");
    const drained = served.gateway.drain();
    expect(await host.ask({ type: "prompt", sessionId, message: "x" })).toMatchObject({ code: "draining" });
    expect(await host.ask({ type: "open_session" })).toMatchObject({ code: "draining" });
    await drained;
    expect(await bash).toMatchObject({ success: true });
    expect(existsSync(join(served.cwd, "finished"))).toBe(true);
    expect(served.gateway.state().workers).toBe(0);
  });

  test("a question to the host is put to those who declared that they answer it", async () => {
    await using served = await start();
    const [asking, other] = [served.host(), served.host()];
    const sessionId = await open(asking, { settings: { "permissions.mode": "ask" } });
    await other.get({ type: "attach_session", sessionId });
    await asking.get({ type: "set_host_capabilities", sessionId, approvals: true });
    asking.write({ type: "prompt", sessionId, message: "write notes.txt: hi" });
    const { id } = await asking.until(isType("approval_request"));
    expect((await list(asking)).find((row) => row.sessionId === sessionId)?.status).toBe("waiting");
    asking.write({ type: "approval_response", sessionId, id, decision: "allow_once" });
    await asking.until(isType("session_settled"));
    const result = asking.frames.find((frame) => frame.type === "message_end" && roleOf(frame) === "toolResult");
    expect(result).toBeDefined();
    expect(readFileSync(join(served.cwd, "notes.txt"), "utf8")).toContain("hi");
    expect(other.frames.some(isType("approval_request"))).toBe(false);
  });
});
