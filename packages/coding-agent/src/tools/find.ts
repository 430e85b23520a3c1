import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import type { FindDetails } from "./find/execute.ts";
import { FINDS_FILES } from "./shared/access.ts";
import { searchHeadline } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    pattern: Type.String({ description: "glob: *.ts, src/**/*.test.ts, **/test/ for directories" }),
    path: Type.Optional(Type.String({ description: "directory to look in (default: the session's)" })),
    limit: Type.Optional(Type.Integer({ minimum: 1, description: "most paths to return (default 1000)" })),
  });

export const findTool = declareTool<ReturnType<typeof parameters>, FindDetails>({
  name: "find",
  label: "Find",
  aliases: ["glob"],
  description:
    "Find files by a glob pattern. Without a slash it is matched against names at any depth, with one against the path from the directory. A pattern that ends in a slash finds directories instead. Newest first; in path order when there are more than the limit. Keeps to .gitignore, includes hidden files.",
  promptSnippet: "Find files by name",
  parameters,
  access: FINDS_FILES,
  interruptible: true,
  familyNames: ["glob"],
  headline: ({ pattern, path }) => searchHeadline(pattern, path),
  load: () => import("./find/execute.ts"),
});
