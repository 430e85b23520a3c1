import { Type } from "@pintle/ai/type";
import { OF_A_SESSION } from "./announcements.ts";
import { type FieldFault, noParams, noResult, nullable, row } from "./row.ts";

const cancelled = () => Type.Object({ cancelled: Type.Boolean() });

/** Which stored session is meant. */
const reference = () => ({
  sessionId: Type.Optional(Type.String({ description: "the whole id" })),
  sessionPath: Type.Optional(Type.String({ description: "of a file that `list_sessions` knows" })),
});

interface Reference {
  sessionId?: string;
  sessionPath?: string;
}

function atMostOne({ sessionId, sessionPath }: Reference): FieldFault | undefined {
  if (sessionId === undefined || sessionPath === undefined) return undefined;
  return { field: "sessionPath", mustBe: "left out when sessionId is given" };
}

function exactlyOne(named: Reference): FieldFault | undefined {
  if (named.sessionId === undefined && named.sessionPath === undefined) {
    return { field: "sessionId", mustBe: "given, or sessionPath" };
  }
  return atMostOne(named);
}

const storedSession = () =>
  Type.Object({
    sessionId: Type.String(),
    sessionFile: Type.String({ description: "where it was, or is again; absolute" }),
  });

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
  move_leaf: row({
    summary:
      "Go on from another entry of the same session. Ends a run first. A message of the user is left out, and its text given back.",
    params: () =>
      Type.Object({
        entryId: Type.String(),
        summarize: Type.Optional(
          Type.Boolean({
            description: "leave a summary of what is left; the setting `branchSummary.enabled` if absent",
          }),
        ),
      }),
    result: () =>
      Type.Object({
        cancelled: Type.Boolean({
          description: "an extension did not want it, or it was aborted: nothing has changed",
        }),
        leafId: nullable(Type.String()),
        text: Type.Optional(Type.String({ description: "to be edited and sent again" })),
      }),
    lane: "long",
    announces: ["leaf_moved"],
  }),
  rename_session: row({
    summary: "Name a stored session, by its id or its path; without either the open one.",
    params: () => Type.Object({ ...reference(), name: Type.String() }),
    result: () => Type.Object({ sessionId: Type.String(), sessionFile: Type.Optional(Type.String()) }),
    lane: "ordered",
    announces: ["session_info_changed"],
    check: atMostOne,
  }),
  delete_session: row({
    summary:
      "Move a stored session, by its id or its path, to the trash folder. Not one that is open, here or elsewhere.",
    params: () => Type.Object(reference()),
    result: storedSession,
    lane: "ordered",
    check: exactlyOne,
  }),
  restore_session: row({
    summary: "Bring a deleted session back to where it was.",
    params: () => Type.Object({ sessionId: Type.String({ description: "the whole id" }) }),
    result: storedSession,
    lane: "ordered",
  }),
};
