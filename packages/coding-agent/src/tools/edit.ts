import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { canonicalPath } from "../files/canonical-path.ts";
import { declareTool } from "./define-tool.ts";
import { prepareEditArguments } from "./edit/prepare-arguments.ts";
import { WRITES_PATH } from "./shared/access.ts";
import { resolveToolPath } from "./shared/paths.ts";

export interface EditDetails {
  /** Changed lines with their numbers and four lines around them. */
  diff: string;
  /** In the new file. */
  firstChangedLine: number;
}

function parameters() {
  const replacement = Type.Object({
    oldText: Type.String({ description: "exactly as in the file, and long enough to occur once" }),
    newText: Type.String(),
    replaceAll: Type.Optional(Type.Boolean()),
  });
  return Type.Object({
    path: Type.String(),
    edits: Type.Array(replacement, { minItems: 1 }),
  });
}

export type EditArguments = Static<ReturnType<typeof parameters>>;

export const editTool = declareTool({
  name: "edit",
  label: "Edit",
  description:
    "Replace parts of a text file. Give all changes of a file in one call: each is matched against the file as it is now, they must not overlap, and all are applied or none.",
  parameters,
  access: WRITES_PATH,
  files: "changes",
  prepareArguments: prepareEditArguments,
  serializeOn: ({ path }, context) => [canonicalPath(resolveToolPath(path, context.cwd()))],
  load: () => import("./edit/execute-edit.ts"),
});
