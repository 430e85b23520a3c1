import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";

/** What a completion may put in. */
export const CompletedPathSchema = Type.Object({
  path: Type.String({
    description: "as it is to be written: relative to the session's directory, or as the query began",
  }),
  isDirectory: Type.Boolean({ description: "its `path` ends with a slash" }),
});
export type CompletedPath = Static<typeof CompletedPathSchema>;
