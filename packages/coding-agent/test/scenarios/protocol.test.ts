import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandName, commands, type Params } from "@pintle/wire";
import { checkHostFrame } from "../support/protocol-checker.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";

// `startRpc` holds every frame to the protocol's schema; these runs make sure that it sees them all.

const SAMPLES: { [N in CommandName]?: Params<N> } = {
  prompt: { message: "help", streamingBehavior: "followUp" },
  steer: { message: "help" },
  follow_up: { message: "help" },
  abort_and_prompt: { message: "help" },
  switch_session: { sessionPath: "no-such-file.jsonl" },
  branch: { entryId: "none" },
  fork: { entryId: "none" },
  set_session_name: { name: "a name" },
  get_messages_page: { limit: 2 },
  set_model: { provider: "pintle", modelId: "offline" },
  set_thinking_level: { level: "high" },
  set_steering_mode: { mode: "all" },
  set_follow_up_mode: { mode: "all" },
  set_interrupt_mode: { mode: "immediate" },
  set_update_mode: { mode: "delta" },
  set_host_tools: { tools: [{ name: "t", description: "d", parameters: { type: "object" } }] },
  set_todos: { phases: [{ name: "p", tasks: [{ content: "c" }] }] },
  set_auto_compaction: { enabled: false },
  set_auto_retry: { enabled: false },
  resolve_pending_action: { action: "discard" },
  bash: { command: "echo hi; exit 3" },
  set_subagent_subscription: { level: "progress" },
  set_host_uri_schemes: { schemes: [{ scheme: "db" }] },
  set_fast_mode: { enabled: true },
};

const NAMES = Object.keys(commands) as CommandName[];

test("the answer to every command is as declared, in a new session and in one with a history", async () => {
  using place = machine();
  await using rpc = await startRpc(["--model", "pintle/offline"], place);
  for (const round of ["new", "with a history"]) {
    for (const name of NAMES) {
      const params = SAMPLES[name] ?? {};
      expect({ round, name, faults: checkHostFrame({ type: name, ...params }) }).toMatchObject({ faults: [] });
      await rpc.call(name, params);
    }
    await rpc.call("abort");
    await rpc.prompt("help");
  }
  const { data } = await rpc.call("get_branch_messages");
  const { sessionFile } = (await rpc.call("get_state")).data;
  await rpc.call("clone");
  await rpc.call("branch", { entryId: data.messages[0].entryId });
  await rpc.call("switch_session", { sessionPath: sessionFile });
  const answered = rpc.frames.filter((frame) => frame.type === "response" && frame.success);
  const succeeded = new Set(answered.map((frame) => frame.command));
  expect(
    ["get_state", "get_tree", "bash", "branch", "clone", "switch_session"].filter((name) => !succeeded.has(name)),
  ).toEqual([]);
  expect(await rpc.end()).toBe(0);
});

test("the answers are as declared where nothing is stored, and in a session of long messages", async () => {
  using place = machine();
  writeFileSync(join(place.cwd, "long.txt"), "a line of text\n".repeat(5000));
  await using rpc = await startRpc(["--model", "pintle/offline", "--no-session"], place);
  await rpc.prompt(`help\n${"x\u2028".repeat(10_000)}`);
  await rpc.call("bash", { command: "cat long.txt" });
  for (const name of NAMES.filter((command) => command.startsWith("get_"))) await rpc.call(name, SAMPLES[name]);
  const long = rpc.frames.find((frame) => frame.command === "bash");
  expect(long?.data).toMatchObject({ truncated: true, totalLines: 5000 });
  expect(await rpc.end()).toBe(0);
});

test("the dialect of pi is as declared too", async () => {
  using place = machine();
  await using rpc = await startRpc(["--model", "pintle/offline"], { ...place, dialect: "pi" });
  expect((await rpc.call("get_last_assistant_text")).data).toEqual({});
  await rpc.prompt("help");
  for (const name of NAMES.filter((command) => command.startsWith("get_"))) await rpc.call(name, SAMPLES[name]);
  expect(rpc.frames.map((frame) => frame.type)).not.toContain("ready");
  expect(await rpc.end()).toBe(0);
});
