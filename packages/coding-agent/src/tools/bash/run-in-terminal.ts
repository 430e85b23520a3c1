import type { ToolInvocation, ToolResult } from "@pintle/agent";
import { toPlainText } from "@pintle/exec";
import { keepTail } from "@pintle/exec/processes";
import type { HostTerminal } from "../host-workplace.ts";
import { resolveToolPath } from "../shared/paths.ts";
import type { ToolContext } from "../tool-context.ts";
import { type BashDetails, commandLimits } from "./result.ts";

interface TerminalArguments {
  command: string;
  cwd?: string;
  env?: Record<string, string>;
  timeoutMs: number;
}

/** Runs the command in the host's terminal, with the usual limit on output. */
export async function runInTerminal(
  terminal: HostTerminal,
  { command, cwd, env = {}, timeoutMs }: TerminalArguments,
  { id, signal }: ToolInvocation,
  context: ToolContext,
): Promise<ToolResult<BashDetails>> {
  const { settings } = context;
  const prefix = settings.get("shellCommandPrefix");
  const startedAt = performance.now();
  const request = {
    command: prefix ? `${prefix}\n${command}` : command,
    cwd: cwd === undefined ? context.cwd() : resolveToolPath(cwd, context.cwd()),
    env,
    timeoutMs,
  };
  const { output, exitCode } = await terminal.run(request, { id, signal });
  const plain = toPlainText(Buffer.from(output), { hasStart: true, hasEnd: true });
  const { text } = keepTail(plain, commandLimits(settings));
  const ending = endingOf(exitCode);
  const cut =
    text.length < plain.length ? ["[The beginning of the output is omitted. The host's terminal shows it.]"] : [];
  const shown = text.trim() === "" ? "(no output)" : text.replace(/\n$/, "");
  const lines = [...cut, shown, ...(ending === undefined ? [] : [ending])];
  return {
    content: [{ type: "text", text: lines.join("\n\n") }],
    details: {
      ...(exitCode !== undefined && { exitCode }),
      durationMs: Math.round(performance.now() - startedAt),
    },
    ...(ending !== undefined && { isError: true }),
  };
}

/** Returns undefined if the command succeeded. */
function endingOf(exitCode: number | undefined): string | undefined {
  if (exitCode === 0) return undefined;
  return exitCode === undefined ? "Command was ended by the host" : `Command exited with code ${exitCode}`;
}
