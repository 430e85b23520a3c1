import type { ParameterAlias } from "@pintle/agent";
import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { GrepDetails } from "./grep/execute.ts";
import { READS_PATH } from "./shared/access.ts";
import { searchHeadline } from "./shared/headline.ts";
import {
  DIRECTORY_ALIASES,
  dropped,
  FILE_ALIASES,
  LIMIT_ALIASES,
  not,
  oneOf,
  only,
  REASON_ALIASES,
} from "./shared/parameter-aliases.ts";

/** What to return: matching lines, the files with matches, or the number of matches per file. */
const GREP_OUTPUTS = ["lines", "files", "count"] as const;
export type GrepOutput = (typeof GREP_OUTPUTS)[number];

const parameters = () =>
  Type.Object({
    pattern: Type.String(),
    path: Type.Optional(Type.String()),
    glob: Type.Optional(Type.String({ description: "src/**/*.{js,ts} or !*.test.ts" })),
    type: Type.Optional(Type.String({ description: "ripgrep's: js, py" })),
    ignoreCase: Type.Optional(Type.Boolean()),
    literal: Type.Optional(Type.Boolean()),
    multiline: Type.Optional(Type.Boolean({ description: "and . matches newlines" })),
    context: Type.Optional(Type.Integer({ minimum: 0, description: "lines around a match" })),
    output: Type.Optional(Type.Unsafe<GrepOutput>({ type: "string", enum: GREP_OUTPUTS })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "default 100" })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
  });

const excluded: ParameterAlias = (value) => (typeof value === "string" ? { glob: `!${value}` } : undefined);

export const grepTool = declareTool<ReturnType<typeof parameters>, GrepDetails>({
  name: "grep",
  label: "Grep",
  description:
    "Search file contents by regular expression (ripgrep). Hidden files are searched; ignored (.gitignore) and binary ones are not.",
  parameters,
  aliases: ["search", "grep_search", "search_file_content", "ripgrep", "rg", "grep_files"],
  parameterNames: {
    aliases: {
      ...DIRECTORY_ALIASES,
      ...FILE_ALIASES,
      ...LIMIT_ALIASES,
      query: "pattern",
      regex: "pattern",
      include: "glob",
      include_pattern: "glob",
      file_pattern: "glob",
      exclude: excluded,
      exclude_pattern: excluded,
      file_type: "type",
      case_insensitive: "ignoreCase",
      case_sensitive: not("ignoreCase"),
      fixed_strings: "literal",
      is_regex: not("literal"),
      is_regexp: not("literal"),
      match_per_line: only(true),
      ...REASON_ALIASES,
      context_lines: "context",
      output_mode: oneOf({ content: {}, files_with_matches: { output: "files" }, count: { output: "count" } }),
      mode: "output",
      "-i": "ignoreCase",
      "-F": "literal",
      "-U": "multiline",
      "-A": "context",
      "-B": "context",
      "-C": "context",
      "-m": "limit",
      "-l": (value) => (value === true ? { output: "files" } : undefined),
      "-c": (value) => (value === true ? { output: "count" } : undefined),
      "-n": dropped,
      "-r": dropped,
    },
  },
  access: READS_PATH,
  familyNames: ["search"],
  headline: ({ pattern, path }) => searchHeadline(pattern, path),
  load: () => import("./grep/execute.ts"),
});
