import { ToolAnnotationsSchema } from "@pintle/agent/schemas";
import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { APPROVAL_DECISIONS, oneOf, PERMISSION_MODES, REQUEST_KINDS, RULE_LAYERS } from "../words.ts";

export const PermissionRuleSchema = Type.Object({
  effect: oneOf(["allow", "ask", "deny"]),
  tool: Type.Optional(Type.String({ description: "tool name; `*` matches any characters" })),
  kind: Type.Optional(oneOf(REQUEST_KINDS)),
  path: Type.Optional(
    Type.String({
      description: "glob over real paths; relative ones start in the session's directory, `~/` in the home directory",
    }),
  ),
  command: Type.Optional(
    Type.String({
      description:
        "pattern for the arguments of one program: `git status` matches exactly that, `npm run *` any continuation",
    }),
  ),
  origin: Type.Optional(
    Type.String({ description: "`builtin`, `custom`, `host` or `mcp:NAME`, `*` for any characters" }),
  ),
  project: Type.Optional(
    Type.String({
      description:
        "real path of the only directory to whose sessions the rule applies; `ask` and `deny` also apply in directories below it",
    }),
  ),
});
export type PermissionRule = Static<typeof PermissionRuleSchema>;

export const PolicyRuleSchema = Type.Object({
  ...PermissionRuleSchema.properties,
  layer: oneOf(RULE_LAYERS, { description: "the owner of the rule" }),
});
export type PolicyRule = Static<typeof PolicyRuleSchema>;

export const PermissionRequestSchema = Type.Object({
  toolCallId: Type.String(),
  tool: Type.String(),
  kind: oneOf(REQUEST_KINDS),
  title: Type.String({ description: "one line for a person" }),
  paths: Type.Optional(
    Type.Array(
      Type.Object({
        path: Type.String({ description: "as the model wrote it, made absolute" }),
        real: Type.String({ description: "the target file, with links resolved" }),
        access: oneOf(["read", "write"]),
      }),
    ),
  ),
  command: Type.Optional(
    Type.Object({
      text: Type.String(),
      cwd: Type.Optional(Type.String({ description: "where it would run, if the model says so" })),
      env: Type.Optional(
        Type.Record(Type.String(), Type.String(), { description: "variables that the model sets for it" }),
      ),
      programs: Type.Union([Type.Array(Type.Array(Type.String())), Type.Literal("opaque")], {
        description: "program by program with all arguments, as far as they are known before the command runs",
      }),
    }),
  ),
  escalation: Type.Optional(Type.String({ description: "why the model needs more access than the sandbox allows" })),
  diff: Type.Optional(Type.String()),
  origin: Type.String({ description: "`builtin`, `custom`, `host` or `mcp:NAME`" }),
  annotations: Type.Optional(ToolAnnotationsSchema),
});
export type PermissionRequest = Static<typeof PermissionRequestSchema>;

export const PermissionModeSchema = oneOf(PERMISSION_MODES, { description: "the preset" });
export type PermissionMode = Static<typeof PermissionModeSchema>;

export const ApprovalDecisionSchema = oneOf(APPROVAL_DECISIONS);
export type ApprovalDecision = Static<typeof ApprovalDecisionSchema>;
