import { Type } from "@pintle/ai/type";
import { joinPaths, READS_PATH_LIST, wrapSingle } from "./ast/arguments.ts";
import type { AstEditDetails } from "./ast-edit/execute.ts";
import { declareTool } from "./define-tool.ts";
import { itemsOf, textField } from "./shared/headline.ts";
import { DIRECTORY_ALIASES, FILE_ALIASES } from "./shared/parameter-aliases.ts";

const parameters = () =>
  Type.Object({
    ops: Type.Array(
      Type.Object({
        pat: Type.String(),
        out: Type.String({ description: "empty deletes" }),
      }),
    ),
    path: Type.Optional(Type.String()),
    glob: Type.Optional(Type.String()),
    lang: Type.Optional(Type.String()),
    sel: Type.Optional(Type.String()),
    limit: Type.Optional(Type.Number()),
  });

export const astEditTool = declareTool<ReturnType<typeof parameters>, AstEditDetails>({
  name: "ast_edit",
  label: "AST Edit",
  description:
    "Make the same code change in many places. This is a preview: nothing is written until resolve applies it. Patterns, path and sel as in ast_grep; out may use what pat captures: pat `log($A, $$$R)`, out `logger.info($A, $$$R)`. ops must not overlap.",
  parameters,
  parameterNames: {
    aliases: {
      ...DIRECTORY_ALIASES,
      ...FILE_ALIASES,
      operations: "ops",
      rewrites: "ops",
      language: "lang",
      selector: "sel",
      include: "glob",
    },
    items: { ops: { aliases: { pattern: "pat", rewrite: "out", replacement: "out", replace: "out" } } },
  },
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
