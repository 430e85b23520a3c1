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
    path: Type.String(),
    content: Type.String(),
  });
}

export type WriteArguments = Static<ReturnType<typeof parameters>>;

export const writeTool = declareTool({
  name: "write",
  label: "Write",
  description: "Create a file, missing directories too, or replace all of its content; edit changes parts.",
  parameters,
  access: WRITES_PATH,
  files: "changes",
  serializeOn: ({ path }, context) => [canonicalPath(resolveToolPath(path, context.cwd()))],
  load: () => import("./write/execute-write.ts"),
});
