/** Lists what packages/cluster uses: the interfaces that it implements, and the parts that a store of sessions is made of. */
export type { Cluster, LeasedSession, NodeWork, RunningNode } from "./cluster/cluster.ts";
export type { JobQueue } from "./cluster/job-queue.ts";
export type { LinkSocket, NodeSocket, SocketPeer } from "./cluster/node-socket.ts";
export type { DefaultCommands, Relay, RelayedConnection, RelayedSessions } from "./cluster/relay.ts";
export type { StoreFigures } from "./cluster/store-figures.ts";
export type { Connection, EndReason, FrameHead, Outlet } from "./connections/connection.ts";
export type { Connections } from "./connections/connections.ts";
export { CommandError, HeldElsewhere, NoRoom, toCommandError } from "./frames/command-error.ts";
export { type HostFrame, OPENS_ANOTHER } from "./frames/host-frame.ts";
export { failureTail, respond } from "./frames/responses.ts";
export type { Host, HostPort, OutgoingFrame } from "./host.ts";
export { ServeError } from "./serve-error.ts";
export {
  AcceptedCommands,
  nameEntry,
  type Spoken,
  spokenEntry,
  spokenIn,
} from "./sessions/accepted/accepted-commands.ts";
export { Batch } from "./sessions/accepted/batch.ts";
export { entryFacts, storable } from "./sessions/accepted/entry-facts.ts";
export type { FrameHold, HoldTarget, OutgoingCommand } from "./sessions/frame-hold.ts";
export type { LostRun } from "./sessions/live-session-options.ts";
export type { NewSession, OpenedSession, OpenLog } from "./sessions/open-log.ts";
export { keepsForNext, RepeatedCommands } from "./sessions/repeated-commands.ts";
export { isSuccess } from "./sessions/sent-commands.ts";
export { frameType } from "./sessions/session-frame.ts";
export { dataIn } from "./sessions/snapshot.ts";
export type { Roots } from "./store/roots.ts";
export type { CheckedOut, ListQuery, SessionPage, SessionStore, StoredSession } from "./store/session-store.ts";
export { readTokenFile } from "./transports/web/token.ts";
export type { StartPlan } from "./workers/start-plan.ts";
