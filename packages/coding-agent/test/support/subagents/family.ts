import type { AgentMessage } from "@pintle/agent";
import { type ToolResultMessage, textsOf } from "@pintle/ai";
import { type ScriptedAnswer, type ScriptStep, scriptedModel } from "@pintle/ai/testing";
import type { AgentSessionEvent } from "@pintle/wire";
import { createAgentSession } from "../../../src/sdk/create-session.ts";
import type { CreateAgentSessionOptions } from "../../../src/sdk/options.ts";
import type { TaskDetails } from "../../../src/tools/task/task-details.ts";
import { freshPlace, type Place } from "../session/test-session.ts";

type Context = Parameters<Extract<ScriptedAnswer, (...args: never[]) => unknown>>[0];

/** A summary of a request: its first user message, the number of answers it contains, and its newest tool results. */
export interface Asked {
  task: string;
  turn: number;
  results: string[];
  context: Context;
}

export type Answer = (asked: Asked) => readonly ScriptStep[];

/** A session whose model, and those of its subagents, answer according to the request. */
export async function startFamily(
  answer: Answer,
  {
    place = freshPlace({ contextWindow: 200_000 }),
    ...options
  }: Partial<CreateAgentSessionOptions> & { place?: Place } = {},
) {
  const each: ScriptedAnswer = (context) => answer(askedBy(context));
  const { stream, requests } = scriptedModel(Array.from({ length: 500 }, () => each));
  const { session } = await createAgentSession({
    cwd: place.cwd,
    env: { PINTLE_HOME: place.home, HOME: place.home },
    stream,
    settings: { "permissions.mode": "full" },
    ...options,
  });
  const events: AgentSessionEvent[] = [];
  session.subscribe((event) => events.push(event));
  return { ...place, place, session, events, requests };
}

function askedBy(context: Context): Asked {
  const { messages } = context;
  const first = messages.find(({ role }) => role === "user");
  const results: string[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "toolResult") break;
    results.unshift(textsOf(message.content).join("\n"));
  }
  return {
    task: first ? textOf(first) : "",
    turn: messages.filter(({ role }) => role === "assistant").length,
    results,
    context,
  };
}

export function textOf({ content }: { content: AgentMessage extends never ? never : unknown }): string {
  return typeof content === "string" ? content : textsOf(content as never).join("");
}

/** The result of the last `task` call of a conversation. */
export function taskResult(messages: readonly AgentMessage[]): ToolResultMessage & { details: TaskDetails } {
  const found = messages.findLast((message) => message.role === "toolResult" && message.toolName === "task");
  if (found?.role !== "toolResult") throw new Error("there is no result of task");
  return found as ToolResultMessage & { details: TaskDetails };
}

export const task = (args: object) => ({ call: "task", args: args as Record<string, unknown> });
