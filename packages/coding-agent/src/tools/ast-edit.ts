import { Type } from "@pintle/ai/type";
import { READS_PATH_LIST } from "./ast/access.ts";
import { joinPaths, wrapSingle } from "./ast/arguments.ts";
import type { AstEditDetails } from "./ast-edit/execute.ts";
import { declareTool } from "./define-tool.ts";
import { itemsOf, textField } from "./shared/headline.ts";

const parameters = () =>
  Type.Object({
    ops: Type.Array(
      Type.Object({
        pat: Type.String({ description: "what to replace" }),
        out: Type.String({ description: "what to put there; empty deletes" }),
      }),
      { description: "replacements, made together" },
    ),
    path: Type.Optional(Type.String({ description: "file, directory, glob, or several with commas (default: .)" })),
    glob: Type.Optional(Type.String({ description: "only these files below path" })),
    lang: Type.Optional(Type.String({ description: "language, when the file names do not tell it" })),
    sel: Type.Optional(Type.String({ description: "kind of the node inside of pat that is replaced" })),
    limit: Type.Optional(Type.Number({ description: "most replacements" })),
  });

export const astEditTool = declareTool<ReturnType<typeof parameters>, AstEditDetails>({
  name: "ast_edit",
  label: "AST Edit",
  description:
    'Replace code by structure, in many files at once. This is always a preview: nothing is written until resolve applies it. Patterns as in ast_grep: code that parses as one node, $NAME = one node, $$$NAME = any number of nodes, $_ = any node, context with sel where code is not a node by itself. out may use what pat captures: `{pat: "log($A, $$$REST)", out: "logger.info($A, $$$REST)"}`. Lines of out are indented to the place of the match. Files with syntax errors are left out, and ops must not overlap.',
  promptSnippet: "Rewrite code by its structure in many files, as a preview first",
  promptGuidelines: ["Make the same change in many places with one call of ast_edit."],
  parameters,
  access: READS_PATH_LIST,
  concurrency: "exclusive",
  deferrable: true,
  files: "changes",
  headline({ ops }) {
    const [first] = itemsOf(ops);
    const pat = textField(first, "pat");
    return pat === undefined ? undefined : `${pat} → ${textField(first, "out") ?? ""}`;
  },
  prepareArguments: (args) => joinPaths(wrapSingle(args, "ops")),
  load: () => import("./ast-edit/execute.ts"),
});
