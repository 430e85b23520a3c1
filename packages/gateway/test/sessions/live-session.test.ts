import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describeStores } from "../../../cluster/test/support/two-stores.ts";
import { scriptedGateway } from "../support/gateway-fixture.ts";
import { lastCursor, open, prompt, roleOf, textOf } from "../support/session-talk.ts";
import { type Frame, isType, type TestHost } from "../support/test-host.ts";

describeStores((start) => {
  test("several hosts on one session get the same frames, responses go to their sender alone", async () => {
    await using served = await start();
    const [one, two] = [served.host(), served.host()];
    const sessionId = await open(one);
    await two.get({ type: "attach_session", sessionId, mode: "delta" });
    await one.get({ type: "set_update_mode", sessionId, mode: "delta" });
    const from = two.frames.length;
    const before = one.frames.length;
    expect(await prompt(one, sessionId, "say hello to both")).toBe("hello to both");
    await two.until(isType("session_settled"), from);
    const heardBy = (host: TestHost, start: number) =>
      host.frames.slice(start).filter(({ type }) => type !== "response" && type !== "prompt_result");
    expect(heardBy(two, from)).toEqual(heardBy(one, before));
    // The id belongs to the sender and means nothing to others.
    expect(one.frames.findLast(isType("prompt_result"))).toHaveProperty("id");
    expect(two.frames.findLast(isType("prompt_result"))).not.toHaveProperty("id");
    expect(two.frames.slice(from).filter(isType("response"))).toEqual([]);
  });

  test("updates come in full or as deltas, as each host wants", async () => {
    await using served = await start();
    const [full, delta] = [served.host(), served.host()];
    const sessionId = await open(full);
    await delta.get({ type: "attach_session", sessionId, mode: "delta" });
    await prompt(full, sessionId, "deltas 5");
    await delta.until(isType("session_settled"));
    const texts = (host: TestHost) => host.frames.filter(isType("message_update")).map(textOf);
    // The engine merges deltas that a reader has not read yet: each text continues the previous one.
    expect(texts(full).every((text, at, all) => text.startsWith(all[at - 1] ?? ""))).toBe(true);
    expect([texts(full)[0], texts(full).at(-1)]).toEqual(["", "0 1 2 3 4 "]);
    expect(new Set(texts(delta))).toEqual(new Set([""]));
    expect(texts(delta)).toHaveLength(texts(full).length);
    const keys = delta.raw.filter(({ json }) => json.includes('"text_delta"')).map(({ merge }) => merge);
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(1);
    expect(keys[0]).toEqual({ key: `${sessionId}:text_delta:0`, kind: "delta" });
  });

  test("the user's message has ended before the model begins its answer", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    await host.get({ type: "prompt", sessionId, message: "slow 60000" });
    const { message, cursor } = await host.until(isType("message_end"));
    expect([message, cursor]).toMatchObject([{ role: "user" }, { entryId: expect.any(String) }]);
  });

  test("a filter is the connection's; numbers count before it", async () => {
    await using served = await start();
    const [all, some] = [served.host(), served.host()];
    const sessionId = await open(all);
    await some.get({ type: "attach_session", sessionId });
    await some.get({ type: "set_event_filter", sessionId, events: ["message_end", "entry_appended"] });
    const from = some.frames.length;
    await prompt(all, sessionId, "say x");
    await some.until(isType("session_settled"), from);
    const types = some.frames.slice(from).map(({ type }) => type);
    expect(types).toEqual([
      "entry_appended",
      "message_end",
      "entry_appended",
      "message_end",
      "prompt_result",
      "session_settled",
    ]);
    expect(all.frames.some(isType("entry_appended"))).toBe(false);
    const numberOf = (host: TestHost) => host.frames.findLast(isType("message_end"))?.seq;
    expect(numberOf(some)).toBe(numberOf(all));
  });

  test("since replays what was missed; the cursor of another epoch brings a snapshot", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "say first");
    const cursor = lastCursor(host);
    await prompt(host, sessionId, "say second");
    const missed = host.events(sessionId).filter(({ seq }) => (seq as number) > cursor.seq);

    const back = served.host();
    const attached = await back.get({ type: "attach_session", sessionId, since: cursor });
    expect(attached).toEqual({ cursor, resync: false });
    const withoutIds = (frames: object[]) => frames.map((frame) => ({ ...frame, id: undefined }));
    expect(withoutIds(back.events(sessionId))).toEqual(withoutIds(missed));

    const stranger = served.host();
    const since = { ...cursor, epoch: "another" };
    expect(await stranger.get({ type: "attach_session", sessionId, since })).toMatchObject({ resync: true });
    const { state, leafId, entries, tools, pending } = await stranger.until(isType("session_snapshot"));
    expect(state).toMatchObject({ sessionId });
    expect([tools, pending]).toEqual([[], []]);
    const newer = await host.get({ type: "get_entries", sessionId, since: cursor.entryId });
    expect({ entries, leafId }).toEqual(newer as { entries: unknown; leafId: unknown });
    expect(entries).toHaveLength(2);
  });

  test("a snapshot contains the open message, and live frames follow it", async () => {
    await using served = await start({ ringFrames: 3 });
    const host = served.host();
    const sessionId = await open(host);
    await host.get({ type: "set_host_capabilities", sessionId, ui: true });
    await host.get({ type: "prompt", sessionId, message: "confirm" });
    const question = await host.until(isType("extension_ui_request"));
    const late = served.host();
    const since = { epoch: (host.frames[0] as { epoch?: string }).epoch!, seq: 0 };
    expect(await late.get({ type: "attach_session", sessionId, since })).toMatchObject({ resync: true });
    const snapshot = await late.until(isType("session_snapshot"));
    expect(snapshot.pending).toEqual([]); // it has not declared that it answers questions
    const { seq: _seq, ...asked } = question;
    await late.get({ type: "set_host_capabilities", sessionId, ui: true });
    expect(late.frames.filter(isType("extension_ui_request"))).toEqual([asked]);
    const able = served.host();
    await able.get({ type: "set_host_capabilities", ui: true });
    await able.get({ type: "attach_session", sessionId, since });
    const { sessionId: _route, ...pending } = asked;
    expect(await able.until(isType("session_snapshot"))).toMatchObject({ pending: [pending] });
    host.write({ type: "extension_ui_response", sessionId, id: question.id, confirmed: true });
    const end = await late.until((frame) => frame.type === "message_end");
    expect(textOf(end)).toBe("confirmed true");
    expect(end.seq).toBeGreaterThan(snapshot.seq as number);
  });

  test("the first answer to a question wins, and the other hosts are notified", async () => {
    await using served = await start();
    const [one, two, silent] = [served.host(), served.host(), served.host()];
    const sessionId = await open(one);
    await two.get({ type: "attach_session", sessionId });
    await silent.get({ type: "attach_session", sessionId });
    await one.get({ type: "set_host_capabilities", sessionId, approvals: true });
    await two.get({ type: "set_host_capabilities", sessionId, approvals: true });
    await one.get({ type: "set_permission_mode", sessionId, mode: "ask" });
    await one.get({ type: "prompt", sessionId, message: "approve" });
    const { id } = await two.until(isType("approval_request"));
    await one.until(isType("approval_request"));
    two.write({ type: "approval_response", sessionId, id, decision: "allow_once" });
    one.write({ type: "approval_response", sessionId, id, decision: "deny" });
    expect(await one.until(isType("approval_cancel"))).toMatchObject({ targetId: id, reason: "answered" });
    await silent.until((frame) => frame.type === "message_end" && textOf(frame).startsWith("allowed"));
    expect(two.frames.some(isType("approval_cancel"))).toBe(false);
    expect(silent.frames.some(({ type }) => /^approval_(request|cancel)$/.test(type))).toBe(false);
  });

  test("files belong to the connection that declared them first, and go with it", async () => {
    await using served = await start();
    const [editor, other] = [served.host(), served.host()];
    await editor.get({ type: "set_host_capabilities", fs: true });
    const sessionId = await open(editor);
    await other.get({ type: "set_host_capabilities", fs: true }); // for all its sessions; in this one the name is taken
    await other.get({ type: "attach_session", sessionId });
    expect(await other.ask({ type: "set_host_capabilities", sessionId, fs: true })).toMatchObject({
      success: false,
      code: "busy",
      error: 'The capability "fs" belongs to another connection',
    });
    await other.get({ type: "set_host_capabilities", sessionId, terminal: true });

    await editor.get({ type: "prompt", sessionId, message: "file a" });
    const first = await editor.until(isType("host_fs_request"));
    other.write({ type: "host_fs_result", sessionId, id: first.id, content: "forged" });
    editor.write({ type: "host_fs_result", sessionId, id: first.id, content: "unsaved" });
    const hasText = (text: string) => (frame: Frame) => frame.type === "message_end" && textOf(frame).includes(text);
    await other.until(hasText("unsaved"));
    await other.until(isType("session_settled"));

    const from = editor.frames.length;
    await other.get({ type: "prompt", sessionId, message: "file b" });
    await editor.until(isType("host_fs_request"), from);
    editor.leave();
    await other.until(hasText("the host that provides it has disconnected"));
    expect(other.frames.some(isType("host_fs_request"))).toBe(false);
    expect(await other.get({ type: "set_host_capabilities", sessionId, fs: true })).toMatchObject({ fs: true });
  });

  test("an open question is sent to a host that declares the capability later", async () => {
    await using served = await start();
    const [one, two] = [served.host(), served.host()];
    const sessionId = await open(one);
    await one.get({ type: "prompt", sessionId, message: "confirm" });
    await one.until(isType("agent_start"));
    await two.get({ type: "set_host_capabilities", ui: true });
    await two.get({ type: "attach_session", sessionId });
    const state = await two.get({ type: "get_state", sessionId });
    expect(state).toMatchObject({ isStreaming: true });
    await two.get({ type: "set_host_capabilities", sessionId, ui: false });
    await two.get({ type: "set_host_capabilities", sessionId, ui: true });
    const { id } = await two.until(isType("extension_ui_request"));
    two.write({ type: "extension_ui_response", sessionId, id, confirmed: false });
    await one.until((frame) => frame.type === "message_end" && textOf(frame) === "confirmed false");
  });

  test("host tools belong to a connection: its names are its own, and its calls fail when it goes", async () => {
    await using served = await start();
    const [one, two] = [served.host(), served.host()];
    const sessionId = await open(one);
    await two.get({ type: "attach_session", sessionId });
    const tool = (name: string) => ({ name, description: "d", parameters: { type: "object" } });
    expect(await one.get({ type: "set_host_tools", sessionId, tools: [tool("a")] })).toEqual({ toolNames: ["a"] });
    expect(await two.get({ type: "set_host_tools", sessionId, tools: [tool("b")] })).toEqual({ toolNames: ["b"] });
    expect(await two.ask({ type: "set_host_tools", sessionId, tools: [tool("a")] })).toMatchObject({
      success: false,
      code: "busy",
    });
    await one.get({ type: "prompt", sessionId, message: "call b" });
    const call = await two.until(isType("host_tool_call"));
    expect(call).toMatchObject({ toolName: "b", sessionId });
    // No other host can answer for it.
    one.write({ type: "host_tool_result", sessionId, id: call.id, result: { content: [] } });
    two.leave();
    const end = await one.until((frame) => frame.type === "message_end" && roleOf(frame) === "toolResult");
    expect(textOf(end)).toBe('The host that runs the tool "b" has disconnected');
    expect(one.frames.some(isType("host_tool_call"))).toBe(false);
    expect(await one.get({ type: "set_host_tools", sessionId, tools: [tool("b")] })).toEqual({ toolNames: ["b"] });
  });

  test("a command that is sent again with its key is not executed again", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    const command = { type: "prompt", sessionId, message: "slow 50", commandKey: "k1" };
    const [first, repeat] = await Promise.all([host.ask(command), host.ask(command)]);
    expect(repeat).toEqual({ ...first, id: repeat.id });
    await host.until(isType("session_settled"));
    const back = served.host();
    await back.get({ type: "attach_session", sessionId });
    expect(await back.ask(command)).toMatchObject({ success: true });
    expect(served.journal().match(/^run /gm)).toHaveLength(1);
    expect(host.frames.findLast(isType("prompt_result"))).toMatchObject({ commandKey: "k1" });
  });

  test("a dead worker is reported, its commands are answered, and the next command resumes", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "say before");
    await host.get({ type: "set_permission_mode", sessionId, mode: "ask" });
    await host.get({ type: "prompt", sessionId, message: "slow 60000" });
    const from = host.frames.length;
    const unanswered = host.ask({ type: "bash", sessionId, command: "touch arrived && sleep 60" });
    await served.until(() => existsSync(join(served.cwd, "arrived")), "the command to arrive");
    served.killWorkers();
    expect(await unanswered).toMatchObject({ success: false, code: "worker_exited" });
    expect(await host.until(isType("worker_exited"), from)).toMatchObject({ signal: "SIGKILL", code: null, sessionId });
    expect(await prompt(host, sessionId, "say after")).toBe("after");
    const { messages } = await host.get<{ messages: unknown[] }>({ type: "get_messages", sessionId });
    expect(messages.length).toBeGreaterThanOrEqual(4);
    // State that only a process keeps is sent to the next one.
    expect(served.journal().match(/^start/gm)).toHaveLength(2);
    expect(await host.get({ type: "get_state", sessionId })).toMatchObject({ permissionMode: "ask" });
  });

  test("after three deaths within a minute a session rests until a host opens it", async () => {
    await using served = await start();
    const host = served.host();
    const sessionId = await open(host);
    for (let death = 1; death <= 3; death += 1) {
      const from = host.frames.length;
      await host.get({ type: "prompt", sessionId, message: "slow 60000" });
      served.killWorkers();
      expect(await host.until(isType("worker_exited"), from)).toMatchObject({ signal: "SIGKILL" });
    }
    await host.until(isType("session_failed"));
    expect(await host.ask({ type: "get_state", sessionId })).toMatchObject({ success: false, code: "session_failed" });
    expect(await open(host, { session: sessionId })).toBe(sessionId);
    expect(await prompt(host, sessionId, "say again")).toBe("again");
  });

  test("an idle session without hosts loses its worker, and a command that comes meanwhile waits for the next", async () => {
    await using served = await start({ idleMs: 20 });
    const host = served.host();
    const sessionId = await open(host);
    await prompt(host, sessionId, "say one");
    const cursor = lastCursor(host);
    host.leave();
    await served.until(() => served.gateway.state().workers === 0, "the worker to end");
    const back = served.host();
    expect(await back.get({ type: "attach_session", sessionId })).toMatchObject({
      cursor: { ...cursor, seq: expect.any(Number) },
    });
    expect(await prompt(back, sessionId, "say two")).toBe("two");
    const { messages } = await back.get<{ messages: unknown[] }>({ type: "get_messages", sessionId });
    expect(messages).toHaveLength(4);
  });
}, scriptedGateway);
