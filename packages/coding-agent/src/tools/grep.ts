import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { GrepDetails } from "./grep/execute.ts";
import { READS_PATH } from "./shared/access.ts";
import { searchHeadline } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    pattern: Type.String(),
    path: Type.Optional(Type.String()),
    glob: Type.Optional(Type.String({ description: "src/**/*.{js,ts} or !*.test.ts" })),
    type: Type.Optional(Type.String({ description: "of ripgrep: js, py" })),
    ignoreCase: Type.Optional(Type.Boolean()),
    literal: Type.Optional(Type.Boolean()),
    multiline: Type.Optional(Type.Boolean({ description: "and . matches line breaks" })),
    context: Type.Optional(Type.Integer({ minimum: 0, description: "lines around a match" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "default 100" })),
    offset: Type.Optional(Type.Integer({ minimum: 0 })),
  });

export const grepTool = declareTool<ReturnType<typeof parameters>, GrepDetails>({
  name: "grep",
  label: "Grep",
  description:
    "Search file contents by regular expression (ripgrep). Hidden files are searched, ignored (.gitignore) and binary ones are not.",
  parameters,
  access: READS_PATH,
  interruptible: true,
  familyNames: ["search"],
  headline: ({ pattern, path }) => searchHeadline(pattern, path),
  load: () => import("./grep/execute.ts"),
});
