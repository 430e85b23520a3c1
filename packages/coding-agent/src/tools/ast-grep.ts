import { Type } from "@pintle/ai/type";
import { joinPaths, READS_PATH_LIST, wrapSingle } from "./ast/arguments.ts";
import type { AstGrepDetails } from "./ast-grep/execute.ts";
import { declareTool } from "./define-tool.ts";
import { searchHeadline } from "./shared/headline.ts";
import { DIRECTORY_ALIASES, FILE_ALIASES, LIMIT_ALIASES } from "./shared/parameter-aliases.ts";

const parameters = () =>
  Type.Object({
    pat: Type.Array(Type.String(), { description: "any of them" }),
    path: Type.Optional(Type.String({ description: "or a glob, or several separated by commas" })),
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
    "Search code by structure. A pattern is code that parses as one node, like `fetch($URL, $$$REST)`: $NAME is one whole node (the same name, the same code), $_ any node, $$$NAME any number of nodes. Put code that is not a node by itself into valid context, and set sel to the kind of the inner node; a Go call: pat `func t() { fmt.Println($A) }`, sel `call_expression`.",
  parameters,
  parameterNames: {
    aliases: {
      ...DIRECTORY_ALIASES,
      ...FILE_ALIASES,
      ...LIMIT_ALIASES,
      pattern: "pat",
      patterns: "pat",
      language: "lang",
      selector: "sel",
      include: "glob",
    },
  },
  access: READS_PATH_LIST,
  prepareArguments: (args) => joinPaths(wrapSingle(args, "pat")),
  headline: ({ pat, path }) => searchHeadline(Array.isArray(pat) ? pat[0] : pat, path),
  load: () => import("./ast-grep/execute.ts"),
});
