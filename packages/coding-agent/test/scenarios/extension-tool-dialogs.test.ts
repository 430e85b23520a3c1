import { expect, test } from "bun:test";
import { callsTools, says } from "../support/scenarios/chat-server.ts";
import { extension, withExtensions } from "../support/scenarios/extensions/with-extensions.ts";
import type { Frame } from "../support/scenarios/rpc-child.ts";

// Dialogs of custom tools end with the call or session that they belong to, as those of extensions do.

/** One tool that asks through `ctx` or `pi`, and one whose module asks independently of any call. */
const ASKS = extension(`
  const ask = (ui) => ui.confirm("Title", "Message").then((answer) => note("answer", answer));
  const tool = (name, execute, rest) => ({ name, label: name, description: "d", parameters: pi.typebox.Type.Object({}), execute, ...rest });
  return [
    tool("by_ctx", async (id, args, onUpdate, ctx) => { await ask(ctx.ui); return "done"; }),
    tool("by_pi", async () => { await ask(pi.ui); return "done"; }),
    tool("starts", async () => { setTimeout(() => ask(pi.ui), 0); return "done"; }),
  ];
`);
const isDialog = ({ method }: Frame) => method === "confirm";
const isCancel = ({ method }: Frame) => method === "cancel";
const start = (name: string) =>
  withExtensions({}, { files: { "tools/asks.ts": ASKS }, answers: [callsTools({ name }), says("ok"), says("ok")] });

test.each([
  ["by_ctx", "abort"],
  ["by_pi", "abort"],
  ["by_ctx", "new_session"],
  ["by_pi", "new_session"],
])("a dialog of the tool %s ends with its run: %s", async (name, command) => {
  await using run = await start(name);
  run.rpc.send({ type: "prompt", message: "go" });
  const { id } = await run.rpc.until(isDialog);
  run.rpc.send({ id: "end", type: command });
  // Before the answer, because the run does not wait for a tool that was abandoned with its question open.
  expect((await run.rpc.until((frame) => isCancel(frame) || frame.id === "end")).targetId).toBe(id);
  expect(await run.rpc.until((frame) => frame.id === "end")).toMatchObject({ success: true });
  expect(run.notes()).toEqual([["answer", false as never]]);
  expect((await run.rpc.call("get_pending")).data.pending).toEqual([]);
});

test("a dialog outside a run survives an abort and ends with the session", async () => {
  await using run = await start("starts");
  await run.rpc.prompt("go");
  const { id } = run.rpc.frames.find(isDialog) ?? (await run.rpc.until(isDialog));
  await run.rpc.call("abort");
  expect(run.rpc.frames.filter(isCancel)).toEqual([]);
  await run.rpc.call("new_session");
  expect((run.rpc.frames.find(isCancel) ?? (await run.rpc.until(isCancel))).targetId).toBe(id);
});
