import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

export const SandboxStatusSchema = Type.Object({
  mode: oneOf(["off", "workspace-write", "read-only"], { description: "where the model's commands run" }),
  strength: oneOf(["full", "partial", "none", "unknown"], {
    description: "what this system supports; `unknown` until the first sandboxed command since the system started",
  }),
  missing: Type.Optional(Type.Array(Type.String(), { description: "what a command can do in spite of the sandbox" })),
});
export type SandboxStatus = Static<typeof SandboxStatusSchema>;
