import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

/** A slash command that can start a prompt. */
export const AvailableCommandSchema = Type.Object({
  name: Type.String({ description: "without the slash" }),
  description: Type.Optional(Type.String()),
  aliases: Type.Optional(Type.Array(Type.String())),
  input: Type.Optional(Type.Object({ hint: Type.String() })),
  source: oneOf(["builtin", "skill", "extension", "custom", "mcp_prompt", "file"]),
});
export type AvailableCommand = Static<typeof AvailableCommandSchema>;
