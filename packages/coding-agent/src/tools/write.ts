import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { canonicalPath } from "../files/canonical-path.ts";
import { declareTool } from "./define-tool.ts";
import { WRITES_PATH } from "./shared/access.ts";
import { resolveToolPath } from "./shared/paths.ts";

export interface WriteDetails {
  bytes: number;
  created: boolean;
  /** What changed, when a text file of moderate size was overwritten. */
  diff?: string;
}

function parameters() {
  return Type.Object({
    path: Type.String({ description: "File to write, relative or absolute." }),
    content: Type.String({ description: "The whole new content." }),
  });
}

export type WriteArguments = Static<ReturnType<typeof parameters>>;

export const writeTool = declareTool({
  name: "write",
  label: "Write",
  description:
    "Write a file. Creates it and missing directories, or replaces all of its content; use edit to change parts of a file.",
  promptSnippet: "Create a file or replace all of its content",
  parameters,
  access: WRITES_PATH,
  files: "changes",
  serializeOn: ({ path }, context) => [canonicalPath(resolveToolPath(path, context.cwd()))],
  load: () => import("./write/execute-write.ts"),
});
