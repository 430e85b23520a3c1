import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { sessionStatus } from "../fields.ts";

const about = () => ({
  name: Type.Optional(Type.String()),
  cwd: Type.String(),
  createdAt: Type.String({ description: "ISO 8601" }),
  updatedAt: Type.String({ description: "ISO 8601" }),
  messageCount: Type.Integer({ description: "on all branches, including tool results" }),
  firstMessage: Type.Optional(Type.String({ description: "the first user message, at most 500 characters" })),
  cost: Type.Optional(Type.Number({ description: "USD of all answers on all branches, if known" })),
  status: sessionStatus(),
});

/** A row of `list_sessions`. */
export const ListedSessionSchema = Type.Object({
  sessionId: Type.String(),
  sessionFile: Type.String({ description: "absolute path, for switch_session" }),
  ...about(),
});
export type ListedSession = Static<typeof ListedSessionSchema>;

/** The same from a gateway, which also lists open sessions that are not stored. */
export const ServedSessionSchema = Type.Object({
  sessionId: Type.String(),
  sessionFile: Type.Optional(Type.String({ description: "absolute path on the server; absent if nothing is stored" })),
  ...about(),
  gitBranch: Type.Optional(Type.String({ description: "the branch that is checked out in `cwd`; open sessions only" })),
  node: Type.Optional(Type.String({ description: "the server that has it open, if several share their sessions" })),
});
export type ServedSession = Static<typeof ServedSessionSchema>;
