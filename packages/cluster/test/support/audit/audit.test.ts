// An auditor that finds nothing proves nothing until it is known to find violations: each row breaks a sound run in one place.
import { describe, expect, test } from "bun:test";
import { audit, CHECKS } from "./audit.ts";
import type { EntryRow, Evidence, Frame, TranscriptLine } from "./evidence.ts";

const message = (id: string, parentId: string | null, role: string, text: string) => ({
  type: "message",
  id,
  parentId,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role, content: [{ type: "text", text }] },
});

function entry(position: number, fence: number, line: ReturnType<typeof message>, sessionId = "s1"): EntryRow {
  return { sessionId, position, entryId: line.id, fence, storedAt: 1_000 + position, line: JSON.stringify(line) };
}

const ASKED = message("e1", null, "user", "echo one");
const ANSWERED = message("e2", "e1", "assistant", "one");
const AGAIN = message("e3", "e2", "user", "echo two");
const JOB = message("j1", null, "user", "echo job");

const told = (frame: Frame, at = 2_000): TranscriptLine => ({ host: "h", connection: 1, at, dir: "in", frame });
const asked = (frame: Frame): TranscriptLine => ({ host: "h", connection: 1, at: 900, dir: "out", frame });
const ended = ({ id, message: body }: typeof ASKED, seq: number): Frame => ({
  type: "message_end",
  sessionId: "s1",
  seq,
  cursor: { epoch: "x", seq, entryId: id },
  message: body,
});

/** A run with one takeover, two acknowledged prompts, one lost prompt, and a job whose first node was lost. */
function sound() {
  return {
    sessions: [
      { sessionId: "s1", position: 3 },
      { sessionId: "s2", position: 0 },
      { sessionId: "s3", position: 1 },
    ],
    entries: [entry(1, 1, ASKED), entry(2, 1, ANSWERED), entry(3, 2, AGAIN), entry(1, 1, JOB, "s3")],
    commands: [
      { sessionId: "s1", commandKey: "k1", command: "prompt", response: "{}", fence: 1 },
      { sessionId: "s1", commandKey: "k2", command: "prompt", response: "{}", fence: 2 },
    ],
    leaseChanges: [
      { sessionId: "s1", at: 1_000, oldNode: null, oldFence: null, oldExpiresAt: null, node: "a", fence: 1 },
      { sessionId: "s1", at: 1_002.5, oldNode: "a", oldFence: 1, oldExpiresAt: 1_002.2, node: "b", fence: 2 },
      { sessionId: "s1", at: 1_500, oldNode: "b", oldFence: 2, oldExpiresAt: 1_900, node: null, fence: 2 },
      { sessionId: "s3", at: 1_000, oldNode: null, oldFence: null, oldExpiresAt: null, node: "b", fence: 1 },
    ],
    jobs: [
      { jobId: "j", commandKey: "kj", status: "done", prompt: "echo job", attempts: 2, attempt: 2, result: "job" },
    ],
    attempts: [
      { jobId: "j", attempt: 1, nodeId: "a", sessionId: "s2", outcome: "lost", startedAt: 900, endedAt: 1_000 },
      { jobId: "j", attempt: 2, nodeId: "b", sessionId: "s3", outcome: "done", startedAt: 1_000, endedAt: 1_100 },
    ],
    jobChanges: [
      {
        jobId: "j",
        at: 900,
        oldStatus: "queued",
        oldNode: null,
        oldExpiresAt: null,
        oldAttempt: 0,
        status: "running",
        node: "a",
        attempt: 1,
      },
      {
        jobId: "j",
        at: 1_000,
        oldStatus: "running",
        oldNode: "a",
        oldExpiresAt: 999,
        oldAttempt: 1,
        status: "running",
        node: "b",
        attempt: 2,
      },
      {
        jobId: "j",
        at: 1_100,
        oldStatus: "running",
        oldNode: "b",
        oldExpiresAt: 1_900,
        oldAttempt: 2,
        status: "done",
        node: null,
        attempt: 2,
      },
    ],
    rewrites: [],
    transcripts: [
      asked({ type: "prompt", id: 1, sessionId: "s1", commandKey: "k1", message: "echo one" }),
      told({ type: "response", id: 1, sessionId: "s1", command: "prompt", success: true }),
      told(ended(ASKED, 1)),
      told(ended(ANSWERED, 2)),
      asked({ type: "prompt", id: 2, sessionId: "s1", commandKey: "k2", message: "echo two" }),
      told({ type: "response", id: 2, sessionId: "s1", command: "prompt", success: true }),
      told({ type: "session_snapshot", sessionId: "s1", seq: 4, entries: [ASKED, ANSWERED, AGAIN] }),
      asked({ type: "prompt", id: 3, sessionId: "s1", commandKey: "k3", message: "echo three" }),
      asked({ type: "submit", id: 4, commandKey: "kj", prompt: "echo job" }),
      told({ type: "response", id: 4, command: "submit", success: true, data: { jobId: "j" } }),
    ],
    files: [
      { sessionId: "s1", isGivenBack: true, lines: [ASKED, ANSWERED, AGAIN].map((line) => JSON.stringify(line)) },
    ],
  } satisfies Evidence;
}

