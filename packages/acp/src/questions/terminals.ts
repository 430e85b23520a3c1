import { errorText } from "@pintle/ai";
import type { AcpClient } from "../client/acp-client.ts";
import type { Frame } from "../gateway-link.ts";

/** A model cannot use more of a command's output than this. */
const OUTPUT_BYTES = 1024 * 1024;

export interface TerminalRun {
  client: AcpClient;
  request: Frame;
  /** The client can show the terminal in place of the call's output. */
  onCreated(terminalId: string): void;
}

/** Runs a command in a terminal of the client, from its creation to its release. The signal ends the command. */
export async function runInTerminal(
  { client, request, onCreated }: TerminalRun,
  signal: AbortSignal,
): Promise<{ output: string; exitCode?: number } | { error: string }> {
  const { command, cwd, env } = request;
  const variables = Object.entries((env ?? {}) as Record<string, string>).map(([name, value]) => ({ name, value }));
  let terminalId: string | undefined;
  try {
    // Created without the signal: a terminal that is being created must become known, so that it can be ended.
    terminalId = await client.createTerminal(
      {
        command: "bash",
        args: ["-c", String(command)],
        cwd: String(cwd),
        env: variables,
        outputByteLimit: OUTPUT_BYTES,
      },
      new AbortController().signal,
    );
    if (terminalId === undefined) return { error: "the client created no terminal" };
    onCreated(terminalId);
    const exitCode = await client.terminalExit(terminalId, signal);
    const output = await client.terminalOutput(terminalId);
    return { output, ...(exitCode !== undefined && { exitCode }) };
  } catch (error) {
    if (terminalId !== undefined && signal.aborted) await client.killTerminal(terminalId).catch(() => {}); // may have ended already
    return { error: errorText(error) };
  } finally {
    if (terminalId !== undefined) void client.releaseTerminal(terminalId).catch(() => {}); // not part of the answer
  }
}
