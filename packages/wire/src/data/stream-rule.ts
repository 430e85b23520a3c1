import { Type } from "@pintle/ai/type";

export const StreamRuleSchema = Type.Object({
  name: Type.String(),
  path: Type.String(),
  content: Type.String(),
  description: Type.Optional(Type.String()),
  condition: Type.Optional(Type.Array(Type.String())),
  scope: Type.Optional(Type.Array(Type.String())),
  globs: Type.Optional(Type.Array(Type.String())),
  interruptMode: Type.Optional(Type.String()),
});
