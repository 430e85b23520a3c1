import { expect, test } from "bun:test";
import { answerFrames } from "@pintle/wire/schemas";
import { settle } from "../../../support/modes/frames/fake-timers.ts";
import { HostBench } from "../../../support/modes/rpc/host-bench.ts";
import { text } from "../../../support/modes/rpc/host-tool-calls.ts";

test("accepts every kind of answer in the protocol, and nothing else", () => {
  const { channel } = new HostBench();
  for (const type of Object.keys(answerFrames)) expect(channel.onAnswer(type, {})).toBe(true);
  for (const type of ["prompt", "toString", "constructor", "host_tool_call"]) {
    expect(channel.onAnswer(type, {})).toBe(false);
  }
});

test("an answer ends only a request of its own kind, whatever its id", async () => {
  const bench = new HostBench();
  bench.channel.capabilities.declare({ trust: true });
  const dialog = bench.channel.ui().confirm("Sure?", "");
  const trust = bench.channel.askForTrust({ project: "/p", digest: "d", items: [] });
  for (const id of ["ui_1", "trust_1", "host_1"]) {
    bench.answer({ type: "host_tool_result", id, result: { content: [] }, confirmed: true, trusted: true });
    bench.answer({ type: "host_tool_update", id, partialResult: { content: [] } });
  }
  bench.answer({ type: "trust_response", id: "ui_1", trusted: true, confirmed: true });
  await settle();
  expect(bench.channel.list().map(({ id }) => id)).toEqual(["ui_1", "trust_1"]);
  bench.answer({ type: "extension_ui_response", id: "ui_1", confirmed: true });
  bench.answer({ type: "trust_response", id: "trust_1", trusted: true });
  expect([await dialog, await trust]).toEqual([true, { isTrusted: true, isRemembered: false }]);
});

test("uses the timeouts of the settings, read when the wait starts", async () => {
  let dialogMs = 1000;
  const values: Record<string, () => number> = {
    "host.dialogTimeoutMs": () => dialogMs,
    "host.toolTimeoutMs": () => 2000,
    "trust.timeoutMs": () => 3000,
  };
  const bench = new HostBench({ settings: { get: (key) => values[key]!() as never } });
  const { channel } = bench;
  channel.capabilities.declare({ trust: true });
  const [echo] = await channel.tools.define([{ name: "echo", description: "Says.", parameters: {} }], () => false);
  void channel.ui().input("one");
  dialogMs = 5000;
  void channel.ui().input("two");
  const never = new AbortController().signal;
  const call = { id: "t1", signal: never, steeringSignal: never, update() {}, batch: {} as never };
  const result = echo!.tool.execute({} as never, call);
  void channel.askForTrust({ project: "/p", digest: "d", items: [] });
  expect(channel.list().map(({ kind, deadline }) => [kind, deadline])).toEqual([
    ["dialog", 1000],
    ["dialog", 5000],
    ["host_tool", 2000],
    ["trust", 3000],
  ]);
  bench.answer({ type: "host_tool_result", id: "host_1", result: { content: [text("hi")] } });
  expect(await result).toEqual({ content: [text("hi")] });
});
