/** A command on its way to the worker. */
export interface CommandOnItsWay {
  command: string;
  key: string | undefined;
  fields: Readonly<Record<string, unknown>>;
}

/**
 * What every line of a worker passes in order, before any host hears of it. A log beside the session file holds lines back here
 * until what came before them is written: by their order, not by their type.
 */
export interface LineGate {
  /** What a new worker is asked before all else; the answers are the gate's. */
  introduction(): string[];
  /** A host's command goes to the worker under this id. */
  sending(id: string, command: CommandOnItsWay): void;
  push(line: string): void;
  /** Behind all lines so far. */
  behind(action: () => void): void;
  /** The worker has died, and with it what it was doing. */
  workerDied(): void;
  /** A promise while so much is held that no more should be read. */
  backPressure(): Promise<void> | undefined;
  /** Resolves when nothing is held any more, or will never go on. */
  drained(): Promise<void>;
}

/** What a gate may do with its session. */
export interface GatedSession {
  pass(line: string): void;
  /** An event of the gateway's own. */
  tell(type: string, fields: Record<string, unknown>): void;
  /** Ends what the worker does, cleanly. */
  abort(): void;
  /** Another node writes the session now: what is held is not told any more. */
  moved(): void;
}

/** Makes the gate of a session. */
export type OpenGate = (session: GatedSession) => LineGate;

const NO_LINES: string[] = [];
const AT_ONCE = Promise.resolve();

/** Session files: what the engine tells, it has written. */
export const openGate: OpenGate = ({ pass }) => ({
  introduction: () => NO_LINES,
  sending: () => {},
  push: pass,
  behind: (action) => action(),
  workerDied: () => {},
  backPressure: () => undefined,
  drained: () => AT_ONCE,
});
