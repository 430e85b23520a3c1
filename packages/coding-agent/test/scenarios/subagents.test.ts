import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// Subagents over the wire, against the built program. The offline model of a subagent does what its task says.

const OFFLINE = ["--model", "pintle/offline"];
const tasks = (...items: object[]) => `call task ${JSON.stringify({ tasks: items })}`;
const ofType = (frames: Frame[], type: string) => frames.filter((frame) => frame.type === type);
const until = (rpc: RpcChild, type: string) => rpc.until((frame) => frame.type === type);
const lastResult = (frames: Frame[]) =>
  ofType(frames, "message_end").findLast(({ message }) => message.role === "toolResult")?.message;

describe("questions of a subagent", () => {
  test("approval_request and get_pending name it", async () => {
    using place = machine();
    await using rpc = await startRpc([...OFFLINE, "--permissions", "ask"], place);
    await rpc.call("set_host_capabilities", { approvals: true });
    await rpc.call("prompt", {
      message: tasks({ task: "write a.txt: hello", name: "writer", description: "writes a file" }),
    });
    const question = await until(rpc, "approval_request");
    const subagent = { id: "writer", agent: "task", description: "writes a file" };
    expect(question).toMatchObject({ subagent, request: { tool: "write" } });
    const { data } = await rpc.call("get_pending");
    expect(data.pending).toMatchObject([{ kind: "approval", id: question.id, subagent }]);
    rpc.send({ type: "approval_response", id: question.id, decision: "allow_once" });
    const { filesChanged } = await until(rpc, "prompt_result");
    expect(filesChanged).toMatchObject([{ path: "a.txt", status: "added" }]);
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toContain("hello");
  });

  test.each([
    [
      "pi",
      { method: "confirm", title: "Allow write?", message: expect.stringMatching(/^Subagent: writer \(task\)\n/) },
    ],
    [
      "omp",
      { method: "select", title: expect.stringMatching(/^Allow tool: write\nSubagent: writer \(task\)\nPath: /) },
    ],
  ] as const)("the dialog of the %s dialect names it, without its description", async (dialect, dialog) => {
    using place = machine();
    await using rpc = await startRpc([...OFFLINE, "--permissions", "ask"], { ...place, dialect });
    await rpc.call("prompt", {
      message: tasks({ task: "write a.txt: hello", name: "writer", description: "harmless\nCommand: ls" }),
    });
    const question = await until(rpc, "extension_ui_request");
    expect(question).toMatchObject(dialog);
    expect(JSON.stringify(question)).not.toContain("harmless");
    rpc.send({ type: "extension_ui_response", id: question.id, confirmed: true, value: "Approve" });
    await until(rpc, "agent_settled");
    expect(readFileSync(join(place.cwd, "a.txt"), "utf8")).toContain("hello");
  });

  test("host_tool_call names it", async () => {
    using place = machine();
    await using rpc = await startRpc(OFFLINE, place);
    const tools = [
      { name: "weather", description: "Tells the weather", parameters: { type: "object", properties: {} } },
    ];
    await rpc.call("set_host_tools", { tools });
    await rpc.call("prompt", { message: tasks({ task: "call weather {}", name: "meteo" }) });
    const call = await until(rpc, "host_tool_call");
    expect(call).toMatchObject({ toolName: "weather", subagent: { id: "meteo", agent: "task" } });
    rpc.send({ type: "host_tool_result", id: call.id, result: { content: [{ type: "text", text: "sunny" }] } });
    await until(rpc, "prompt_result");
    expect(lastResult(rpc.frames).content[0].text).toContain("sunny");
  });

  test("its previews are decided by the host of the session", async () => {
    using place = machine();
    writeFileSync(join(place.cwd, "a.ts"), "const alpha = 1;\nconsole.log(alpha);\n");
    await using rpc = await startRpc(OFFLINE, place);
    await rpc.call("set_host_capabilities", { resolvePreviews: true });
    await rpc.call("prompt", { message: tasks({ task: "rename alpha to beta in .", name: "renamer" }) });
    const { action } = await until(rpc, "pending_action_added");
    expect(action).toMatchObject({ subagent: { id: "renamer", agent: "task" }, sourceToolName: "ast_edit" });
    expect((await rpc.call("get_pending_actions")).data.actions).toMatchObject([{ actionId: action.actionId }]);
    const resolved = await rpc.call("resolve_pending_action", { actionId: action.actionId, action: "apply" });
    expect(resolved).toMatchObject({ success: true });
    await until(rpc, "prompt_result");
    expect(readFileSync(join(place.cwd, "a.ts"), "utf8")).toContain("beta");
  });
});

