export { contextMessage } from "./context/context-message.ts";
export { prunedTokens, pruneNotice } from "./context/prune-notice.ts";
export { contextItems } from "./context/session-context.ts";
export { BLOB_PREFIX, BlobStore } from "./entries/blob-store.ts";
export {
  type AnyEntry,
  CURRENT_VERSION,
  type EntryFields,
  type EntryOf,
  isEntry,
  type ModelReference,
  type SessionHeader,
} from "./entries/entries.ts";
export type { StorageNotice } from "./file/session-file.ts";
export { newestSessionFile } from "./listing/newest-file.ts";
export type { SessionPage, SessionQuery } from "./listing/session-page.ts";
export type { SessionSummary } from "./listing/session-summary.ts";
export { NotSavedError, SessionError } from "./session-error.ts";
export { type SessionContext, SessionManager } from "./session-manager.ts";
export { type SessionReference, SessionStore } from "./session-store.ts";
