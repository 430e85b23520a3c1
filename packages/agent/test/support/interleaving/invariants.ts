import type { AgentEvent } from "../../../src/events.ts";
import { grammarViolations } from "../../../src/testing/event-grammar.ts";
import { type Chronicle, writeDown } from "./chronicle.ts";
import type { World } from "./world.ts";

/** What must hold after every run. */
export function brokenInvariants(world: World): string[] {
  return [
    ...world.chronicle.faults,
    ...grammarViolations(world.chronicle.events, { expectSettled: false }),
    ...lostMessages(world),
    ...misorderedMessages(world),
    ...changedEvents(world),
    ...lostResults(world),
    ...conversationFaults(world),
    ...startFaults(world),
    ...deliveryFaults(world),
    ...halfCalls(world),
  ];
}

function ofType<T extends AgentEvent["type"]>({ events }: Chronicle, type: T): Extract<AgentEvent, { type: T }>[] {
  return events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);
}

/** Every message was delivered once, still waits, was cleared, or was refused. */
function lostMessages(world: World): string[] {
  const ended = ofType(world.chronicle, "message_end").map(({ message }) => message);
  const { queue } = world.agent;
  const waiting = [...queue.texts("steering"), ...queue.texts("followUp")];
  return world.chronicle.accepted.flatMap(({ message, via, isCleared, isRefused }) => {
    const delivered = ended.filter((other) => other === message).length;
    const inQueue = waiting.filter((text) => text === message.content).length;
    const fates = delivered + inQueue + (isCleared ? 1 : 0) + (isRefused ? 1 : 0);
    const isFine = via === "step" ? fates <= 1 : fates === 1;
    return isFine
      ? []
      : [`${via} ${String(message.content)}: delivered ${delivered}, waiting ${inQueue}, cleared ${isCleared}`];
  });
}

/** Each queue is first in, first out. */
function misorderedMessages(world: World): string[] {
  const ended = ofType(world.chronicle, "message_end").map(({ message }) => message);
  return (["steer", "followUp"] as const).flatMap((via) => {
    const places = world.chronicle.accepted
      .filter((accepted) => accepted.via === via)
      .map(({ message }) => ended.indexOf(message))
      .filter((place) => place >= 0);
    const isSorted = places.every((place, index) => index === 0 || place > (places[index - 1] as number));
    return isSorted ? [] : [`${via} messages were delivered out of order`];
  });
}

/** No event changes after it was emitted, least of all snapshots of a stream. */
function changedEvents({ chronicle: { events, written } }: World): string[] {
  return events.flatMap((event, index) =>
    writeDown(event) === written[index] ? [] : [`event ${index + 1} ${event.type} was changed after it was emitted`],
  );
}

/** A call that returned in time keeps its result; events are in the order of completion. */
function lostResults(world: World): string[] {
  const ends = ofType(world.chronicle, "tool_execution_end");
  const text = ({ result }: (typeof ends)[number]) => JSON.stringify(result.content);
  const lost = world.chronicle.returned.flatMap(({ execution, result, isKept }) => {
    if (!result || !isKept) return [];
    const end = ends.find(({ toolCallId }) => toolCallId === execution.id);
    return end && text(end) === JSON.stringify(result.content) ? [] : [`${execution.id} lost its result`];
  });
  if (world.plan.hooks.toolResult) return lost; // there, the hook decides when a call is complete
  const inTime = world.chronicle.returned.filter(
    ({ execution }) => world.chronicle.runs[execution.runIndex]?.isAborted === false,
  );
  const completed = inTime.map(({ execution }) => execution.id);
  const told = ends.map(({ toolCallId }) => toolCallId).filter((id) => completed.includes(id));
  return told.join() === completed.join() ? lost : [...lost, `completed ${completed}, told ${told}`];
}

/** The conversation is what the runs have added, in context order. */
function conversationFaults(world: World): string[] {
  const added = ofType(world.chronicle, "agent_end").flatMap(({ messages }) => messages);
  const { messages } = world.agent;
  const isSame = added.length === messages.length && added.every((message, index) => message === messages[index]);
  return isSame ? [] : [`the conversation has ${messages.length} messages, the runs have added ${added.length}`];
}

/** Calls with the same key, and exclusive calls, start in the order of the request. */
function startFaults(world: World): string[] {
  const turns = ofType(world.chronicle, "turn_end");
  return turns.flatMap(({ message }) => {
    const calls = message.content.flatMap((block) => (block.type === "toolCall" ? [block] : []));
    const started = world.chronicle.executions.filter(({ id }) => calls.some((call) => call.id === id));
    if (message.stopReason !== "toolUse" && started.length > 0) return [`a call of a ${message.stopReason} answer ran`];
    const place = (id: string) => calls.findIndex((call) => call.id === id);
    return started.flatMap((one, index) =>
      started
        .slice(index + 1)
        .filter(
          (later) =>
            place(later.id) < place(one.id) &&
            ((one.key !== undefined && one.key === later.key) || [one.tool, later.tool].includes("exclusive")),
        )
        .map((later) => `${one.id} started before ${later.id}`),
    );
  });
}

/** One message per turn while no queue was ever in mode `all`; follow-ups only if nothing is left to do. */
function deliveryFaults(world: World): string[] {
  const faults: string[] = [];
  const usesAll = world.plan.steps.some(({ action }) => {
    const input = action.do === "react" ? action.input : action;
    return "mode" in input && input.mode === "all";
  });
  const viaOf = new Map<unknown, string>(world.chronicle.accepted.map(({ message, via }) => [message, via]));
  let lastTurn: Extract<AgentEvent, { type: "turn_end" }> | undefined;
  let taken = 0;
  for (const event of world.chronicle.events) {
    if (event.type === "agent_start") lastTurn = undefined;
    if (event.type === "turn_start") taken = 0;
    if (event.type === "turn_end") lastTurn = event;
    if (event.type !== "message_start") continue;
    const via = viaOf.get(event.message);
    // A run that continues with a follow-up has it as its prompt; steering may join it.
    if (via === "steer" || (via === "followUp" && lastTurn)) taken += 1;
    if (taken > 1 && !usesAll) faults.push(`${taken} waiting messages in one turn`);
    const isOpen = lastTurn?.message.content.some((block) => block.type === "toolCall" && block.name !== "final");
    if (via === "followUp" && isOpen) faults.push("a follow-up was delivered while results waited for the model");
  }
  return faults;
}

/** A call that did not stream to its end is in no message. */
function halfCalls(world: World): string[] {
  const complete = new Set(
    ofType(world.chronicle, "message_update").flatMap(({ assistantMessageEvent: update }) =>
      update.type === "toolcall_end" ? [update.toolCall.id] : [],
    ),
  );
  return ofType(world.chronicle, "turn_end").flatMap(({ message }) =>
    message.content.flatMap((block) =>
      block.type === "toolCall" && !complete.has(block.id) ? [`half a call in a message: ${block.id}`] : [],
    ),
  );
}