describe("the commands", () => {
  test("list, read and end subagents; unknown ones are errors", async () => {
    using place = machine();
    await using rpc = await startRpc(OFFLINE, place);
    expect((await rpc.call("set_subagent_subscription", { level: "progress" })).data).toEqual({ level: "progress" });
    const endless = "run until [ -e never ]; do sleep 0.05; done";
    await rpc.call("prompt", { message: tasks({ task: "list .", name: "quick" }, { task: endless, name: "slow" }) });
    await rpc.until(
      ({ type, payload }) => type === "subagent_lifecycle" && payload.id === "quick" && payload.status === "completed",
    );
    const { data } = await rpc.call("get_subagents");
    expect(data.subagents).toMatchObject([{ id: "slow", status: "running", depth: 1, agentSource: "bundled" }]);
    const stored = await rpc.call("get_subagent_messages", { subagentId: "quick" });
    expect(stored.data.messages.map(({ role }: Frame) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "assistant",
    ]);
    expect(
      await rpc.call("get_subagent_messages", { subagentId: "quick", fromByte: stored.data.nextByte }),
    ).toMatchObject({
      data: { entries: [], reset: false },
    });
    expect((await rpc.call("abort_subagent", { subagentId: "slow" })).data).toEqual({ status: "aborted" });
    expect(await rpc.call("abort_subagent", { subagentId: "x" })).toMatchObject({
      code: "not_found",
      error: "Unknown subagent: x",
    });
    while (ofType(rpc.frames, "prompt_result").length === 0) await rpc.call("get_state", { brief: true });
    expect((await rpc.call("get_session_stats")).data.subagents).toMatchObject({ count: 2, running: 0 });
    expect(ofType(rpc.frames, "subagent_event")).toEqual([]);
    expect(ofType(rpc.frames, "agent_start")).toHaveLength(1);
  });

  test("get_agents lists the kinds, and a setting removes the tool", async () => {
    using place = machine();
    await using rpc = await startRpc([...OFFLINE, "--set", "task.maxRecursionDepth=0"], place);
    expect((await rpc.call("get_agents")).data.agents.map(({ name }: Frame) => name)).toEqual([
      "task",
      "scout",
      "reviewer",
    ]);
    const { data } = await rpc.call("get_state");
    expect(data.dumpTools.map(({ name }: Frame) => name)).not.toContain("task");
  });
});

describe("storage", () => {
  test("lists skip subagents, and deleting and restoring a session include them", async () => {
    using place = machine();
    const flat = join(place.cwd, "sessions");
    await using rpc = await startRpc([...OFFLINE, "--session-dir", flat], place);
    await rpc.prompt(tasks({ task: "list .", name: "kept" }));
    const { sessionFile, sessionId } = (await rpc.call("get_state")).data;
    const child = join(sessionFile.replace(/\.jsonl$/, ""), "kept.jsonl");
    expect(existsSync(child)).toBe(true);
    const listed = async () =>
      (await rpc.call("list_sessions")).data.sessions.map((one: Frame) => one.sessionId ?? one.path);
    expect(await listed()).toEqual([sessionId]);
    await rpc.call("new_session");
    await rpc.call("delete_session", { sessionId });
    expect(existsSync(child)).toBe(false);
    await rpc.call("restore_session", { sessionId });
    expect(existsSync(child)).toBe(true);
  });

  test("after kill -9 the model learns once what became of a subagent", async () => {
    using place = machine();
    const first = await startRpc(OFFLINE, place);
    await first.call("set_subagent_subscription", { level: "progress" });
    await first.call("prompt", { message: tasks({ task: "run touch began; sleep 600", name: "victim" }) });
    await first.until(({ type, payload }) => type === "subagent_progress" && payload.progress.currentTool === "bash");
    const { sessionFile } = (await first.call("get_state")).data;
    await first.kill("SIGKILL");

    await using rpc = await startRpc([...OFFLINE, "--session", sessionFile], place);
    await rpc.prompt("list .");
    await rpc.prompt("list .");
    const reports = ofType(rpc.frames, "message_end").filter(({ message }) => message.customType === "async-result");
    expect(reports.map(({ message }) => message.details.jobs)).toMatchObject([
      [{ jobId: "victim", type: "task", status: "aborted", abortReason: "engine ended" }],
    ]);
  });
});
