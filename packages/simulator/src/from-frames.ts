import { type Frame, parseFrame, type Scenario, type Step } from "./scenario.ts";

/** A line of a conversation between a host and an agent, with its time if that is known. */
export interface RecordedLine {
  way: "host" | "agent";
  text: string;
  atMs?: number;
}

/** Range of pauses to keep: shorter ones come from the machine, longer ones are shortened. */
const SHORTEST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 5000;

/**
 * Creates a scenario that plays the agent's side of a real conversation. The host's commands become expectations by
 * type, and where the agent named a command's id, it will name the id of the command that replaces it.
 */
export function scenarioFrom(lines: readonly RecordedLine[], name = "recorded"): Scenario {
  const steps: Step[] = [];
  const names = new Map<unknown, string>();
  let last: number | undefined;
  for (const { way, text, atMs } of lines) {
    const frame = parseFrame(text);
    if (way === "host") {
      if (!frame) continue; // The host is not expected to repeat its mistakes.
      const as = `host-${names.size + 1}`;
      if (frame.id !== undefined) names.set(frame.id, as);
      steps.push({ expect: { type: frame.type }, ...(frame.id !== undefined && { as }) });
    } else {
      const pause = last === undefined || atMs === undefined ? 0 : Math.min(atMs - last, LONGEST_PAUSE_MS);
      if (pause >= SHORTEST_PAUSE_MS) steps.push({ wait: pause });
      steps.push(frame ? { send: withNames(frame, names) } : { raw: `${text}\n` });
    }
    last = atMs ?? last;
  }
  return { name, about: "recorded from a real conversation", host: "behaves as recorded", steps };
}

/** Only a top-level id belongs to a command, because questions have their own ids. */
function withNames(frame: Frame, names: ReadonlyMap<unknown, string>): Frame {
  const isAnswer = frame.type === "response" || frame.type === "prompt_result";
  const as = isAnswer ? names.get(frame.id) : undefined;
  return as === undefined ? frame : { ...frame, id: `$${as}.id` };
}
