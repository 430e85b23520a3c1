import type { FileState } from "../file-changes/index.ts";

/** The state of a file as it is recorded: its bytes are an object in the store. */
export interface RecordedState {
  type: FileState["type"];
  /** Permission bits. */
  mode: number;
  size: number;
  /** The id of the bytes; see `NOT_STORED` for bytes that the store does not have. */
  object: string;
}

/** `null` means that nothing is at the path. */
export type Recorded = RecordedState | null;

/** What one step did to one path. Paths are absolute and contain no links. */
export interface PathChange {
  path: string;
  before: Recorded;
  after: Recorded;
}

/**
 * The prefix of ids of bytes that are too large or unreadable. The rest of such an id distinguishes versions of the
 * file.
 */
export const NOT_STORED = "unread:";

export function isSameRecorded(one: Recorded, other: Recorded): boolean {
  if (!one || !other) return one === other;
  // The mode of a link has no meaning.
  const hasSameMode = one.type === "symlink" || one.mode === other.mode;
  return one.type === other.type && hasSameMode && one.object === other.object;
}
