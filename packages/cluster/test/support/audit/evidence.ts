// The input of an audit: rows of the tables, changes that the witness recorded, the hosts' transcripts and session files.
// Deliberately shares no code with the gateway, so that a defect there is not repeated here.

export interface SessionRow {
  sessionId: string;
  position: number;
}

export interface EntryRow {
  sessionId: string;
  position: number;
  entryId: string;
  fence: number;
  /** Milliseconds by the database's clock. */
  storedAt: number;
  line: string;
}

export interface CommandRow {
  sessionId: string;
  commandKey: string | null;
  command: string;
  response: string;
  fence: number;
}

/** A change of a lease, as recorded by the witness, in the order of the changes. */
export interface LeaseChange {
  sessionId: string;
  at: number;
  oldNode: string | null;
  oldFence: number | null;
  oldExpiresAt: number | null;
  node: string | null;
  fence: number;
}

export interface JobRow {
  jobId: string;
  commandKey: string | null;
  status: string;
  prompt: string;
  attempts: number;
  attempt: number;
  result: string | null;
}

export interface AttemptRow {
  jobId: string;
  attempt: number;
  nodeId: string;
  sessionId: string | null;
  outcome: string | null;
  startedAt: number;
  endedAt: number | null;
}

/** A change of a job's state, as recorded by the witness. */
export interface JobChange {
  jobId: string;
  at: number;
  oldStatus: string;
  oldNode: string | null;
  oldExpiresAt: number | null;
  oldAttempt: number;
  status: string;
  node: string | null;
  attempt: number;
}

/** An entry that was changed or removed after it had been stored. */
export interface Rewrite {
  table: string;
  what: string;
}

/** One frame on a host's connection, in either direction. */
export interface TranscriptLine {
  host: string;
  /** Numbered per host. */
  connection: number;
  /** Milliseconds; the database uses the same machine's clock. */
  at: number;
  dir: "out" | "in";
  frame: Frame;
}

export type Frame = Record<string, unknown>;

/** The file of a session on the last node that had it. */
export interface SessionFile {
  sessionId: string;
  /** True if the node has released the session. A lost node may have written what it could no longer store. */
  isGivenBack: boolean;
  lines: readonly string[];
}

export interface Evidence {
  sessions: readonly SessionRow[];
  entries: readonly EntryRow[];
  commands: readonly CommandRow[];
  leaseChanges: readonly LeaseChange[];
  jobs: readonly JobRow[];
  attempts: readonly AttemptRow[];
  jobChanges: readonly JobChange[];
  rewrites: readonly Rewrite[];
  transcripts: readonly TranscriptLine[];
  files: readonly SessionFile[];
}

/** A rule that a run must follow; returns the violations. */
export type Check = (evidence: Evidence) => string[];

export function groupBy<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

/** Groups by session, in the order of their positions. */
export function entriesBySession({ entries }: Evidence): Map<string, EntryRow[]> {
  return groupBy(
    entries.toSorted((a, b) => a.position - b.position),
    ({ sessionId }) => sessionId,
  );
}

/** Returns the text of a message in an entry or a frame if it is the user's. */
export function userText(message: unknown): string | undefined {
  const { role, content } = (message ?? {}) as { role?: string; content?: string | { text?: string }[] };
  if (role !== "user" || content === undefined) return undefined;
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}