type Sound = { -readonly [Key in keyof Evidence]: Evidence[Key][number][] };

/** Maps a defect to the run with it, and the rules that must detect it */
const VIOLATIONS: [string, (run: Sound) => void, (keyof typeof CHECKS)[]][] = [
  [
    "an acknowledged prompt is lost",
    (run) => replace(run, 3, entry(3, 2, message("e3", "e2", "user", "else"))),
    ["promptsOnce", "toldIsStored", "filesAreTheLog"],
  ],
  [
    "an acknowledged prompt stands there twice",
    (run) => append(run, entry(4, 2, message("e4", "e3", "user", "echo one"))),
    ["promptsOnce"],
  ],
  [
    "a prompt without an answer stands there twice",
    (run) =>
      append(
        run,
        entry(4, 2, message("e4", "e3", "user", "echo three")),
        entry(5, 2, message("e5", "e4", "user", "echo three")),
      ),
    ["promptsOnce"],
  ],
  ["an acceptance was not stored", (run) => void run.commands.pop(), ["promptsOnce"]],
  ["a position is missing", (run) => replace(run, 3, entry(4, 2, AGAIN)), ["oneChain"]],
  ["a position is there twice", (run) => replace(run, 3, { ...entry(3, 2, AGAIN), position: 2 }), ["oneChain"]],
  [
    "an entry follows another than the one before",
    (run) => replace(run, 3, entry(3, 2, { ...AGAIN, parentId: "e1" })),
    ["oneChain", "toldIsStored", "filesAreTheLog"],
  ],
  [
    "an entry is there twice",
    (run) => append(run, entry(4, 2, { ...AGAIN, parentId: "e3" })),
    ["oneChain", "promptsOnce", "toldIsStored"],
  ],
  [
    "an entry holds another's line",
    (run) => replace(run, 3, { ...entry(3, 2, AGAIN), entryId: "e9" }),
    ["oneChain", "toldIsStored"],
  ],
  ["the log is shorter than the session says", (run) => set(run.sessions[0], { position: 4 }), ["oneChain"]],
  [
    "an entry was changed",
    (run) => void run.rewrites.push({ table: "entries", what: "UPDATE of s1 at 1" }),
    ["appendOnly"],
  ],
  [
    "a file holds what the log has not",
    (run) => set(run.files[0], { lines: [...(run.files[0]?.lines ?? []), "{}"] }),
    ["filesAreTheLog"],
  ],
  ["a file lacks what the log has", (run) => set(run.files[0], { lines: [] }), ["filesAreTheLog"]],
  [
    "a fence falls along the log",
    (run) => set(run.entries[1], { fence: 2 }, run.entries[2], { fence: 1 }),
    ["risingFences", "writtenUnderLease"],
  ],
  ["the fence of a lease falls", (run) => set(run.leaseChanges[2], { fence: 1 }), ["risingFences"]],
  [
    "a lease is taken without a higher fence",
    (run) => set(run.leaseChanges[1], { fence: 1 }),
    ["risingFences", "oneOwner", "writtenUnderLease"],
  ],
  ["a lease is taken before its time", (run) => set(run.leaseChanges[1], { oldExpiresAt: 5_000 }), ["oneOwner"]],
  ["a stale owner writes", (run) => set(run.entries[1], { storedAt: 1_400 }), ["writtenUnderLease"]],
  ["an entry is older than its lease", (run) => set(run.entries[0], { storedAt: 900 }), ["writtenUnderLease"]],
  ["an entry was written under no lease", (run) => set(run.entries[2], { fence: 7 }), ["writtenUnderLease"]],
  [
    "a message is told that is not stored",
    (run) => void run.transcripts.push(told(ended(message("e7", "e3", "assistant", "x"), 9))),
    ["toldIsStored"],
  ],
  [
    "another message is stored than was told",
    (run) => void run.transcripts.push(told(ended({ ...ANSWERED, message: AGAIN.message }, 9))),
    ["toldIsStored"],
  ],
  [
    "a snapshot tells an entry that is not stored",
    (run) =>
      void run.transcripts.push(
        told({ type: "session_snapshot", sessionId: "s1", seq: 9, entries: [message("e8", null, "user", "x")] }),
      ),
    ["toldIsStored"],
  ],
  [
    "a cursor names an entry that is not stored",
    (run) =>
      void run.transcripts.push(
        told({
          type: "response",
          command: "attach_session",
          success: true,
          sessionId: "s1",
          data: { cursor: { entryId: "e9" } },
        }),
      ),
    ["toldIsStored"],
  ],
  ["a message is told before it is stored", (run) => set(run.transcripts[2], { at: 990 }), ["toldIsStored"]],
  [
    "a frame is told twice",
    (run) => void run.transcripts.push(told({ type: "agent_start", sessionId: "s1", seq: 4 })),
    ["inOrder"],
  ],
  ["a told job is not there", (run) => void run.jobs.pop(), ["jobsEnd"]],
  ["a job stays behind", (run) => set(run.jobs[0], { status: "running" }), ["jobsEnd"]],
  [
    "a repeated submit makes another job",
    (run) =>
      void run.transcripts.push(
        { ...asked({ type: "submit", id: 1, commandKey: "kj" }), connection: 2 },
        {
          ...told({ type: "response", id: 1, command: "submit", success: true, data: { jobId: "j2" } }),
          connection: 2,
        },
      ),
    ["jobsEnd"],
  ],
  ["a job has more attempts than it may", (run) => set(run.jobs[0], { attempts: 1 }), ["jobsWithinAttempts"]],
  ["attempts are not counted through", (run) => set(run.attempts[1], { attempt: 3 }), ["jobsWithinAttempts"]],
  ["a job says another number of attempts", (run) => set(run.jobs[0], { attempt: 1 }), ["jobsWithinAttempts"]],
  ["two attempts share a session", (run) => set(run.attempts[0], { sessionId: "s3" }), ["jobsWithinAttempts"]],
  [
    "a job ran in a session of no attempt",
    (run) => {
      run.entries.push(entry(1, 1, JOB, "s2"));
      set(run.attempts[0], { sessionId: "s9" });
    },
    ["jobsWithinAttempts", "oneChain", "writtenUnderLease"],
  ],
  [
    "a job ran twice in one attempt",
    (run) => void run.entries.push(entry(2, 1, message("j2", "j1", "user", "echo job"), "s3")),
    ["jobsWithinAttempts", "oneChain"],
  ],
  [
    "a job is done that never ran",
    (run) => replaceAt(run, 3, entry(1, 1, message("j1", null, "user", "else"), "s3")),
    ["jobsWithinAttempts"],
  ],
  ["a job that was over changes", (run) => set(run.jobChanges[1], { oldStatus: "done" }), ["jobsChangeInOrder"]],
  [
    "a job is taken from a living node",
    (run) => set(run.jobChanges[1], { oldExpiresAt: 5_000 }),
    ["jobsChangeInOrder"],
  ],
  ["an attempt counts backwards", (run) => set(run.jobChanges[2], { attempt: 1 }), ["jobsChangeInOrder"]],
];

