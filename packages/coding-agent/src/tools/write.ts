import { Type } from "@pintle/ai/type";
import { canonicalPath } from "@pintle/foundation";
import type { Static } from "typebox";
import { declareTool } from "./define-tool.ts";
import { WRITES_PATH } from "./shared/access.ts";
import { dropped, FILE_ALIASES, only, REASON_ALIASES } from "./shared/parameter-aliases.ts";
import { resolveToolPath } from "./shared/paths.ts";

export interface WriteDetails {
  bytes: number;
  created: boolean;
  /** What changed, if a text file of moderate size was overwritten. */
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
  description: "Create a file and its missing directories, or replace a whole file. To change parts, use edit.",
  parameters,
  aliases: ["write_file", "create_file", "write_to_file"],
  parameterNames: {
    aliases: {
      ...FILE_ALIASES,
      text: "content",
      contents: "content",
      file_text: "content",
      file_content: "content",
      overwrite: only(true),
      line_count: dropped,
      ...REASON_ALIASES,
      create_directories: only(true),
      encoding: (value) => (/^utf-?8$/i.test(String(value)) ? {} : undefined),
    },
  },
  access: { ...WRITES_PATH, takesUris: true },
  files: "changes",
  serializeOn: ({ path }, context) => [canonicalPath(resolveToolPath(path, context.cwd()))],
  load: () => import("./execute-write.ts"),
});
