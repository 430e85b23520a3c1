import { describe, expect, test } from "bun:test";
import type { ToolResult } from "@pintle/agent";
import { Type } from "typebox";
import type { CustomTool } from "../../../src/extensibility/api/tool-types.ts";
import { type CheckedTool, checkTool } from "../../../src/extensibility/custom-tools/check-tool.ts";
import { adaptTool } from "../../../src/extensibility/custom-tools/tool-module.ts";
import { fakeContext, testCall } from "../../support/extensibility/custom-tools/loading.ts";

const base = { name: "probe", label: "Probe", description: "Probes", parameters: Type.Object({}) };
const context = fakeContext({ cwd: "/somewhere" });

function check(tool: Partial<CustomTool>): CheckedTool {
  const checked = checkTool({ ...base, execute: () => ({ content: [] }), ...tool });
  if (typeof checked === "string") throw new Error(checked);
  return checked;
}

function adapt(execute: (...args: never[]) => unknown) {
  return adaptTool(check({ execute: execute as CustomTool["execute"] }), { cwd: () => "/", context });
}

describe("a custom tool in the agent loop", () => {
  test("receives id, arguments, update function, context and signal, in this order, with itself as this", async () => {
    const seen: unknown[] = [];
    const declaration = {
      ...base,
      secret: 42,
      execute(this: { secret: number }, ...args: unknown[]) {
        seen.push(this.secret, ...args);
        return { content: [] };
      },
    };
    const checked = checkTool(declaration) as CheckedTool;
    const call = testCall();
    await adaptTool(checked, { cwd: () => "/", context }).execute({ a: 1 }, call);
    expect(seen).toEqual([42, "call-1", { a: 1 }, expect.any(Function), context(), call.signal]);
  });

  test("forwards progress as copies, and drops updates that cannot be shown", async () => {
    const call = testCall();
    const tool = adapt((async (_id: string, _args: unknown, onUpdate: (partial: unknown) => void) => {
      const partial = { content: [{ type: "text", text: "half" }], details: { step: 1 } };
      onUpdate(partial);
      partial.content[0]!.text = "changed later";
      onUpdate("as text");
      onUpdate(undefined);
      onUpdate({ details: 1 });
      return "done";
    }) as never);
    expect(await tool.execute({}, call)).toEqual({ content: [{ type: "text", text: "done" }] });
    expect(call.updates).toEqual([
      { content: [{ type: "text", text: "half" }], details: { step: 1 } },
      { content: [{ type: "text", text: "as text" }] },
    ]);
  });

  test.each([
    ["text", "plain", { content: [{ type: "text", text: "plain" }] }],
    ["text as content", { content: "inner", details: 1 }, { content: [{ type: "text", text: "inner" }], details: 1 }],
    ["a whole result", { content: [], details: {}, isError: true }, { content: [], details: {}, isError: true }],
    ["nothing", undefined, undefined],
    ["no content", { details: 1 }, { details: 1 }],
    ["odd blocks", { content: [null, 1] }, { content: [null, 1] }],
  ])("returns %s", async (_, returned, expected) => {
    expect(await adapt(() => returned).execute({}, testCall())).toEqual(expected as unknown as ToolResult);
  });

  test("throws what its code throws, synchronously or later", async () => {
    const atOnce = adapt(() => {
      throw new Error("at once");
    });
    await expect(atOnce.execute({}, testCall())).rejects.toThrow("at once");
    await expect(adapt(() => Promise.reject(new Error("later"))).execute({}, testCall())).rejects.toThrow("later");
  });

  test("cannot run without a session", async () => {
    const tool = adaptTool(check({}), { cwd: () => "/" });
    await expect(tool.execute({}, testCall())).rejects.toThrow("before the session has started");
  });

  test("keeps its declaration as it was when checked", () => {
    const parameters = { type: "object", properties: { a: { type: "string" } }, [Symbol("mark")]: 1 } as const;
    const declaration = { ...base, parameters, deferrable: true, hidden: true, execute: () => ({ content: [] }) };
    const checked = checkTool(declaration) as CheckedTool;
    Object.assign(declaration, { name: "other", deferrable: false });
    Object.assign(parameters.properties.a, { type: "no such type" });
    const tool = adaptTool(checked, { cwd: () => "/" });
    expect(checked.isHidden).toBe(true);
    expect({ ...tool, execute: undefined }).toEqual({
      name: "probe",
      label: "Probe",
      description: "Probes",
      parameters: { type: "object", properties: { a: { type: "string" } } },
      deferrable: true,
      execute: undefined,
    } as never);
    expect("deferrable" in adaptTool(check({}), { cwd: () => "/" })).toBe(false);
  });
});
