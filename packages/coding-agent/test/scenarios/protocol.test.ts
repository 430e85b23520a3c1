import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type CommandName, commands, type Params } from "@pintle/wire";
import { pascal, protocolSchema } from "@pintle/wire/schemas";
import { checkHostFrame } from "../support/protocol-checker.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { machine } from "../support/scenarios/stored-sessions.ts";
import { sampleOf } from "../support/schema-sample.ts";

// `startRpc` checks every frame against the protocol's schema; these runs make sure that it sees every kind.

const { $defs } = protocolSchema();

/** What a command needs, beyond the smallest values of its schema, to pass its first check. */
const TELLING: { [N in CommandName]?: Partial<Params<N>> } = {
  prompt: { message: "help", streamingBehavior: "followUp" },
  steer: { message: "help" },
  follow_up: { message: "help" },
  abort_and_prompt: { message: "help" },
  set_session_name: { name: "a name" },
  get_messages_page: { limit: 2 },
  set_model: { provider: "pintle", modelId: "offline" },
  set_host_tools: { tools: [{ name: "t", description: "d", parameters: { type: "object" } }] },
  set_todos: { phases: [{ name: "p", tasks: [{ content: "c" }] }] },
  resolve_pending_action: { action: "discard" },
  bash: { command: "echo hi; exit 3" },
  set_fast_mode: { enabled: true },
  set_host_uri_schemes: { schemes: [{ scheme: "db" }] },
};

function sampleFields(name: CommandName): object {
  const { type: _type, ...fields } = sampleOf($defs[`${pascal(name)}Command`]!, $defs) as { type: string };
  return { ...fields, ...TELLING[name] };
}

const NAMES = Object.keys(commands) as CommandName[];

test("every response matches its declaration, in a new session and in one with a history", async () => {
  using place = machine();
  await using rpc = await startRpc(["--model", "pintle/offline"], place);
  for (const round of ["new", "with a history"]) {
    for (const name of NAMES) {
      const params = sampleFields(name);
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

test("responses match their declarations with nothing stored, and in a session of long messages", async () => {
  using place = machine();
  writeFileSync(join(place.cwd, "long.txt"), "a line of text\n".repeat(5000));
  await using rpc = await startRpc(["--model", "pintle/offline", "--no-session"], place);
  await rpc.prompt(`help\n${"x\u2028".repeat(10_000)}`);
  await rpc.call("bash", { command: "cat long.txt" });
  for (const name of NAMES.filter((command) => command.startsWith("get_"))) await rpc.call(name, sampleFields(name));
  const long = rpc.frames.find((frame) => frame.command === "bash");
  expect(long?.data).toMatchObject({ truncated: true, totalLines: 5000 });
  expect(await rpc.end()).toBe(0);
});

test("the pi dialect matches its declarations too", async () => {
  using place = machine();
  await using rpc = await startRpc(["--model", "pintle/offline"], { ...place, dialect: "pi" });
  expect((await rpc.call("get_last_assistant_text")).data).toEqual({});
  await rpc.prompt("help");
  for (const name of NAMES.filter((command) => command.startsWith("get_"))) await rpc.call(name, sampleFields(name));
  expect(rpc.frames.map((frame) => frame.type)).not.toContain("ready");
  expect(await rpc.end()).toBe(0);
});
