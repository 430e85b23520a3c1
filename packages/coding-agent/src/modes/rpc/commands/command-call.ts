import type { CommandName, Params, PromptResultFrame, Result } from "@pintle/wire";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { KnownJson } from "../../frames/known-json.ts";
import type { UpdateMode } from "../../frames/update-json.ts";
import type { HostChannel } from "../host/host-channel.ts";

/** What an abort covers: runs and the prompts that wait for one, or the user's own commands. */
export type Abortable = "runs" | "bash";

/** What belongs to the host at the other end and not to the session. */
export interface Connection {
  host: HostChannel;
  setUpdateMode(mode: UpdateMode): void;
  /** Gives the version that is spoken from now on. */
  negotiate(version: number | undefined): 1 | 2;
  /** Gives the choice as it is then. */
  setEventFilter(events: readonly string[] | null): string[] | null;
  /** Whether the host wants the output of its commands while they run. */
  streamsBash(): boolean;
  /** Of this program. */
  version: string;
  /** When a prompt is answered: at once, with a late failure possible, or once, when its run is about to start. */
  promptAnswer: "at-once" | "after-preflight";
}

/** How a prompt ended that had no run. */
export type PromptEnding = Pick<PromptResultFrame, "status" | "endedBy" | "error">;

/** One command while it is handled. */
export interface CommandCall {
  /** Marks every command received before this one as aborted, also those that have not started. */
  abortEarlier(what: Abortable): void;
  /** An abort came after this command and before it started. */
  isAborted(what: Abortable): boolean;
  /** Resolves when the user's own commands that were received before this one are over; undefined when none is open. */
  earlierBash(): Promise<void> | undefined;
  /** The command is answered as accepted; if this rejects, a second answer says why nothing came of it. */
  failLate(outcome: Promise<unknown>): void;
  /** Answers the command now, before anything else is sent; what the handler gives afterwards only matters to its lane. */
  answer(data?: object): void;
  /** What the command has written, for a host that wants it while it runs. A promise while the host is far behind. */
  tellOutput(text: string): Promise<void> | undefined;
  /** The prompt has a run, its own or the active one; its end is the end of the prompt. */
  joinRun(): void;
  /** The run that the prompt had joined is over. If it never began, nothing else tells the end of the prompt. */
  leaveRun(): void;
  /** The prompt was dealt with and no run comes of it: the host need not wait for one. */
  endWithoutRun(ending: PromptEnding): void;
  connection: Connection;
}

/** The data of a response. A field may be JSON that was made before. */
type Sent<T> = T extends object ? { [K in keyof T]: T[K] | KnownJson } : T;

/** Throws SessionError for foreseen failures; any other error is a bug. A plain value is answered at once. */
export type Handler<N extends CommandName> = (
  session: AgentSession,
  params: Params<N>,
  call: CommandCall,
) => Sent<Result<N>> | Promise<Sent<Result<N>>>;
