import { describe, expect, test } from "bun:test";
import type { FileChange, Hunk } from "@pintle/wire";
import { rejection } from "../../../ai/test/support/rejection.ts";
import { ApplyRefused } from "../../src/previews/apply-refused.ts";
import type { ChangeSelection, PendingActionInput } from "../../src/previews/pending-action.ts";
import { type PreviewEvent, Previews } from "../../src/previews/previews.ts";
import type { NamedParts } from "../../src/previews/select-parts.ts";

const hunk = (hunkId: string, at: number): Hunk => ({
  hunkId,
  oldStart: at,
  oldLines: 1,
  newStart: at,
  newLines: 2,
  lines: [`-old ${hunkId}`, `+new ${hunkId}`, `+more ${hunkId}`],
});
const change = (path: string, hunks: Hunk[], parts: Partial<FileChange> = {}): FileChange => ({
  path,
  status: "modified",
  type: "file",
  binary: false,
  added: hunks.length,
  removed: hunks.length,
  hunks,
  sources: ["t"],
  ...parts,
});
const CHANGES = [
  change("a.ts", [hunk("h1", 1), hunk("h2", 10)]),
  change("b.ts", [hunk("h3", 5)]),
  change("c.png", [], { binary: true }),
  change("link", [], { type: "symlink" }),
];

function stage(parts: Partial<PendingActionInput> = {}) {
  const events: PreviewEvent[] = [];
  const selections: ChangeSelection[] = [];
  const previews = new Previews({
    decider: () => "model",
    hasHost: () => true,
    timeoutMs: () => 1000,
    now: () => 0,
    emit: (event) => events.push(event),
    warn: () => {},
    reportFault: () => {},
  });
  const push = (label = "Change", more: Partial<PendingActionInput> = {}) =>
    previews.push({
      label,
      sourceToolName: "t",
      apply: async () => ({ content: [] }),
      changes: CHANGES,
      applyHunks: async (selection) => {
        selections.push(selection);
        return { content: [] };
      },
      proposedText: async () => "one\nproposed\n",
      ...parts,
      ...more,
    });
  push();
  const apply = (named: NamedParts, actionId?: string) =>
    previews.decide({ verdict: "apply", reason: "r", by: "host", ...named }, actionId);
  return { previews, push, events, selections, apply };
}

describe("parts of a change", () => {
  test("are applied, reported and described to the model", async () => {
    const { apply, selections, events } = stage();
    const { parts, text } = await apply({ hunks: ["h2"], edits: [{ path: "b.ts", content: "one\nmine\n" }] });
    expect(selections).toEqual([{ files: [], hunks: ["h2"], edits: [{ path: "b.ts", content: "one\nmine\n" }] }]);
    const decided = {
      applied: { files: ["b.ts"], hunks: ["h2"] },
      discarded: { files: ["c.png", "link"], hunks: ["h1"] },
      edited: ["b.ts"],
    };
    expect(parts).toEqual(decided);
    expect(events.at(-1)).toMatchObject({ type: "pending_action_resolved", action: "apply", ...decided });
    expect(text).toBe(
      [
        "Applied in part: Change.",
        "Applied: a.ts:10-11, b.ts (edited, see below)",
        "Discarded, and not in the files: a.ts:1 (lines before the change), c.png, link",
        "@@ -1,1 +1,2 @@ a.ts\n-old h1\n+new h1\n+more h1",
        "The user edited the proposed text before it was applied. From the proposal to the file:",
        "@@ -1,2 +1,2 @@ b.ts\n one\n-proposed\n+mine",
      ].join("\n"),
    );
  });

  test("count lines of applied hunks above, not of discarded ones", async () => {
    const [first, second] = [await stage().apply({ hunks: ["h1", "h2"] }), await stage().apply({ hunks: ["h2"] })];
    expect([first.text, second.text].map((text) => text.split("\n")[1])).toEqual([
      "Applied: a.ts",
      "Applied: a.ts:10-11",
    ]);
    expect(first.parts?.applied).toEqual({ files: ["a.ts"], hunks: [] });
  });

  test("a whole apply or discard names all files", async () => {
    const paths = CHANGES.map(({ path }) => path);
    const whole = await stage().apply({});
    expect([whole.text, whole.parts]).toEqual([
      "Applied: Change.",
      { applied: { files: paths, hunks: [] }, discarded: { files: [], hunks: [] }, edited: [] },
    ]);
    const none = await stage().previews.decide({ verdict: "discard", reason: "r", by: "host" });
    expect(none.parts?.discarded).toEqual({ files: paths, hunks: [] });
  });

  test("a failed apply reports none", async () => {
    const { apply } = stage({ applyHunks: () => Promise.reject(new Error("disk full")) });
    const { parts, text, result } = await apply({ hunks: ["h1"] });
    expect([parts, text, result.isError]).toEqual([undefined, "Apply failed: disk full", true]);
  });
});

