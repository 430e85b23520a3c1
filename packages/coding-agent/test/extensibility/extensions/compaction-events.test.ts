import { describe, expect, test } from "bun:test";
import type { ScriptedAnswer } from "@pintle/ai/testing";
import type { ExtensionFactory } from "../../../src/extensibility/api/extension-types.ts";
import { HANDLER_LIMITS } from "../../../src/extensibility/hooks/call-handler.ts";
import { type Harness, startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { forever } from "../../support/session/test-session.ts";

const LONG = "word ".repeat(100);
const settings = { "compaction.reserveTokens": 200, "compaction.keepRecentTokens": 20 };
const said = (...texts: string[]): ScriptedAnswer[] => texts.map((text) => [{ text }]);

/** A conversation that can be compacted. */
async function conversation(inline: ExtensionFactory[], handlerLimits = HANDLER_LIMITS): Promise<Harness> {
  const harness = await startExtensions(said(LONG, LONG, ...Array(5).fill("SUMMARY")), {
    inline,
    settings,
    handlerLimits,
  });
  await harness.prompt("one");
  await harness.prompt("two");
  return harness;
}

describe("session_before_compact", () => {
  test("a handler may provide the summary; the last one wins", async () => {
    const seen: unknown[] = [];
    const summarize =
      (summary: string): ExtensionFactory =>
      (pi) =>
        pi.on("session_before_compact", ({ preparation, branchEntries, customInstructions, signal }) => {
          seen.push([
            preparation.messagesToSummarize.length > 0,
            branchEntries.length > 0,
            customInstructions,
            signal.aborted,
          ]);
          const { firstKeptEntryId, tokensBefore } = preparation;
          return { compaction: { summary, tokensBefore, ...(firstKeptEntryId !== undefined && { firstKeptEntryId }) } };
        });
    const told: unknown[] = [];
    await using harness = await conversation([
      summarize("first"),
      summarize("second"),
      (pi) =>
        pi.on(
          "session_compact",
          ({ compactionEntry, fromExtension }) => void told.push(compactionEntry.summary, fromExtension),
        ),
    ]);
    const result = await harness.session.lifecycle.compact("mind the names");
    await harness.runner.observed();
    expect(result.summary).toBe("second");
    expect(seen).toEqual(Array(2).fill([true, true, "mind the names", false]));
    expect(told).toEqual(["second", true]);
  });

  test("a handler may cancel it, and the remaining handlers are not called", async () => {
    const asked: string[] = [];
    await using harness = await conversation([
      (pi) => pi.on("session_before_compact", () => ({ cancel: true })),
      (pi) => pi.on("session_before_compact", () => void asked.push("not reached")),
    ]);
    await expect(harness.session.lifecycle.compact()).rejects.toThrow("Compaction cancelled");
    expect(asked).toEqual([]);
  });

  test("ignores a handler that fails, hangs or returns nonsense", async () => {
    await using harness = await conversation(
      [
        (pi) => pi.on("session_before_compact", () => Promise.reject(new Error("broken"))),
        (pi) => pi.on("session_before_compact", () => forever),
        (pi) => pi.on("session_before_compact", () => ({ compaction: { summary: 7 } }) as never),
      ],
      { ...HANDLER_LIMITS, usualMs: 20 },
    );
    expect((await harness.session.lifecycle.compact()).summary).toContain("SUMMARY");
    expect(harness.host.faults.map(({ error }) => error)).toEqual([
      "broken",
      "no answer within 0.02 s",
      "summary must be a string",
    ]);
  });
});

test("session.compacting adds to the summarizer's input", async () => {
  await using harness = await conversation([
    (pi) => pi.on("session.compacting", () => ({ prompt: "not this" })),
    (pi) => pi.on("session.compacting", ({ messages }) => ({ context: [`there are ${messages.length} messages`] })),
  ]);
  await harness.session.lifecycle.compact();
  const request = JSON.stringify(harness.requests.slice(2).map(({ context }) => context));
  expect(request).toMatch(/there are \d+ messages/);
  expect(request).not.toContain("not this");
});

test("tree navigation can be cancelled, changed and observed", async () => {
  const told: unknown[] = [];
  let answer: object | undefined;
  await using harness = await startExtensions(said("one", "two"), {
    inline: [
      (pi) => {
        pi.on("session_before_tree", ({ preparation }) => {
          told.push(preparation.userWantsSummary);
          return answer as never;
        });
        pi.on("session_tree", ({ newLeafId, fromExtension }) => void told.push(newLeafId !== null, fromExtension));
      },
    ],
  });
  await harness.prompt("first");
  await harness.prompt("second");
  const target = harness.session.manager.userMessages()[1]!.entryId;
  const before = harness.session.manager.leafId;
  answer = { cancel: true };
  expect(await harness.host.navigateTree(target, { summarize: true })).toEqual({ cancelled: true });
  expect(harness.session.manager.leafId).toBe(before);
  answer = { summary: { summary: "left behind" } };
  expect(await harness.host.navigateTree(target, { summarize: true })).toEqual({ cancelled: false });
  await harness.runner.observed();
  expect(told).toEqual([true, true, true, true]);
  expect(harness.session.messages.at(-1)).toMatchObject({ role: "branchSummary", summary: "left behind" });
});
