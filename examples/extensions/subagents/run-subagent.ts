import { RpcClient } from "@pintle/client";
import type { ExtensionContext } from "pintle";

const TOOLS = "read,grep,find,ls";

export interface SubagentOptions {
  cwd: string;
  model: ExtensionContext["model"];
  signal: AbortSignal | undefined;
  progress(state: string): void;
}

/**
 * Starts another pintle, sends it the task, and returns its last answer. It ends with the run, even if that is aborted.
 */
export async function runSubagent(task: string, options: SubagentOptions): Promise<{ text: string; isError: boolean }> {
  const { cwd, model, signal, progress } = options;
  const client = new RpcClient({
    command: [process.execPath], // the program that runs this code
    cwd,
    ...(model && { model: `${model.provider}/${model.id}` }),
    // Without extensions it has no `delegate`, so a task cannot start further ones.
    args: ["--no-session", "--no-extensions", "--no-mcp", "--tools", TOOLS],
  });
  try {
    await client.start({ ...(signal && { signal }) });
    const run = client.run(task, { ...(signal && { signal }) });
    for await (const event of run) {
      if (event.type === "tool_execution_start") progress(`runs ${event.toolName}`);
      if (event.type === "message_start" && event.message.role === "assistant") progress("thinks");
    }
    const { text, stopReason, errorMessage } = await run.result;
    const isError = stopReason === "error";
    return { text: isError ? `Failed: ${errorMessage ?? "the model call failed"}` : text, isError };
  } finally {
    await client.stop();
  }
}
