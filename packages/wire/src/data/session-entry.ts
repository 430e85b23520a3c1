import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

export const SessionEntrySchema = Type.Object(
  {
    type: Type.String(),
    id: Type.String(),
    parentId: Type.Union([Type.String(), Type.Null()], { description: "null: the first entry of a conversation" }),
    timestamp: Type.String({ description: "ISO 8601" }),
    excludeFromContext: Type.Optional(
      Type.Boolean({ description: "stored in the history, but never shown to the model" }),
    ),
  },
  { description: "as stored; further fields depend on its type, see sessions.md" },
);
/** One line of a session file. Entries never change, and keep fields that are not declared here. */
export interface SessionEntry extends Static<typeof SessionEntrySchema> {}

/** Recursive, which type inference cannot follow without help. */
export const SessionTreeNodeSchema = Type.Object({
  entry: SessionEntrySchema,
  children: Type.Array(Type.Unsafe<SessionTreeNode>(Type.Ref("SessionTreeNode")), { description: "oldest first" }),
  label: Type.Optional(Type.String()),
  labelTimestamp: Type.Optional(Type.String()),
});
export interface SessionTreeNode extends Static<typeof SessionTreeNodeSchema> {}

export const UserMessageTextSchema = Type.Object({ entryId: Type.String(), text: Type.String() });
export type UserMessageText = Static<typeof UserMessageTextSchema>;
