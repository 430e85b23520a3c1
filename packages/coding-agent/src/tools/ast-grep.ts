import { Type } from "@pintle/ai/type";
import { READS_PATH_LIST } from "./ast/access.ts";
import { joinPaths, wrapSingle } from "./ast/arguments.ts";
import type { AstGrepDetails } from "./ast-grep/execute.ts";
import { declareTool } from "./define-tool.ts";
import { searchHeadline } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    pat: Type.Array(Type.String(), { description: "any of them" }),
    path: Type.Optional(Type.String({ description: "also a glob, or several with commas" })),
    glob: Type.Optional(Type.String()),
    lang: Type.Optional(Type.String({ description: "if file names do not tell" })),
    sel: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Number({ description: "default 50" })),
    offset: Type.Optional(Type.Number()),
    context: Type.Optional(Type.Number({ description: "lines around a match" })),
  });

export const astGrepTool = declareTool<ReturnType<typeof parameters>, AstGrepDetails>({
  name: "ast_grep",
  label: "AST Grep",
  description:
    "Search code by structure. A pattern is code that parses as one node, like `fetch($URL, $$$REST)`: $NAME is one whole node (the same name, the same code), $_ any node, $$$NAME any number of nodes. What is no node by itself stands in valid context, and sel is the kind of the inner node; a Go call: pat `func t() { fmt.Println($A) }`, sel `call_expression`.",
  parameters,
  access: READS_PATH_LIST,
  prepareArguments: (args) => joinPaths(wrapSingle(args, "pat")),
  interruptible: true,
  headline: ({ pat, path }) => searchHeadline(Array.isArray(pat) ? pat[0] : pat, path),
  load: () => import("./ast-grep/execute.ts"),
});
