import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { GrepDetails } from "./grep/execute.ts";
import { READS_PATH } from "./shared/access.ts";
import { searchHeadline } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    pattern: Type.String({ description: "regular expression (ripgrep), or a text with literal" }),
    path: Type.Optional(Type.String({ description: "file or directory to search (default: the session's directory)" })),
    glob: Type.Optional(Type.String({ description: "only these files: *.ts, src/**/*.{js,jsx}, !*.test.ts" })),
    type: Type.Optional(Type.String({ description: "only files of this type of ripgrep: js, py, rust" })),
    ignoreCase: Type.Optional(Type.Boolean()),
    literal: Type.Optional(Type.Boolean({ description: "the pattern is a text, not a regular expression" })),
    multiline: Type.Optional(Type.Boolean({ description: "matches may span lines; . matches line breaks" })),
    context: Type.Optional(Type.Integer({ minimum: 0, description: "lines to show around each match (default 0)" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "most matches to return (default 100)" })),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: "matches to leave out first (default 0)" })),
  });

export const grepTool = declareTool<ReturnType<typeof parameters>, GrepDetails>({
  name: "grep",
  label: "Grep",
  description:
    "Search file contents. Returns `path:line: text` in path order, context lines as `path-line- text`. Keeps to .gitignore, includes hidden files, leaves out binary ones. Long lines are cut to 500 characters around the match.",
  promptSnippet: "Search what is in files",
  parameters,
  access: READS_PATH,
  interruptible: true,
  familyNames: ["search"],
  headline: ({ pattern, path }) => searchHeadline(pattern, path),
  load: () => import("./grep/execute.ts"),
});
