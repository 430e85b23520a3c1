import type { Transport } from "@pintle/client/core";
import { parseArguments } from "../cli/args.ts";
import { FLAGS } from "../cli/flags.ts";
import { judgeFlags } from "../cli/judge-flags.ts";
import { complain } from "../cli/print.ts";
import { sessionOptions } from "../cli/session-options.ts";
import type { Environment } from "../config/keys/environment.ts";
import { FrameWriter } from "../modes/frames/frame-writer.ts";
import { serveSession } from "../modes/rpc/start-rpc.ts";
import { createAgentSession } from "../sdk/create-session.ts";
import { version } from "../version.ts";
import { libraryExports } from "./create-session.ts";

interface InProcessServer {
  transport: Transport;
  /** Rejects if the session cannot be created; never resolves. */
  failed: Promise<never>;
  /** Resolves when the session has ended completely. */
  stop(): Promise<void>;
}

/** Serves a session to one client in this process, as `pintle --mode rpc` with these arguments would. */
export function startServer(
  argv: readonly string[],
  { cwd, env }: { cwd?: string; env: Environment },
): InProcessServer {
  const ending = new AbortController();
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => {}); // the client may have stopped first
  let onData: (chunk: string | Uint8Array) => void = () => {};
  let onClose: () => void = () => {};
  let input: ReadableStreamDefaultController<Uint8Array>;
  const stdin = new ReadableStream<Uint8Array>({
    start: (controller) => {
      input = controller;
    },
  });
  const writer = new FrameWriter({ sink: { write: (data) => onData(data), flush: () => undefined } });
  const served = serveSession(() => create(argv, env, cwd), {
    stdin,
    writer,
    version,
    env,
    ending: ending.signal,
  }).then(
    () => onClose(),
    (error) => {
      failure.reject(error);
      onClose();
    },
  );
  const encoder = new TextEncoder();
  return {
    transport: {
      write: (text) => input.enqueue(encoder.encode(text)),
      onData: (listener) => {
        onData = listener;
      },
      onClose: (listener) => {
        onClose = listener;
      },
    },
    failed: failure.promise,
    async stop() {
      ending.abort();
      await served;
    },
  };
}

function create(argv: readonly string[], env: Environment, cwd: string | undefined) {
  const args = parseArguments(argv, FLAGS);
  const facts = { isRpc: true, warn: complain };
  return createAgentSession({
    ...sessionOptions(args.flags, facts),
    ...(cwd !== undefined && { cwd }),
    env,
    rpc: !args.flags["user-settings"],
    report: complain,
    extensionFlags: args.unknown,
    checkFlags: (loaded) => judgeFlags(args.unknown, loaded, { ...facts, verbose: () => {} }),
    publicExports: libraryExports,
  });
}
