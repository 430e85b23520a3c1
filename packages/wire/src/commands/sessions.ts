import { Type } from "@pintle/ai/type";
import { ref } from "../named-types.ts";
import { OF_A_SESSION } from "./announcements.ts";
import { alias, type FieldFault, noParams, noResult, nullable, row } from "./row.ts";
import { onConflict } from "./undo.ts";

const cancelled = () => Type.Object({ cancelled: Type.Boolean() });

/** Identifies a stored session. */
const reference = () => ({
  sessionId: Type.Optional(Type.String({ description: "the full id" })),
  sessionPath: Type.Optional(Type.String({ description: "the path of a file that `list_sessions` returns" })),
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

const files = () =>
  Type.Optional(Type.Boolean({ description: "also undo the session's file changes since then, before anything else" }));
const rewound = () => Type.Optional(ref("RewindResult"));

const branch = row({
  summary: "Starts a new session that ends before that user message.",
  params: () => Type.Object({ entryId: Type.String(), files: files(), onConflict: onConflict() }),
  result: () => Type.Object({ text: Type.String(), cancelled: Type.Boolean(), files: rewound() }),
  lane: "ordered",
  announces: OF_A_SESSION,
});

/** Opening, naming and branching sessions. */
export const sessionCommands = {
  new_session: row({
    summary: "Ends the run and starts an empty session.",
    params: () => Type.Object({ parentSession: Type.Optional(Type.String()) }),
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  switch_session: row({
    summary: "Opens another session; if that fails, nothing changes.",
    params: () => Type.Object({ sessionPath: Type.String() }),
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  branch,
  /** pi's name. */
  fork: alias("branch", branch),
  clone: row({
    summary: "Copies the active path into a new session and opens it.",
    params: noParams,
    result: cancelled,
    lane: "ordered",
    announces: OF_A_SESSION,
  }),
  set_session_name: row({
    summary: "Sets the name of the session.",
    params: () => Type.Object({ name: Type.String() }),
    result: noResult,
    lane: "ordered",
  }),
  move_leaf: row({
    summary:
      "Continues from another entry of the same session. Ends a run first. A user message is left out, and its text returned.",
    params: () =>
      Type.Object({
        entryId: Type.String(),
        summarize: Type.Optional(
          Type.Boolean({
            description: "store a summary of the abandoned branch; the setting `branchSummary.enabled` if absent",
          }),
        ),
        files: files(),
        onConflict: onConflict(),
      }),
    result: () =>
      Type.Object({
        files: rewound(),
        cancelled: Type.Boolean({
          description: "an extension refused, or it was aborted: nothing has changed",
        }),
        leafId: nullable(Type.String()),
        text: Type.Optional(Type.String({ description: "to be edited and sent again" })),
      }),
    lane: "long",
    announces: ["leaf_moved"],
  }),
  rename_session: row({
    summary: "Names a stored session, by its id or its path; without either the open one.",
    params: () => Type.Object({ ...reference(), name: Type.String() }),
    result: () => Type.Object({ sessionId: Type.String(), sessionFile: Type.Optional(Type.String()) }),
    lane: "ordered",
    announces: ["session_info_changed"],
    check: atMostOne,
  }),
  delete_session: row({
    summary:
      "Moves a stored session, by its id or its path, to the trash folder. Refused if the session is open, here or elsewhere.",
    params: () => Type.Object(reference()),
    result: storedSession,
    lane: "ordered",
    check: exactlyOne,
  }),
  restore_session: row({
    summary: "Moves a deleted session back to where it was.",
    params: () => Type.Object({ sessionId: Type.String({ description: "the full id" }) }),
    result: storedSession,
    lane: "ordered",
  }),
};
