import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { FindDetails } from "./find/execute.ts";
import { FINDS_FILES } from "./shared/access.ts";
import { searchHeadline } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    pattern: Type.String(),
    path: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "default 1000" })),
  });

export const findTool = declareTool<ReturnType<typeof parameters>, FindDetails>({
  name: "find",
  label: "Find",
  aliases: ["glob"],
  description:
    "Find files by glob, by directory, newest first, ignored ones (.gitignore) left out. `*.ts` is matched against names at any depth, `src/**/*.ts` against paths; `**/test/` finds directories.",
  parameters,
  access: FINDS_FILES,
  interruptible: true,
  familyNames: ["glob"],
  headline: ({ pattern, path }) => searchHeadline(pattern, path),
  load: () => import("./find/execute.ts"),
});
