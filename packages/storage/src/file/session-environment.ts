import type { Disk } from "@pintle/foundation";
import type { BlobStore } from "../entries/blob-store.ts";
import { CURRENT_VERSION, type SessionHeader } from "../entries/entries.ts";
import type { IdSource } from "../entries/entry-ids.ts";
import type { SessionFileParts } from "./session-file.ts";

/** External dependencies of a session. */
export interface SessionEnvironment extends Pick<SessionFileParts, "fsync" | "now" | "notify" | "lock"> {
  disk: Disk;
  ids: IdSource;
  blobs: BlobStore;
  /** Store for large images. */
  images: "blob" | "inline";
}

export interface NewHeader {
  id?: string;
  cwd: string;
  parentSession?: string;
  title?: string;
  /** Id of the conversation whose provider cache it shares. */
  cacheKey?: string;
}

export function createHeader({ ids, now }: Pick<SessionEnvironment, "ids" | "now">, fields: NewHeader): SessionHeader {
  const { id = ids.session(), cwd, parentSession, title, cacheKey } = fields;
  return {
    type: "session",
    version: CURRENT_VERSION,
    id,
    timestamp: new Date(now()).toISOString(),
    cwd,
    ...(parentSession !== undefined && { parentSession }),
    ...(title !== undefined && { title, titleSource: "user" }),
    ...(cacheKey !== undefined && { providerPromptCacheKey: cacheKey }),
  };
}
