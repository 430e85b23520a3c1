import type { ParameterAlias } from "@pintle/agent";
import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { FindDetails } from "./execute-find.ts";
import { FINDS_FILES } from "./shared/access.ts";
import { searchHeadline } from "./shared/headline.ts";
import { DIRECTORY_ALIASES, LIMIT_ALIASES, oneOf, only, REASON_ALIASES } from "./shared/parameter-aliases.ts";

const parameters = () =>
  Type.Object({
    pattern: Type.String(),
    path: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "default 200" })),
  });

/** Converts a part of a name, which other agents search for, to a pattern. */
const namePart: ParameterAlias = (value) =>
  typeof value === "string" ? { pattern: /[*?[{/]/.test(value) ? value : `*${value}*` } : undefined;

export const findTool = declareTool<ReturnType<typeof parameters>, FindDetails>({
  name: "find",
  label: "Find",
  aliases: ["glob", "find_files", "file_search", "glob_file_search", "search_files_by_name", "find_by_name"],
  parameterNames: {
    aliases: {
      ...DIRECTORY_ALIASES,
      ...LIMIT_ALIASES,
      glob: "pattern",
      glob_pattern: "pattern",
      include: "pattern",
      name: "pattern",
      query: namePart,
      type: oneOf({ f: {}, file: {} }),
      respect_git_ignore: only(true),
      ...REASON_ALIASES,
    },
  },
  description:
    "Find files by glob, newest first and grouped by directory, except ignored ones (.gitignore). `*.ts` matches names at any depth, `src/**/*.ts` matches paths, and `**/test/` finds directories.",
  parameters,
  access: FINDS_FILES,
  familyNames: ["glob"],
  headline: ({ pattern, path }) => searchHeadline(pattern, path),
  load: () => import("./execute-find.ts"),
});
