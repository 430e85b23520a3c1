import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import type { BashDetails } from "./bash/execute.ts";
import { declareTool } from "./define-tool.ts";
import { RUNS_COMMAND } from "./shared/access.ts";
import type { ToolContext } from "./tool-context.ts";

const common = () => ({
  command: Type.String(),
  timeout: Type.Optional(Type.Number({ description: "seconds, at most 3600 (default 300)" })),
  cwd: Type.Optional(Type.String()),
  env: Type.Optional(
    // Not a TypeBox record: that becomes `patternProperties`, which some providers do not know.
    Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
    }),
  ),
});

const withEscalation = () =>
  Type.Object({
    ...common(),
    escalate: Type.Optional(
      Type.Boolean({
        description: "outside of the sandbox, after the command failed because of it; the user is asked",
      }),
    ),
    reason: Type.Optional(Type.String({ description: "why to escalate, for the user" })),
  });

/** What only a sandbox needs would only cost tokens without one. */
const parameters = ({ sandbox }: Pick<ToolContext, "sandbox">) =>
  Type.Unsafe<Static<ReturnType<typeof withEscalation>>>(
    sandbox && sandbox.mode !== "off" ? withEscalation() : Type.Object(common()),
  );

export const bashTool = declareTool<ReturnType<typeof parameters>, BashDetails>({
  name: "bash",
  label: "Bash",
  description:
    "Run a shell command; returns stdout and stderr together. Each call is a new shell: directory and variables do not carry over. There is no stdin. Long output is cut, and a file holds all of it.",
  parameters,
  access: RUNS_COMMAND,
  // A command may read or change anything, so in one message `write` and then `bash` must mean that order.
  concurrency: "exclusive",
  interruptible: true,
  load: () => import("./bash/execute.ts"),
});
