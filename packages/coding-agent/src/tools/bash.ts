import { Type } from "@pintle/ai/type";
import type { Static } from "typebox";
import type { BashDetails } from "./bash/execute.ts";
import { declareTool } from "./define-tool.ts";
import { RUNS_COMMAND } from "./shared/access.ts";
import { dropped, oneOf, only } from "./shared/parameter-aliases.ts";
import type { ToolContext } from "./tool-context.ts";

const common = () => ({
  command: Type.String(),
  timeout: Type.Optional(Type.Number({ description: "seconds, at most 3600 (default 300)" })),
  cwd: Type.Optional(Type.String()),
  env: Type.Optional(
    // Not a TypeBox record, which becomes `patternProperties`: some providers do not support that.
    Type.Unsafe<Record<string, string>>({
      type: "object",
      additionalProperties: { type: "string" },
    }),
  ),
});

const withEscalation = () => ({
  escalate: Type.Optional(
    Type.Boolean({
      description: "run outside the sandbox, if the command failed because of it; asks the user",
    }),
  ),
  reason: Type.Optional(Type.String({ description: "why, for the user" })),
});

const inBackground = () => ({
  async: Type.Optional(
    Type.Boolean({
      description: "return at once; the result is reported to you. For builds, long tests",
    }),
  ),
  service: Type.Optional(Type.Boolean({ description: "async for servers and watchers: reports only failures" })),
});

const all = () => Type.Object({ ...common(), ...withEscalation(), ...inBackground() });

/** Declares parameters that have no effect in this session not at all, to save tokens. */
const parameters = ({ sandbox, jobs }: Pick<ToolContext, "sandbox" | "jobs">) =>
  Type.Unsafe<Static<ReturnType<typeof all>>>(
    Type.Object({
      ...common(),
      ...(sandbox && sandbox.mode !== "off" && withEscalation()),
      ...(jobs && inBackground()),
    }),
  );

export const bashTool = declareTool<ReturnType<typeof parameters>, BashDetails>({
  name: "bash",
  label: "Bash",
  description:
    "Run a command in a fresh shell in the working directory: no stdin, and cd or variables do not carry over. Returns stdout and stderr together. Output over 30 KB is shortened to its beginning and end; the result names the file with all of it.",
  parameters,
  aliases: [
    "shell",
    "local_shell",
    "exec_command",
    "execute_command",
    "run_command",
    "run_shell_command",
    "run_terminal_cmd",
    "run_in_terminal",
    "shell_command",
    "execute_bash",
    "container.exec",
    "terminal",
  ],
  parameterNames: {
    aliases: {
      cmd: "command",
      command_line: "command",
      script: "command",
      workdir: "cwd",
      working_directory: "cwd",
      directory: "cwd",
      dir_path: "cwd",
      environment: "env",
      timeout_ms: (value) => (typeof value === "number" ? { timeout: value / 1000 } : undefined),
      timeout_seconds: "timeout",
      with_escalated_permissions: "escalate",
      sandbox_permissions: oneOf({ use_default: {}, require_escalated: { escalate: true } }),
      justification: "reason",
      explanation: dropped,
      shell: oneOf({ bash: {}, sh: {}, "/bin/bash": {}, "/bin/sh": {} }),
      run_in_background: "async",
      is_background: "async",
      background: "async",
      blocking: only(true),
      is_input: only(false),
      tty: only(false),
      dangerously_disable_sandbox: only(false),
      // The host decides when to ask, not the model.
      requires_approval: dropped,
      require_user_approval: dropped,
      safe_to_auto_run: dropped,
      login: dropped,
      max_output_tokens: dropped,
      yield_time_ms: dropped,
    },
    // Models trained on other tools always send `description`. The others are declared only where they have an effect.
    accepted: ["description", "escalate", "reason", "async", "service"],
  },
  prepareArguments: commandText,
  access: RUNS_COMMAND,
  load: () => import("./bash/execute.ts"),
});

// Every start loads this file with the declarations, so keep it small.

const SHELL = /(?:^|\/)(?:ba|z|da|k)?sh$/;

/** Converts a command sent as a list of words to text: the script of `["bash", "-lc", SCRIPT]`, or the quoted words. */
function commandText(args: Record<string, unknown>): Record<string, unknown> {
  const { command } = args;
  if (!Array.isArray(command) || command.length === 0) return args;
  if (!command.every((word): word is string => typeof word === "string")) return args;
  const [program = "", option = "", script] = command;
  const isScript = command.length === 3 && SHELL.test(program) && /^-l?c$/.test(option);
  return { ...args, command: isScript ? script : command.map(quoted).join(" ") };
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
