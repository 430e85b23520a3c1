import type { CommandName, Params, PromptResultFrame, Result } from "@pintle/wire";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { KnownJson } from "../../frames/known-json.ts";
import type { UpdateMode } from "../../frames/update-json.ts";
import type { HostChannel } from "../host/host-channel.ts";

/** What an abort ends: runs and the prompts waiting for one, or the user's own commands. */
export type Abortable = "runs" | "bash";

/** The state of the connected host, which is not part of the session. */
export interface Connection {
  host: HostChannel;
  setUpdateMode(mode: UpdateMode): void;
  /** Returns the version that is used from now on. */
  negotiate(version: number | undefined): 1 | 2;
  /** Returns the resulting filter. */
  setEventFilter(events: readonly string[] | null): string[] | null;
  /** Whether the host wants the output of its commands as they run. */
  streamsBash(): boolean;
  /** Of this program. */
  version: string;
  /**
   * When a prompt is answered: immediately, with a possible second, failing response, or once, when its run is about to
   * start.
   */
  promptAnswer: "at-once" | "after-preflight";
}

/** How a prompt without a run ended. */
export type PromptEnding = Pick<PromptResultFrame, "status" | "endedBy" | "error">;

/** A command while it is being handled. */
export interface CommandCall {
  /** Marks every command received before this one as aborted, including those that have not started. */
  abortEarlier(what: Abortable): void;
  /** Whether an abort arrived after this command and before it started. */
  isAborted(what: Abortable): boolean;
  /** Resolves when the user's own commands received before this one have ended. Undefined if none is active. */
  earlierBash(): Promise<void> | undefined;
  /** Continues after the command was answered as accepted. If it rejects, a second response explains the failure. */
  failLate(outcome: Promise<unknown>): void;
  /** Answers the command now, before anything else is sent. The handler's result then only ends its lane. */
  answer(data?: object): void;
  /** Sends the command's output, for a host that wants it as it runs. Returns a promise while the host is far behind. */
  sendOutput(text: string): Promise<void> | undefined;
  /** The prompt has a run, either its own or the active one, which determines the prompt's end. */
  joinRun(): void;
  /** The run that the prompt joined has ended. If it never started, nothing else reports the end of the prompt. */
  leaveRun(): void;
  /** The prompt was handled without a run, so the host need not wait for one. */
  endWithoutRun(ending: PromptEnding): void;
  connection: Connection;
}

/** The data of a response. A field may be JSON that was serialized earlier. */
type Sent<T> = T extends object ? { [K in keyof T]: T[K] | KnownJson } : T;

/**
 * Handles a command. Throws SessionError for expected failures; any other error is a bug. A value that is not a promise is
 * sent immediately.
 */
export type Handler<N extends CommandName> = (
  session: AgentSession,
  params: Params<N>,
  call: CommandCall,
) => Sent<Result<N>> | Promise<Sent<Result<N>>>;