function set(...pairs: (object | undefined)[]): void {
  for (let at = 0; at < pairs.length; at += 2) Object.assign(pairs[at] ?? {}, pairs[at + 1]);
}

function replaceAt(run: Sound, index: number, row: EntryRow): void {
  run.entries[index] = row;
}

/** Returns the entry at a position of the first session. */
function replace(run: Sound, position: number, row: EntryRow): void {
  replaceAt(run, position - 1, row);
}

/** With the session's own count. */
function append(run: Sound, ...rows: EntryRow[]): void {
  run.entries.push(...rows);
  set(run.sessions[0], { position: rows.at(-1)?.position });
}

test("a sound run is found sound", () => {
  expect(audit(sound())).toEqual([]);
});

test("a prompt that a dying engine did not write is only in the log", () => {
  const run = sound() as Sound;
  const lines = [ASKED, ANSWERED].map((line) => JSON.stringify(line));
  set(run.files[0], { lines: [...lines, JSON.stringify(message("e9", "e2", "user", "echo two"))] });
  expect(audit(run)).toEqual([]);
  set(run.files[0], { lines: lines.slice(0, 1) });
  expect(audit(run)).toHaveLength(1);
});

test("the file of a node that was lost may hold what was never stored", () => {
  const run = sound() as Sound;
  const { lines = [] } = run.files[0] ?? {};
  set(run.files[0], { isGivenBack: false, lines: [...lines, "{}"] });
  expect(audit(run)).toEqual([]);
  set(run.files[0], { lines: lines.slice(1) });
  expect(audit(run)).toHaveLength(1);
});

describe("finds that", () => {
  for (const [name, breakIt, rules] of VIOLATIONS) {
    test(name, () => {
      const run = sound() as Sound;
      breakIt(run);
      const found = audit(run).map((text) => text.slice(0, text.indexOf(":")));
      expect([...new Set(found)].toSorted()).toEqual(rules.toSorted());
    });
  }

  test("every rule is broken by one of these", () => {
    const broken = new Set(VIOLATIONS.flatMap(([, , rules]) => rules));
    expect([...broken].toSorted()).toEqual((Object.keys(CHECKS) as (keyof typeof CHECKS)[]).toSorted());
  });
});
