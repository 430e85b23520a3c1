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
    oldText: Type.String({
      description: "Text to replace, exactly as in the file. It must occur once; add lines around it if it does not.",
    }),
    newText: Type.String({ description: "Text to put in its place." }),
  });
  return Type.Object({
    path: Type.String({ description: "File to change, relative or absolute." }),
    edits: Type.Array(replacement, {
      minItems: 1,
      description: "Replacements. Each is matched against the file as it is now, so they must not overlap.",
    }),
  });
}

export type EditArguments = Static<ReturnType<typeof parameters>>;

export const editTool = declareTool({
  name: "edit",
  label: "Edit",
  description:
    "Replace parts of a text file. Give several changes of one file as several entries of `edits`: all are applied or none. Keep each oldText short but unique; do not repeat large unchanged parts.",
  promptSnippet: "Replace parts of a file, several in one call",
  promptGuidelines: ["Give all changes of one file in one call of edit."],
  parameters,
  access: WRITES_PATH,
  files: "changes",
  prepareArguments: prepareEditArguments,
  serializeOn: ({ path }, context) => [canonicalPath(resolveToolPath(path, context.cwd()))],
  load: () => import("./edit/execute-edit.ts"),
});
