import type { Tool, ToolInvocation, ToolResult } from "@pintle/agent";
import type { HostToolFrame } from "@pintle/wire";
import { createAskHost } from "../../../../src/modes/rpc/host/ask-host.ts";
import { HostTools } from "../../../../src/modes/rpc/host/host-tools.ts";
import { PendingCalls } from "../../../../src/modes/rpc/host/pending-calls.ts";
import { FakeTimers, settle } from "../frames/fake-timers.ts";
import { CountedSignal } from "./counted-signal.ts";

const anything = { type: "object", properties: { message: { type: "string" } } };

/** Host tools of which the test controls both ends: the loop that calls them and the host that answers. */
export class HostToolBench {
  readonly timers = new FakeTimers();
  readonly pending = new PendingCalls({ timers: this.timers, now: () => this.timers.now() });
  readonly sent: HostToolFrame[] = [];
  readonly tools = new HostTools({
    ask: createAskHost({
      pending: this.pending,
      send: (frame) => this.sent.push(frame as HostToolFrame),
      settings: { get: () => 600_000 },
    }),
    pending: this.pending,
    timeoutMs: () => 600_000,
  });

  async define(name: string, more: object = {}): Promise<Tool> {
    const definition = { name, description: "For tests.", parameters: anything, ...more };
    const [defined] = await this.tools.define([definition], () => false);
    return defined!.tool;
  }

  call(tool: Tool, args: Record<string, unknown> = {}, id = "toolu_1"): RunningCall {
    return new RunningCall(tool, args, id);
  }
}

/** Calls a tool as the loop does. */
export class RunningCall {
  readonly run = new CountedSignal();
  readonly updates: ToolResult[] = [];
  readonly #outcome: Promise<ToolResult | string>;

  constructor(tool: Tool, args: Record<string, unknown>, id: string) {
    const call: ToolInvocation = {
      id,
      signal: this.run.signal,
      steeringSignal: new AbortController().signal,
      update: (partial) => this.updates.push(partial),
      batch: { id: "b1", index: 0, total: 1, names: [tool.name] },
    };
    this.#outcome = tool.execute(args as never, call).catch((error: Error) => error.message);
  }

  /** The result, the text it failed with, or "running". */
  async outcome(): Promise<ToolResult | string> {
    await settle();
    return Promise.race([this.#outcome, Promise.resolve("running")]);
  }
}

export const text = (value: string) => ({ type: "text" as const, text: value });
export const image = { type: "image" as const, data: "AAAA", mimeType: "image/png" };
