import { Type } from "@pintle/ai/type";
import { sessionStatus } from "../fields.ts";
import { ref } from "../named-types.ts";
import { type FieldFault, noParams, nullable, row } from "./row.ts";

const branchMessagesRow = {
  summary: "The messages of the user that a session can be branched before.",
  params: noParams,
  result: () => Type.Object({ messages: Type.Array(ref("UserMessageText")) }),
  lane: "read",
} as const;

/** A page of a listing. */
export const checkLimit = ({ limit = 1 }: { limit?: number }): FieldFault | undefined =>
  limit >= 1 && limit <= 256 ? undefined : { field: "limit", mustBe: "between 1 and 256" };

/** What there is: the state, the conversation, the stored sessions. */
export const readingCommands = {
  get_state: row({
    summary: "The session's state in one object.",
    params: noParams,
    result: () => ref("RpcSessionState"),
    lane: "read",
    overtakesLong: true,
  }),
  get_messages: row({
    summary: "All finished messages of the conversation.",
    params: noParams,
    result: () => Type.Object({ messages: Type.Array(ref("AgentMessage")) }),
    lane: "read",
  }),
  get_messages_page: row({
    summary: "A part of the messages, oldest first; for hosts with a limit on the length of a line.",
    params: () => Type.Object({ cursor: Type.Optional(Type.String()), limit: Type.Optional(Type.Integer()) }),
    result: () =>
      Type.Object({
        messages: Type.Array(ref("AgentMessage")),
        nextCursor: Type.Optional(Type.String()),
        totalMessages: Type.Integer(),
      }),
    lane: "read",
    check: checkLimit,
  }),
  get_last_assistant_text: row({
    summary: "The text of the newest answer.",
    params: noParams,
    result: () => Type.Object({ text: nullable(Type.String()) }),
    lane: "read",
  }),
  get_session_stats: row({
    summary: "Counts, tokens and cost of what is in context, and of the whole path.",
    params: noParams,
    result: () => ref("SessionStats"),
    lane: "read",
  }),
  get_branch_messages: row(branchMessagesRow),
  get_fork_messages: row(branchMessagesRow),
  get_entries: row({
    summary:
      "The entries of the session file in the order they were stored; with `since` those after one, with `before` those before one. `limit` asks for a page from the end.",
    params: () =>
      Type.Object({
        since: Type.Optional(Type.String()),
        before: Type.Optional(Type.String()),
        limit: Type.Optional(
          Type.Integer({
            description: "1 to 256: only the last so many of them, and of these at most 768 KiB, but at least one",
          }),
        ),
      }),
    result: () =>
      Type.Object({
        entries: Type.Array(ref("SessionEntry")),
        leafId: nullable(Type.String()),
        first: Type.Optional(
          Type.Integer({ description: "with `limit`: how many entries of the session stand before these" }),
        ),
      }),
    lane: "read",
    check: checkLimit,
  }),
  get_tree: row({
    summary: "The entries of the session file as a forest.",
    params: noParams,
    result: () => Type.Object({ tree: Type.Array(ref("SessionTreeNode")), leafId: nullable(Type.String()) }),
    lane: "read",
  }),
  list_sessions: row({
    summary: "Stored sessions that hold a message, the one written last first.",
    params: () =>
      Type.Object({
        cwd: Type.Optional(Type.String({ description: "only of this working directory" })),
        query: Type.Optional(
          Type.String({ description: "words that are all in the id, the name, the first message or the directory" }),
        ),
        status: Type.Optional(sessionStatus()),
        deleted: Type.Optional(Type.Boolean({ description: "true: those in the trash folder instead" })),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, 50 when not given" })),
        cursor: Type.Optional(Type.String({ description: "nextCursor of the page before" })),
      }),
    result: () => Type.Object({ sessions: Type.Array(ref("ListedSession")), nextCursor: Type.Optional(Type.String()) }),
    lane: "read",
    check: checkLimit,
  }),
  complete_path: row({
    summary:
      "Files and directories for what was typed after an @: fuzzy below the session's directory, without what ignore files exclude. A query that begins with /, ~ or .. names a place elsewhere, which is listed; one that begins with the name of an MCP server and a colon is for its resources.",
    params: () =>
      Type.Object({
        query: Type.String(),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, 20 when not given" })),
      }),
    result: () =>
      Type.Object({
        paths: Type.Array(ref("CompletedPath"), { description: "the best first" }),
        isComplete: Type.Boolean({ description: "false: there are more files than are looked through" }),
      }),
    lane: "read",
    letsOthersPass: true,
    overtakesLong: true,
    check: checkLimit,
  }),
  get_settings: row({
    summary:
      "Every setting as it counts now and where its value comes from. What is a secret or looks like one is masked.",
    params: noParams,
    result: () => Type.Object({ settings: Type.Array(ref("EffectiveSetting")) }),
    lane: "read",
  }),
};
