import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

/** A completion to insert. */
export const CompletedPathSchema = Type.Object({
  path: Type.String({
    description: "as it should be inserted: relative to the session's directory, or as the query began",
  }),
  isDirectory: Type.Boolean({ description: "its `path` ends with a slash" }),
});
export type CompletedPath = Static<typeof CompletedPathSchema>;
