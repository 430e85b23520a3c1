import { ONLY_IF_NAMED } from "./event-choice.ts";
import type { FrameHold } from "./frame-hold.ts";
import type { HostAttachments } from "./host-attachments.ts";
import type { HostToolsUnion } from "./host-tools.ts";
import { isSuccess } from "./sent-commands.ts";
import type { SessionOutput } from "./session-output.ts";
import { dataIn } from "./snapshot.ts";
import type { UndeliveredEntries } from "./undelivered-entries.ts";
import type { WorkerCommands } from "./worker-commands.ts";

export interface IntroductionParts {
  hold: FrameHold;
  undelivered: UndeliveredEntries;
  output: SessionOutput;
  commands: WorkerCommands;
  attachments: HostAttachments;
  tools: HostToolsUnion;
  /** Sent to every worker of the session. */
  startCommands: readonly Record<string, unknown>[];
}

/** Returns the frames that a new worker receives before the first command. */
export function introduction(parts: IntroductionParts): string[] {
  const { hold, undelivered, attachments, tools, commands, startCommands } = parts;
  const { declared } = attachments;
  return [
    ...commands.leaseLines(),
    ...hold.introduction(),
    ...(undelivered.isExpected ? [questionForUntold(parts)] : []),
    JSON.stringify({ type: "set_update_mode", mode: "delta" }),
    JSON.stringify({ type: "set_event_filter", events: ["*", ...ONLY_IF_NAMED] }),
    ...startCommands.map((command) => JSON.stringify(command)),
    ...commands.repeated.lines(),
    ...(Object.keys(declared).length > 0 ? [JSON.stringify({ type: "set_host_capabilities", ...declared })] : []),
    ...(tools.isEmpty ? [] : [JSON.stringify({ type: "set_host_tools", tools: tools.union() })]),
  ];
}

function questionForUntold({ undelivered, commands, output }: IntroductionParts): string {
  const onResponse = (tail: string) => {
    if (!isSuccess(tail)) return;
    for (const { type, line } of undelivered.framesFor(dataIn(tail))) output.emit(type, line);
  };
  const id = commands.sent.add({ command: "get_entries", from: "gateway", onResponse });
  return JSON.stringify({ ...undelivered.question(), id });
}
