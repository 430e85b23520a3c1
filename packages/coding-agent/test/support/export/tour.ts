import { call, createSample, PNG, type Sample, text, usage } from "./sample-session.ts";

export interface Tour {
  sample: Sample;
  /** Entries that tests refer to. */
  ids: { question: string; edit: string; abandoned: string; error: string; compaction: string };
}

const FORECAST = `export interface Forecast {
  city: string;
  /** Degrees Celsius, one per hour. */
  hours: number[];
}

export function warmestHour({ hours }: Forecast): number {
  return hours.indexOf(Math.max(...hours));
}
`;

/** One of everything that a session can hold, as a short story about a weather tool. */
export function createTour(): Tour {
  const sample = createSample();
  const { manager, wait } = sample;
  manager.appendModelChange({ provider: "anthropic", modelId: "claude-sonnet-4-5" });
  manager.appendThinkingLevelChange("medium");
  const question = sample.user(
    "The command line tool shows the wrong hour when two hours are equally warm. Please find out why and fix it.\n\n```sh\nweather warmest --city Oslo\n```\n\nExpected `14`, got `9`. See https://example.com/issues/12",
  );
  wait(2600);
  sample.answer(
    [
      {
        type: "thinking",
        thinking:
          "The user says that ties are resolved wrongly. `indexOf` returns the **first** index, so look at `warmestHour` first.",
      },
      text("I'll look at how the hour is computed."),
      call("c1", "grep", { pattern: "warmestHour", path: "src" }),
      call("c2", "read", { path: "src/forecast.ts" }),
    ],
    { usage: usage(3200, 210, 0, 5400) },
  );
  wait(180);
  sample.result(
    "c1",
    "grep",
    'src/forecast.ts:7: export function warmestHour({ hours }: Forecast): number {\nsrc/cli.ts:3: import { warmestHour } from "./forecast.ts";\nsrc/cli.ts:21:   console.log(warmestHour(forecast));',
  );
  wait(40);
  sample.result("c2", "read", FORECAST, { details: { kind: "text" } });
  wait(3100);
  sample.answer(
    [text("Let me see it fail first."), call("c3", "bash", { command: "bun test test/forecast.test.ts" })],
    { usage: usage(900, 140, 8600, 700) },
  );
  wait(4200);
  sample.result(
    "c3",
    "bash",
    "bun test v1.4.4\n\ntest/forecast.test.ts:\n(fail) the last of equally warm hours [1.2ms]\n  Expected: 14\n  Received: 9\n\n 3 pass\n 1 fail\nRan 4 tests across 1 file. [212.00ms]\n\nCommand exited with code 1",
    { isError: true, details: { exitCode: 1, durationMs: 4180 } },
  );
  wait(2800);
  sample.answer(
    [
      text("`indexOf` finds the **first** of several equal values. The last one is wanted:"),
      call("c4", "edit", {
        path: "src/forecast.ts",
        edits: [{ oldText: "hours.indexOf(Math.max(...hours))", newText: "hours.lastIndexOf(Math.max(...hours))" }],
      }),
      call("c5", "todo_write", { ops: [{ op: "replace" }] }),
    ],
    { usage: usage(1100, 420, 9700, 900) },
  );
  wait(60);
  const edit = sample.result("c4", "edit", "Changed src/forecast.ts", {
    details: {
      diff: " 5 }\n 6 \n 7 export function warmestHour({ hours }: Forecast): number {\n-8   return hours.indexOf(Math.max(...hours));\n+8   return hours.lastIndexOf(Math.max(...hours));\n 9 }",
      firstChangedLine: 8,
    },
  });
  wait(20);
  sample.result("c5", "todo_write", "1 of 3 done", {
    details: {
      phases: [
        {
          id: "phase-1",
          name: "Fix",
          tasks: [
            { id: "task-1", content: "Find the cause", status: "completed" },
            { id: "task-2", content: "Change the comparison", status: "in_progress", notes: "last of equals" },
            { id: "task-3", content: "Run all tests", status: "pending" },
            { id: "task-4", content: "Rewrite in another language", status: "abandoned" },
          ],
        },
      ],
      storage: "session",
    },
  });
  manager.setLabel(edit, "the fix");
  wait(1900);
  const failing = sample.answer([call("c6", "bash", { command: "bun test" })], { usage: usage(700, 90, 11_200, 300) });
  wait(6100);
  sample.result("c6", "bash", " 41 pass\n 0 fail\nRan 41 tests across 9 files. [1.90s]", {
    details: { exitCode: 0, durationMs: 6050 },
  });
  wait(2400);
  sample.answer(
    [
      text(
        'Fixed. `warmestHour` now returns the **last** of several equally warm hours:\n\n| city | before | now |\n|:--|--:|--:|\n| Oslo | 9 | 14 |\n| Lima | 11 | 11 |\n\n1. the cause was `indexOf`\n2. all 41 tests pass\n   - including the new one\n\n- [x] fix\n- [ ] release\n\n> Ties are now documented in the interface.\n\n```ts\n// the last of equally warm hours\nconst hour = warmestHour({ city: "Oslo", hours });\n```',
      ),
    ],
    { usage: usage(500, 640, 11_900, 400) },
  );
  const branchPoint = manager.leafId as string;
  wait(60_000);
  // another attempt that was abandoned
  sample.user("Could you port the whole thing to Rust instead?");
  wait(3000);
  const abandoned = sample.answer([text("That would be a larger change. I would start with `forecast.rs`.")], {
    usage: usage(600, 900, 12_300, 500),
  });
  manager.moveLeaf(branchPoint);
  manager.appendBranchSummary({
    fromId: abandoned,
    summary: "The user asked about a port to **Rust** and dropped the idea.",
  });
  wait(30_000);
  sample.add({
    role: "user",
    content: [
      { type: "text", text: "Rename `warmestHour` everywhere, and match this colour." },
      { type: "image", data: PNG, mimeType: "image/png" },
    ],
    timestamp: Date.UTC(2026, 4, 12, 9, 33),
  });
  wait(2500);
  sample.answer([call("c7", "ast_edit", { ops: [{ pat: "warmestHour", out: "hourOfMaximum" }], path: "src" })], {
    usage: usage(800, 160, 12_800, 600),
  });
  wait(700);
  sample.result("c7", "ast_edit", "Preview only, nothing written. Call resolve to apply or discard.", {
    details: {
      applied: false,
      totalReplacements: 2,
      diff: "--- a/src/forecast.ts\n+++ b/src/forecast.ts\n@@ -6,3 +6,3 @@\n \n-export function warmestHour({ hours }: Forecast): number {\n+export function hourOfMaximum({ hours }: Forecast): number {\n   return hours.lastIndexOf(Math.max(...hours));\n--- a/src/cli.ts\n+++ b/src/cli.ts\n@@ -21,1 +21,1 @@\n-  console.log(warmestHour(forecast));\n+  console.log(hourOfMaximum(forecast));\n",
    },
  });
  wait(1600);
  sample.answer([call("c8", "resolve", { action: "apply", reason: "Both places are right." })], {
    usage: usage(400, 60, 13_600, 200),
  });
  wait(90);
  sample.result("c8", "resolve", "Applied: ast_edit.", {
    details: {
      action: "apply",
      reason: "Both places are right.",
      sourceToolName: "ast_edit",
      label: "2 replacements in 2 files",
    },
  });
  wait(1200);
  const error = sample.answer([], {
    stopReason: "error",
    errorMessage: "529 overloaded_error: the service is overloaded",
    usage: usage(0, 0),
    duration: 900,
  });
  wait(5000);
  sample.answer([call("c9", "weather_lookup", { city: "Oslo", units: { temperature: "C" } })], {
    usage: usage(300, 80, 14_000, 0),
  });
  wait(2200);
  sample.result("c9", "weather_lookup", '{"city":"Oslo","now":14.5}', { details: { source: "yr.no", cached: false } });
  wait(1500);
  sample.answer([text("Done; the service answers again."), { type: "redactedThinking", data: "opaque" }], {
    usage: usage(350, 120, 14_300, 0),
  });
  wait(9000);
  const compaction = manager.appendCompaction({
    summary: "## Goal\nFix the hour of the maximum.\n\n## Done\n- [x] `lastIndexOf`\n- [x] renamed",
    firstKeptEntryId: failing,
    tokensBefore: 48_210,
    details: { readFiles: ["src/forecast.ts"], modifiedFiles: ["src/forecast.ts", "src/cli.ts"] },
  }).id;
  sample.add({
    role: "bashExecution",
    command: "git diff --stat",
    output: " src/cli.ts      | 2 +-\n src/forecast.ts | 4 ++--\n 2 files changed",
    exitCode: 0,
    cancelled: false,
    truncated: false,
    timestamp: Date.UTC(2026, 4, 12, 9, 34),
  });
  manager.appendModelChange({ provider: "openai", modelId: "gpt-5.1" });
  sample.user("And write a changelog entry.");
  wait(4000);
  sample.answer([text("## Unreleased\n\n- The last of several equally warm ho")], {
    provider: "openai",
    model: "gpt-5.1",
    stopReason: "aborted",
    errorMessage: "Request was aborted",
    usage: usage(2100, 60),
  });
  manager.setName("Fix the warmest hour");
  return { sample, ids: { question, edit, abandoned, error, compaction } };
}
