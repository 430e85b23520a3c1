import { describe, expect, test } from "bun:test";
import type { SessionEntry } from "@pintle/wire";
import { JOB_RECORD_TYPE, readStoredJobs } from "../../src/jobs/job-records.ts";

const record = (data: unknown) =>
  ({ type: "custom", id: "e", parentId: null, timestamp: "", customType: JOB_RECORD_TYPE, data }) as SessionEntry;
const start = (jobId: unknown, sessionId = "s") =>
  record({ event: "start", jobId, sessionId, label: "make", startTime: 1 });

describe("the jobs of a stored session", () => {
  test("entries of the wrong shape, and jobs of a copied session, are ignored", () => {
    const entries = [
      ...[null, [], "start", { event: "start", jobId: "bg_7" }, { event: "end", jobId: "bg_7" }].map(record),
      start(7),
      start("bg_1"),
      record({ event: "end", jobId: "bg_1", status: "completed", endTime: 2, outputPath: { path: "/etc" } }),
      record({ event: "end", jobId: "bg_1", status: "won", endTime: 2 }),
      start("bg_2", "another session"),
    ];
    const { lost, highest } = readStoredJobs(entries, "s");
    expect(lost.map(({ start, end }) => [start.jobId, end])).toEqual([["bg_1", undefined]]);
    expect(highest).toBe(2);
  });

  test("a file with very many records is read", () => {
    const entries = Array.from({ length: 200_000 }, (_, n) => start(`bg_${n}`));
    expect(readStoredJobs(entries, "s").highest).toBe(199_999);
  });
});
