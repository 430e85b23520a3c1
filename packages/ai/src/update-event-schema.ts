import { AssistantMessageSchema, ToolCallSchema } from "./messages.ts";
import { Type } from "./type.ts";

const inBlock = () => ({ contentIndex: Type.Integer({ description: "which block of the message's content" }) });
const partial = () => ({ partial: AssistantMessageSchema });
const toolCallName = () => ({ toolCall: Type.Object({ id: Type.String(), name: Type.String() }) });

/** The content of `message_update`. */
export const AssistantUpdateEventSchema = Type.Union([
  Type.Object({
    type: Type.Union([Type.Literal("text_start"), Type.Literal("thinking_start")]),
    ...inBlock(),
    ...partial(),
  }),
  Type.Object({ type: Type.Literal("toolcall_start"), ...inBlock(), ...toolCallName(), ...partial() }),
  Type.Object({
    type: Type.Union([Type.Literal("text_delta"), Type.Literal("thinking_delta")]),
    ...inBlock(),
    delta: Type.String(),
    ...partial(),
  }),
  Type.Object({
    type: Type.Literal("toolcall_delta"),
    ...inBlock(),
    delta: Type.String({ description: "raw JSON text of the arguments; `partial` may lag behind it" }),
    ...toolCallName(),
    ...partial(),
  }),
  Type.Object({
    type: Type.Union([Type.Literal("text_end"), Type.Literal("thinking_end")]),
    ...inBlock(),
    content: Type.String({ description: "the whole block" }),
    ...partial(),
  }),
  Type.Object({ type: Type.Literal("toolcall_end"), ...inBlock(), toolCall: ToolCallSchema, ...partial() }),
]);
