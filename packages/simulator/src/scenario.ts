import { isRecord } from "@pintle/ai";

export type Frame = Record<string, unknown>;

/** Returns undefined if the line is not a JSON object. */
export function parseFrame(line: string): Frame | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The agent's next action. `$name.field` in a frame is replaced by a field of the host's frame that an `expect` has
 * kept under that name, `$time` by the milliseconds since the epoch.
 */
export type Step =
  /**
   * Writes a frame, `times` times, `everyMs` apart. `fill` puts a string of that many characters into the field at
   * `path`.
   */
  | { send: Frame; times?: number; everyMs?: number; fill?: { path: string; characters: number } }
  /** Writes raw text without a line end: half a frame, two at once, something that is not JSON. */
  | { raw: string }
  /** Waits for a frame of the host that has at least these fields. */
  | { expect: Frame; as?: string; withinMs?: number }
  /** Responds to a kept command. */
  | { respond: string; data?: unknown; error?: string; code?: string }
  | { wait: number }
  | { repeat: number; steps: Step[] }
  /** Ends the process immediately, with this code or signal, after writing this to stderr. */
  | { crash: { code?: number; signal?: string; stderr?: string } }
  /** Gateway only: drops every connection; the session continues. `restart`: as if the server had been restarted. */
  | { disconnect: true | { restart: true } }
  /** Gateway only: waits until a host is attached again. */
  | { attached: true; withinMs?: number }
  /** Gateway only: discards stored frames; hosts that reconnect get a snapshot. */
  | { forget: true }
  /** Stops reading and answering, and does not end until it is killed. */
  | { hang: true };

export interface Scenario {
  name: string;
  about: string;
  /** What hosts must do in this scenario, in one sentence. */
  host: string;
  /**
   * The data of commands that no step waits for; without an entry they succeed without data. `null`: they get no
   * answer.
   */
  answers?: Record<string, Frame | null>;
  steps: Step[];
}

const KINDS = [
  "send",
  "raw",
  "expect",
  "respond",
  "wait",
  "repeat",
  "crash",
  "hang",
  "disconnect",
  "attached",
  "forget",
] as const;
type Kind = (typeof KINDS)[number];

/** Steps that require a gateway. */
const OF_GATEWAY: ReadonlySet<string | undefined> = new Set<Kind>(["disconnect", "attached", "forget"]);

/** Returns whether it cannot be played over stdin and stdout. */
export function needsGateway(steps: readonly Step[]): boolean {
  return steps.some((step) => OF_GATEWAY.has(kindOf(step)) || ("repeat" in step && needsGateway(step.steps)));
}

/** The key that determines what a step does. */
export function kindOf(step: Frame): Kind | undefined {
  const kinds = KINDS.filter((kind) => kind in step);
  return kinds.length === 1 ? kinds[0] : undefined;
}

const FIELD: Record<Kind, (value: unknown) => boolean> = {
  send: isRecord,
  raw: (value) => typeof value === "string",
  expect: isRecord,
  respond: (value) => typeof value === "string",
  wait: isCount,
  repeat: isCount,
  crash: isRecord,
  hang: (value) => value === true,
  disconnect: (value) => value === true || (isRecord(value) && value.restart === true),
  attached: (value) => value === true,
  forget: (value) => value === true,
};

/** Throws an error with the location of the first mistake. */
export function readScenario(value: unknown): Scenario {
  if (!isRecord(value)) throw new Error("a scenario is an object with steps");
  const { name = "scenario", about = "", host = "", answers, steps } = value;
  if (answers !== undefined && !isRecord(answers)) throw new Error("answers must be an object");
  checkSteps(steps, "steps");
  return {
    name: String(name),
    about: String(about),
    host: String(host),
    ...(answers && { answers }),
    steps,
  } as Scenario;
}

function checkSteps(steps: unknown, where: string): asserts steps is Step[] {
  if (!Array.isArray(steps)) throw new Error(`${where} must be a list`);
  for (const [index, step] of steps.entries()) {
    const place = `${where}[${index}]`;
    if (!isRecord(step)) throw new Error(`${place} must be an object`);
    const kind = kindOf(step);
    if (!kind) throw new Error(`${place} must have exactly one of ${KINDS.join(", ")}`);
    if (!FIELD[kind](step[kind])) throw new Error(`${place}.${kind} has a wrong value`);
    if (kind === "repeat") checkSteps(step.steps, `${place}.steps`);
  }
}

function isCount(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
