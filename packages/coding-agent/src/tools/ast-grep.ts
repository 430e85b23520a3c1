import { Type } from "@pintle/ai/type";
import { READS_PATH_LIST } from "./ast/access.ts";
import { joinPaths, wrapSingle } from "./ast/arguments.ts";
import type { AstGrepDetails } from "./ast-grep/execute.ts";
import { declareTool } from "./define-tool.ts";
import { searchHeadline } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    pat: Type.Array(Type.String(), { description: "patterns; a node that matches any of them is found" }),
    path: Type.Optional(Type.String({ description: "file, directory, glob, or several with commas (default: .)" })),
    glob: Type.Optional(Type.String({ description: "only these files below path" })),
    lang: Type.Optional(Type.String({ description: "language, when the file names do not tell it" })),
    sel: Type.Optional(Type.String({ description: "kind of the node inside of pat that is meant" })),
    limit: Type.Optional(Type.Number({ description: "most matches to return (default 50)" })),
    offset: Type.Optional(Type.Number({ description: "matches to leave out first" })),
    context: Type.Optional(Type.Number({ description: "lines to show around each match" })),
  });

export const astGrepTool = declareTool<ReturnType<typeof parameters>, AstGrepDetails>({
  name: "ast_grep",
  label: "AST Grep",
  description:
    "Search code by structure. A pattern is code of the file's language that parses as one node. $NAME (capitals) stands for one whole node, the same name twice for the same code; $_ for any node; $$$NAME for any number of nodes. Example: `fetch($URL, $$$REST)`. A pattern that is not a node by itself goes into valid context, with sel = the kind of the inner node. Go calls: pat `func t() { fmt.Println($A) }`, sel `call_expression`. C calls: `f($A);`, or the same with sel. Keeps to .gitignore.",
  promptSnippet: "Search code by its structure",
  parameters,
  access: READS_PATH_LIST,
  prepareArguments: (args) => joinPaths(wrapSingle(args, "pat")),
  interruptible: true,
  headline: ({ pat, path }) => searchHeadline(Array.isArray(pat) ? pat[0] : pat, path),
  load: () => import("./ast-grep/execute.ts"),
});
