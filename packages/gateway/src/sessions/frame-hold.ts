/** A command that is being sent to the worker. */
export interface OutgoingCommand {
  command: string;
  key: string | undefined;
  fields: Readonly<Record<string, unknown>>;
}

/**
 * Receives every line of a worker, in order, before any host does. If the session has a log in addition to its file, the hold
 * keeps each line until everything before it is committed.
 */
export interface FrameHold {
  /** Returns the commands that a new worker receives first. The hold consumes their responses. */
  introduction(): string[];
  /** Called before a command is sent to the worker under this id. */
  sending(id: string, command: OutgoingCommand): void;
  push(line: string): void;
  /** Runs the action after all lines received so far have been passed on. */
  afterHeld(action: () => void): void;
  /** Called when the worker has died while it was working. */
  workerDied(): void;
  /** Returns a promise while so much is held that the worker should not be read. */
  backPressure(): Promise<void> | undefined;
  /** Resolves when nothing is held, or when the held lines will never be released. */
  drained(): Promise<void>;
}

/** What a hold may do with its session. */
export interface HoldTarget {
  pass(line: string): void;
  /** Emits an event of the gateway. */
  emit(type: string, fields: Record<string, unknown>): void;
  /** Aborts what the worker is doing. */
  abort(): void;
  /** Called when another node has taken over the session. Held lines are not emitted. */
  moved(): void;
}

/** Creates the hold of a session. */
export type OpenHold = (session: HoldTarget) => FrameHold;

const NO_LINES: string[] = [];
const AT_ONCE = Promise.resolve();

/** Passes every line through, for a session that is only a file: an engine reports only what it has already written. */
export const passThrough: OpenHold = ({ pass }) => ({
  introduction: () => NO_LINES,
  sending: () => {},
  push: pass,
  afterHeld: (action) => action(),
  workerDied: () => {},
  backPressure: () => undefined,
  drained: () => AT_ONCE,
});
