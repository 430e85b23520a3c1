import type { AgentMessage, Tool } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import { Type } from "@pintle/ai/type";
import { LATE_TOOL_NAME } from "./late-tool-names.ts";

/**
 * Declared from the first request on, so that tools which come later, or are too many, can be called without being declared. A call of it is a
 * call of the tool that it names: hooks, permissions and hosts see that one.
 */
export function lateToolCall(find: (name: string) => Tool | undefined): Tool {
  return {
    name: LATE_TOOL_NAME,
    label: "Late tool",
    description: "Call a tool that a message has announced or a search has found.",
    parameters: Type.Object({ name: Type.String(), arguments: Type.Unsafe({ type: "object" }) }),
    forward(args) {
      const tool = typeof args.name === "string" && args.name !== LATE_TOOL_NAME ? find(args.name) : undefined;
      return tool && { tool, args: isRecord(args.arguments) ? args.arguments : {} };
    },
    async execute(args) {
      throw new Error(`There is no tool ${String((args as { name?: unknown }).name)}.`);
    },
  };
}

/** Which tools can be called that way, told in the conversation itself: once each, and again when they are described otherwise. */
export class LateToolNews {
  #told = new Map<string, string>();

  /** What the model has to hear of these; undefined when it knows them. */
  about(tools: readonly Tool[], now: number): AgentMessage | undefined {
    const texts = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
    const news = texts.filter((text, index) => this.#told.get(tools[index]?.name ?? "") !== text);
    if (news.length === 0) return undefined;
    for (const [index, { name }] of tools.entries()) this.#told.set(name, texts[index] ?? "");
    const content = `From now on you have these tools as well. Call them with ${LATE_TOOL_NAME}:\n\n${news.join("\n")}`;
    return { role: "developer", content, attribution: "agent", timestamp: now };
  }

  /** The conversation is another one. */
  forget(): void {
    this.#told = new Map();
  }
}
