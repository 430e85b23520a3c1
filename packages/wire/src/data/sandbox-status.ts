import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import { oneOf } from "../words.ts";

export const SandboxStatusSchema = Type.Object({
  mode: oneOf(["off", "workspace-write", "read-only"], { description: "where the model's commands run" }),
  strength: oneOf(["full", "partial", "none", "unknown"], {
    description:
      "what this system gives; `unknown` until the first command in the sandbox since the system was started",
  }),
  missing: Type.Optional(Type.Array(Type.String(), { description: "what a command can do all the same" })),
});
export type SandboxStatus = Static<typeof SandboxStatusSchema>;
