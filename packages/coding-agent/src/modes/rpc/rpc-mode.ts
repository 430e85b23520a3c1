import { onAbort } from "@pintle/ai";
import { logBug, logLine, systemTimers, type Timers } from "@pintle/foundation";
import {
  CHUNKED_PROTOCOL_VERSION,
  commands,
  HostMistakes,
  PROTOCOL_VERSION,
  type ReadyFrame,
  SERVER_CAPABILITIES,
  type ServerFrame,
  type SessionTreeNode,
} from "@pintle/wire";
import type { Environment } from "../../config/keys/environment.ts";
import { toWireModel } from "../../config/models/wire-model.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { FrameWriter } from "../frames/frame-writer.ts";
import { treeJson } from "../frames/tree-json.ts";
import type { Frame } from "../frames/update-frames.ts";
import { CommandDispatcher } from "./commands/command-dispatcher.ts";
import { EventFilter } from "./commands/event-filter.ts";
import { handlers } from "./commands/rpc-commands.ts";
import { DIALECTS, type Dialect, type DialectSurroundings } from "./dialects/dialect.ts";
import { sendInDialect } from "./dialects/send-in-dialect.ts";
import { HostChannel } from "./host/host-channel.ts";
import { asSessionHost } from "./host/session-host.ts";
import { LineInput } from "./line-input.ts";
import { Shutdown } from "./shutdown.ts";

/** Time limit after a signal: hosts that end pintle by signal kill it a second later. */
const SIGNAL_LIMIT_MS = 800;

export interface RpcModeOptions {
  stdin: ReadableStream<Uint8Array>;
  writer: FrameWriter;
  version: string;
  /** Returns whether there is project code and whether it is loaded. Called once there is a session. */
  trust?(): ReadyFrame["trust"];
  env?: Environment;
  /** Whether `--no-ui` was given. */
  isUiForbidden?: boolean;
  /** Whether the mode is `rpc-ui`: the host answers dialogs without declaring it. */
  isUiDeclared?: boolean;
  /** Whether `--strict-host` was given: mistakes of the host are answered as failures. */
  isHostStrict?: boolean;
  dialect?: Dialect;
  /** Fires when the process is asked to end by a signal. */
  ending?: AbortSignal;
  timers?: Timers;
  /** Called once the host has the ready frame and receives events. */
  onReady?(host: HostChannel, end: () => void): void;
  /** Logs a bug in pintle. */
  reportBug?(error: unknown): void;
}

/**
 * Serves one host until it disconnects, and returns the exit code. Lines that arrive while the session is being built are
 * handled after `ready`. Rejects only if there is no session.
 */
