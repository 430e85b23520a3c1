import type { AgentMessage } from "@pintle/agent";
import { ABORTED_TEXT } from "@pintle/ai";
import type { AgentSession } from "../../session/agent-session.ts";
import { SessionError } from "../../session/session-error.ts";
import type { CommandName, Params, Result } from "./rpc-types.ts";
import { type StateSource, toSessionState } from "./session-state.ts";

/** What the commands use of a session. */
export type CommandSession = StateSource & Pick<AgentSession, "submit" | "abort">;

/** One command while it is handled. */
export interface CommandCall {
  /** Marks every command received before this one as aborted, also those that have not started. */
  abortEarlier(): void;
  /** An `abort` came after this command and before it started. */
  isAborted(): boolean;
  /** The command is answered as accepted; if this rejects, a second answer says why nothing came of it. */
  failLate(outcome: Promise<unknown>): void;
}

/** Throws SessionError for foreseen failures; any other error is a bug. A plain value is answered at once. */
export type Handler<N extends CommandName, S = CommandSession> = (
  session: S,
  params: Params<N>,
  call: CommandCall,
) => Result<N> | Promise<Result<N>>;

export const handlers: { [N in CommandName]: Handler<N> } = {
  prompt(session, { message, images, streamingBehavior }, call) {
    if (call.isAborted()) call.failLate(Promise.reject(new SessionError("cancelled", ABORTED_TEXT)));
    else call.failLate(session.submit({ text: message, images, streamingBehavior }).started);
  },
  abort(session, _params, call) {
    call.abortEarlier();
    return session.abort();
  },
  get_state: (session) => toSessionState(session),
  get_messages: (session) => ({ messages: session.messages as AgentMessage[] }),
};
