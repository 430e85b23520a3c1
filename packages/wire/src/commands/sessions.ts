import { Type } from "@pintle/ai/type";
import { OF_A_SESSION } from "./announcements.ts";
import { noParams, noResult, row } from "./row.ts";

const cancelled = () => Type.Object({ cancelled: Type.Boolean() });

/** Two names for the same command: the seeds' and pi's. */
const branchRow = {
  summary: "A new session that ends before that message of the user.",
  params: () => Type.Object({ entryId: Type.String() }),
  result: () => Type.Object({ text: Type.String(), cancelled: Type.Boolean() }),
  lane: "ordered",
  announces: OF_A_SESSION,
} as const;

/** Opening, naming and branching sessions. */
export const sessionCommands = {
  new_session: row({
    summary: "End the run and start an empty session.",
    params: () => Type.Object({ parentSession: Type.Optional(Type.String()) }),
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  switch_session: row({
    summary: "Open another session; if that fails, everything stays as it is.",
    params: () => Type.Object({ sessionPath: Type.String() }),
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  branch: row(branchRow),
  fork: row(branchRow),
  clone: row({
    summary: "Copy the active path into a new session and open it.",
    params: noParams,
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  set_session_name: row({
    summary: "Name the session.",
    params: () => Type.Object({ name: Type.String() }),
    result: noResult,
    lane: "ordered",
  }),
};
