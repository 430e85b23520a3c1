import { ToolAnnotationsSchema } from "@pintle/agent/schemas";
import { Type } from "@pintle/ai/type";

export const RpcHostToolDefinitionSchema = Type.Object({
  name: Type.String({ description: "case-sensitive, unique among all tools" }),
  label: Type.Optional(Type.String({ description: "for people; the name if absent" })),
  description: Type.String({ description: "for the model" }),
  parameters: Type.Unsafe<object>(Type.Object({}, { description: "JSON Schema of an object" })),
  annotations: Type.Optional(ToolAnnotationsSchema),
  hidden: Type.Optional(Type.Boolean({ description: "known, but not offered to the model" })),
  timeoutMs: Type.Optional(Type.Integer({ description: "replaces host.toolTimeoutMs for this tool" })),
});
