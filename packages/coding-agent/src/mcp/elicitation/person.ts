import type { SessionDialogs } from "../../tools/session-dialogs.ts";

export type PersonDialogs = Pick<SessionDialogs, "select" | "confirm" | "input">;

/** What a server can use to reach the user. */
export interface Person {
  /** Undefined if there is no user to ask. */
  dialogs(): PersonDialogs | undefined;
  /** The signal of the active run: questions end with it. */
  runSignal(): AbortSignal | undefined;
  /** Shows information that needs no action. */
  inform(message: string): void;
}
