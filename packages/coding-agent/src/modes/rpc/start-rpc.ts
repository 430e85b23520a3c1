import type { CreatedSession } from "../../sdk.ts";

export { parseDialect } from "./dialect.ts";

import { FrameWriter } from "../frames/frame-writer.ts";
import { guardStdout } from "../frames/stdout-guard.ts";
import { type RpcModeOptions, runRpcMode } from "./rpc-mode.ts";
import { guardStdin } from "./stdin-guard.ts";

/** Takes the process's stdin and stdout for the protocol, then builds the session. Gives the exit code. */
export async function startRpcMode(
  createSession: () => Promise<CreatedSession>,
  {
    ending,
    ...options
  }: Pick<RpcModeOptions, "version" | "env" | "isUiForbidden" | "isUiDeclared" | "dialect"> & { ending: AbortSignal },
): Promise<number> {
  const stdin = guardStdin();
  const writer = new FrameWriter({ sink: guardStdout() });
  const created = createSession();
  return runRpcMode(
    created.then(({ session }) => session),
    {
      stdin,
      writer,
      ...options,
      ending,
      onReady: async () => {
        const { session, modelFallbackMessage: message } = await created;
        // What was not stored must be seen by whoever reads the log too.
        session.subscribe((event) => {
          if (event.type === "notice" && event.level === "error") console.error(`pintle: ${event.message}`);
        });
        if (message !== undefined) session.emit({ type: "notice", level: "warning", message, source: "model" });
      },
    },
  );
}
