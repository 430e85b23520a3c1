import { describe, expect, test } from "bun:test";
import type { ToolResult } from "@pintle/agent";
import type { PendingAction, Verdict } from "../../src/previews/pending-action.ts";
import { runResolution } from "../../src/previews/run-resolution.ts";

const text = (value: string): ToolResult => ({ content: [{ type: "text", text: value }] });

function decide(verdict: Verdict, parts: Partial<PendingAction>) {
  const action: PendingAction = {
    id: "pa_1",
    createdAt: 0,
    label: "Rename 3 files",
    sourceToolName: "t",
    apply: async () => text(""),
    ...parts,
  };
  return runResolution(action, { verdict, reason: "because", by: "model" });
}

describe("apply", () => {
  test.each<[string, () => Promise<ToolResult>, string, boolean]>([
    ["what it says is kept", async () => text("done"), "done", false],
    ["without a text there is one", async () => ({ content: [] }), "Applied: Rename 3 files.", false],
    ["blank text is no text", async () => text(" \n"), "Applied: Rename 3 files.", false],
    ["nothing at all", async () => undefined as never, "Applied: Rename 3 files.", false],
    ["an error it returns is passed on", async () => ({ ...text("stale"), isError: true }), "stale", true],
    [
      "what it throws is an error",
      () => {
        throw new Error("disk full");
      },
      "Apply failed: disk full",
      true,
    ],
    ["what it rejects with, too", () => Promise.reject("odd"), "Apply failed: odd", true],
  ])("%s", async (_name, apply, expected, isError) => {
    const resolution = await decide("apply", { apply });
    expect([resolution.text, resolution.result.isError === true]).toEqual([expected, isError]);
  });

  test("an image without text keeps its place next to the text", async () => {
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    const { result } = await decide("apply", { apply: async () => ({ content: [image] }) });
    expect(result.content).toEqual([{ type: "text", text: "Applied: Rename 3 files." }, image]);
  });
});

describe("discard", () => {
  test("has an exact text", async () => {
    expect((await decide("discard", {})).text).toBe("Discarded: Rename 3 files. Reason: because");
  });

  test("what reject says replaces it, unless that is nothing", async () => {
    expect((await decide("discard", { reject: async () => text("cleaned up") })).text).toBe("cleaned up");
    expect((await decide("discard", { reject: async () => undefined })).text).toBe(
      "Discarded: Rename 3 files. Reason: because",
    );
  });

  test("a reject that throws is an error", async () => {
    const { text: said, result } = await decide("discard", { reject: () => Promise.reject(new Error("no")) });
    expect([said, result.isError]).toEqual(["Discard failed: no", true]);
  });
});
