import type { SessionDialogs } from "../../tools/session-dialogs.ts";

export type PersonDialogs = Pick<SessionDialogs, "select" | "confirm" | "input">;

/** Whom a server may ask something. */
export interface Person {
  /** Undefined if there is no user to ask. */
  dialogs(): PersonDialogs | undefined;
  /** Of the run that is active: questions end with it. */
  runSignal(): AbortSignal | undefined;
  /** Something that a person should know and need not act on. */
  inform(message: string): void;
}
