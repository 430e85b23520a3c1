import { Type } from "@pintle/ai/type";
import { sessionStatus } from "../fields.ts";
import { ref } from "../named-types.ts";
import { alias, type FieldFault, noParams, nullable, row } from "./row.ts";

const branchMessages = row({
  summary: "The user messages before which a session can be branched.",
  params: noParams,
  result: () => Type.Object({ messages: Type.Array(ref("UserMessageText")) }),
  lane: "read",
});

/** A page of a listing. */
export const checkLimit = ({ limit = 1 }: { limit?: number }): FieldFault | undefined =>
  limit >= 1 && limit <= 256 ? undefined : { field: "limit", mustBe: "between 1 and 256" };

/** Read-only commands: the state, the conversation, the stored sessions. */
export const readingCommands = {
  get_state: row({
    summary:
      "The session's state in one object. `brief` leaves out the system prompt and the tools, and reduces the model to `provider` and `id`.",
    params: () => Type.Object({ brief: Type.Optional(Type.Boolean()) }),
    result: () => ref("RpcSessionState"),
    variant: { param: "brief", result: () => ref("BriefSessionState") },
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
    summary: "A page of the messages, oldest first; for hosts with a limit on the length of a line.",
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
    summary: "Counts, tokens and cost of the context, and of the whole path.",
    params: noParams,
    result: () => ref("SessionStats"),
    lane: "read",
  }),
  get_branch_messages: branchMessages,
  /** pi's name. */
  get_fork_messages: alias("get_branch_messages", branchMessages),
  get_entries: row({
    summary:
      "The entries of the session file in the order in which they were stored; with `since` those after one, with `before` those before one. `limit` requests a page from the end.",
    params: () =>
      Type.Object({
        since: Type.Optional(Type.String()),
        before: Type.Optional(Type.String()),
        limit: Type.Optional(
          Type.Integer({
            description: "1 to 256: only the last entries, at most 768 KiB of them, but at least one",
          }),
        ),
      }),
    result: () =>
      Type.Object({
        entries: Type.Array(ref("SessionEntry")),
        leafId: nullable(Type.String()),
        first: Type.Optional(
          Type.Integer({ description: "with `limit`: how many entries of the session precede these" }),
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
    summary: "Stored sessions that contain a message, the most recently written first.",
    params: () =>
      Type.Object({
        cwd: Type.Optional(Type.String({ description: "only sessions of this working directory" })),
        query: Type.Optional(
          Type.String({
            description:
              "words that all occur in the id, the name, the directory or the messages; of a session in a database, in its first message",
          }),
        ),
        status: Type.Optional(sessionStatus()),
        deleted: Type.Optional(Type.Boolean({ description: "true: sessions in the trash folder instead" })),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, default 50" })),
        cursor: Type.Optional(Type.String({ description: "nextCursor of the previous page" })),
      }),
    result: () => Type.Object({ sessions: Type.Array(ref("ListedSession")), nextCursor: Type.Optional(Type.String()) }),
    lane: "read",
    check: checkLimit,
  }),
  complete_path: row({
    summary:
      "Completes a path typed after an @: fuzzy search below the session's directory, without files that ignore files exclude. A query that begins with /, ~ or .. lists that directory; one that begins with the name of an MCP server and a colon searches its resources.",
    params: () =>
      Type.Object({
        query: Type.String(),
        limit: Type.Optional(Type.Integer({ description: "1 to 256, default 20" })),
      }),
    result: () =>
      Type.Object({
        paths: Type.Array(ref("CompletedPath"), { description: "the best match first" }),
        isComplete: Type.Boolean({ description: "false: there are more files than were searched" }),
      }),
    lane: "read",
    letsOthersPass: true,
    overtakesLong: true,
    check: checkLimit,
  }),
  get_settings: row({
    summary: "Every setting with its effective value and source. Secrets and values that look like one are masked.",
    params: noParams,
    result: () => Type.Object({ settings: Type.Array(ref("EffectiveSetting")) }),
    lane: "read",
  }),
};