export async function runRpcMode(
  pendingSession: AgentSession | Promise<AgentSession>,
  {
    stdin,
    writer,
    version,
    trust = () => "none",
    env = {},
    isUiForbidden = false,
    isUiDeclared = false,
    isHostStrict = false,
    dialect = "seed",
    ending,
    onReady,
    timers = systemTimers,
    reportBug = logBug,
  }: RpcModeOptions,
): Promise<number> {
  const input = new LineInput(stdin);
  try {
    const session = await pendingSession;
    const warn = logLine;
    const mistakes = new HostMistakes({
      isStrict: isHostStrict,
      send: (frame) => dispatcher.send(frame),
      startTimer: (run, ms) => timers.start(run, ms),
    });
    const host = new HostChannel({
      send: (frame) => dispatcher.send(frame),
      settings: session.settings,
      env,
      isUiForbidden,
      sendsTitle: DIALECTS[dialect].sendsTitle,
      approvalDialog: DIALECTS[dialect].approvalDialog,
      resolvesUris: DIALECTS[dialect].resolvesUris,
      mistakes,
      timers,
      trace: session.trace,
    });
    const filter = new EventFilter();
    if (isUiDeclared) host.capabilities.declare({ ui: true });
    const detach = session.attachHost(asSessionHost(host, { reader: writer }));
    writer.isHostTool = (name) => host.tools.isHostTool(name);
    const surroundings: DialectSurroundings = {
      isPreviewByHost: () => session.tooling.previews.decider === "host",
      isNamed: (type) => filter.isNamed(type),
      config: () => ({ model: toWireModel(session.model), thinkingLevel: session.thinkingLevel }),
      printNotice: ({ message }) => logLine(message),
    };
    const send: (frame: ServerFrame) => void = sendInDialect(dialect, surroundings, (frame) =>
      writer.send(withTreeText(frame)),
    );
    const dispatcher = new CommandDispatcher<AgentSession>({
      commands,
      handlers,
      session,
      abort: () => session.abort(),
      send,
      isBehind: () => writer.isBehind,
      ready: () => writer.ready(),
      isSettled: () => session.isSettled,
      awaitsJobs: () => session.jobs.isPending,
      results: () => session.results,
      connection: {
        host,
        setUpdateMode: (mode) => writer.setUpdateMode(mode),
        negotiate(version) {
          if (version !== CHUNKED_PROTOCOL_VERSION || !DIALECTS[dialect].sendsChunks) return PROTOCOL_VERSION;
          writer.sendInChunks();
          return CHUNKED_PROTOCOL_VERSION;
        },
        setEventFilter(events) {
          writer.setFilter(events === null ? undefined : (type) => filter.isWanted(type)); // sends pending frames first
          return filter.choose(events);
        },
        streamsBash: () => DIALECTS[dialect].streamsBash || filter.isNamed("bash_execution_update"),
        promptAnswer: DIALECTS[dialect].promptAnswer,
        version,
      },
      mistakes,
      reportBug,
    });
    const shutdown = new Shutdown({ session, dispatcher, writer, timers, reportBug, warn });
    const exit = Promise.withResolvers<number>();
    writer.onRead = () => dispatcher.outputRead();
    writer.onLost = () => {
      dispatcher.hostGone();
      exit.resolve(1);
    };
    // caught before
    void input.ended.catch(reportBug).then(() => exit.resolve(0));
    const onEnding = () => {
      shutdown.hurry(SIGNAL_LIMIT_MS);
      exit.resolve(0);
    };

    send(readyFrame(session, version, trust()));
    session.subscribe((event) => dispatcher.send(event), { storage: true });
    input.deliverTo(dispatcher);
    onReady?.(host, () => {
      // If an extension ends the process, finish accepted commands first.
      void session.runs.settled().then(async () => {
        await dispatcher.settled();
        exit.resolve(0);
      });
    });
    onAbort(ending, onEnding);

    const exitCode = await exit.promise;
    input.stop();
    mistakes.close();
    host.hostGone();
    detach();
    const isRead = await shutdown.run();
    return isRead ? exitCode : 1;
  } finally {
    input.stop();
  }
}

function readyFrame(session: AgentSession, version: string, trust: ReadyFrame["trust"]): ReadyFrame {
  const { sessionId, sessionFile } = session;
  return {
    type: "ready",
    version,
    protocolVersion: PROTOCOL_VERSION,
    supportedProtocolVersions: [PROTOCOL_VERSION],
    sessionId,
    ...(sessionFile !== undefined && { sessionFile }),
    trust,
    sandbox: session.sandbox.status,
    capabilities: Object.keys(SERVER_CAPABILITIES),
  };
}

/** Serializes the one response that is too deep for JSON.stringify. It is already rewritten for the dialect. */
function withTreeText(frame: Frame): Frame {
  const { command, success, data } = frame as Frame & { command?: string; success?: boolean; data?: unknown };
  if (command !== "get_tree" || !success) return frame;
  const { tree, ...rest } = data as { tree: SessionTreeNode[] };
  return { ...frame, data: { tree: treeJson(tree), ...rest } } as Frame;
}
