import type { CreatedSession } from "../../sdk.ts";
import { FrameWriter } from "./frame-writer.ts";
import { runRpcMode } from "./rpc-mode.ts";
import { guardStdin } from "./stdin-guard.ts";
import { guardStdout } from "./stdout-guard.ts";

/** Takes the process's stdin and stdout for the protocol, then builds the session. Gives the exit code. */
export async function startRpcMode(
  createSession: () => Promise<CreatedSession>,
  { version, ending }: { version: string; ending: AbortSignal },
): Promise<number> {
  const stdin = guardStdin();
  const writer = new FrameWriter({ sink: guardStdout() });
  const created = createSession();
  return runRpcMode(
    created.then(({ session }) => session),
    {
      stdin,
      writer,
      version,
      ending,
      onReady: async () => {
        const { session, modelFallbackMessage: message } = await created;
        if (message !== undefined) session.emit({ type: "notice", level: "warning", message, source: "model" });
      },
    },
  );
}
