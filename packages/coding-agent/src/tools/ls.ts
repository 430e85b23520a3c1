import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { declareTool } from "./define-tool.ts";
import { READS_PATH } from "./shared/access.ts";
import { DIRECTORY_ALIASES, FILE_ALIASES, LIMIT_ALIASES, only, REASON_ALIASES } from "./shared/parameter-aliases.ts";

export interface LsDetails {
  /** Set to the limit if there are more entries. */
  entryLimitReached?: number;
}

function parameters() {
  return Type.Object({
    path: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "default 500" })),
  });
}

export type LsArguments = Static<ReturnType<typeof parameters>>;

export const lsTool = declareTool({
  name: "ls",
  label: "List",
  description: "List a directory, including hidden entries.",
  parameters,
  aliases: ["list", "list_dir", "list_directory", "list_files"],
  parameterNames: {
    aliases: {
      ...DIRECTORY_ALIASES,
      ...FILE_ALIASES,
      ...LIMIT_ALIASES,
      all: only(true),
      show_hidden: only(true),
      recursive: only(false),
      depth: only(1),
      ...REASON_ALIASES,
    },
  },
  access: READS_PATH,
  familyNames: ["list"],
  headline: ({ path }) => (typeof path === "string" ? path : "."),
  load: () => import("./execute-ls.ts"),
});