describe("a refused selection leaves the change pending", () => {
  test.each<[string, NamedParts, string, RegExp]>([
    ["an outdated hunk", { hunks: ["h1", "h9"] }, "not_found", /h9/],
    ["an unknown file", { files: ["z.ts"] }, "invalid_request", /"z\.ts"/],
    ["a path that leads elsewhere", { edits: [{ path: "../a.ts", content: "" }] }, "invalid_request", /\.\.\/a\.ts/],
    ["a binary file", { edits: [{ path: "c.png", content: "" }] }, "invalid_request", /c\.png/],
    ["a link", { edits: [{ path: "link", content: "" }] }, "invalid_request", /link/],
    ["half a character", { edits: [{ path: "b.ts", content: "\ud800" }] }, "invalid_request", /b\.ts/],
    ["a file twice", { files: ["b.ts"], edits: [{ path: "b.ts", content: "" }] }, "invalid_request", /b\.ts/],
    ["a hunk of an edited file", { hunks: ["h3"], edits: [{ path: "b.ts", content: "" }] }, "invalid_request", /b\.ts/],
    [
      "two edits",
      {
        edits: [
          { path: "b.ts", content: "1" },
          { path: "b.ts", content: "2" },
        ],
      },
      "invalid_request",
      /b\.ts/,
    ],
  ])("%s", async (_name, named, code, message) => {
    const { apply, previews, selections, events } = stage();
    expect(await rejection(apply(named))).toMatchObject({ code, message: expect.stringMatching(message) });
    expect([previews.list().length, selections, events.length]).toEqual([1, [], 1]);
  });

  test("of a change without hunks", async () => {
    const { apply, previews } = stage({ changes: undefined, applyHunks: undefined } as object);
    expect(await rejection(apply({ hunks: ["h1"] }))).toMatchObject({ code: "invalid_request" });
    expect(previews.hasPending).toBe(true);
  });

  test("also if the tool refuses, in its place between the others", async () => {
    const applyHunks = () => Promise.reject(new ApplyRefused("conflict", "a.ts has changed"));
    const { apply, push, previews, events } = stage({ applyHunks });
    push("Second");
    push("Third");
    expect(await rejection(apply({ hunks: ["h1"] }, "pa_2"))).toMatchObject({ code: "conflict" });
    expect(previews.list().map(({ actionId }) => actionId)).toEqual(["pa_3", "pa_2", "pa_1"]);
    expect(events.filter(({ type }) => type === "pending_action_resolved")).toEqual([]);
    await previews.decide({ verdict: "apply", reason: "r", by: "host" }, "pa_2");
    expect(previews.list().map(({ actionId }) => actionId)).toEqual(["pa_3", "pa_1"]);
  });

  test("a change whose session was left during a refused apply is discarded", async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    const started = Promise.withResolvers<void>();
    const applyHunks = () => {
      started.resolve();
      return promise;
    };
    const { apply, previews, events } = stage({ applyHunks });
    const applied = rejection(apply({ hunks: ["h1"] }));
    await started.promise;
    await previews.drain("left", { eachMs: 1000, totalMs: 1000 });
    reject(new ApplyRefused("conflict", "a.ts has changed"));
    expect(await applied).toMatchObject({ code: "conflict" });
    expect(previews.hasPending).toBe(false);
    expect(events.at(-1)).toMatchObject({ action: "discard", by: "session" });
  });
});

describe("the proposed text", () => {
  test("is returned for files that can be edited only", async () => {
    const { previews } = stage();
    expect(await previews.proposedText("b.ts")).toEqual({ actionId: "pa_1", path: "b.ts", content: "one\nproposed\n" });
    for (const path of ["c.png", "link", "../b.ts"]) {
      expect(await rejection(previews.proposedText(path))).toMatchObject({ code: "invalid_request" });
    }
  });
});
