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

/** Declares `escalate` and `reason` only with a sandbox, to save tokens. */
const parameters = ({ sandbox }: Pick<ToolContext, "sandbox">) =>
  Type.Unsafe<Static<ReturnType<typeof withEscalation>>>(
    sandbox && sandbox.mode !== "off" ? withEscalation() : Type.Object(common()),
  );

export const bashTool = declareTool<ReturnType<typeof parameters>, BashDetails>({
  name: "bash",
  label: "Bash",
  description:
    "Run a command in a fresh shell in the working directory: no stdin, and cd or variables do not carry over. Returns stdout and stderr together. Of output over 30 KB you get the beginning and the end; the result names the file that has all of it.",
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
      run_in_background: only(false),
      is_background: only(false),
      blocking: only(true),
      is_input: only(false),
      tty: only(false),
      dangerously_disable_sandbox: only(false),
      // The host decides what it asks about, not the model.
      requires_approval: dropped,
      require_user_approval: dropped,
      safe_to_auto_run: dropped,
      login: dropped,
      max_output_tokens: dropped,
      yield_time_ms: dropped,
    },
    // Models trained on other tools always send a description; the other two are declared only with a sandbox.
    accepted: ["description", "escalate", "reason"],
  },
  prepareArguments: commandText,
  access: RUNS_COMMAND,
  load: () => import("./bash/execute.ts"),
});

// Read at every start with the declaration: keep it small.

const SHELL = /(?:^|\/)(?:ba|z|da|k)?sh$/;

/** A command that was sent as a list of words: the script of `["bash", "-lc", SCRIPT]`, or the words, quoted. */
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
