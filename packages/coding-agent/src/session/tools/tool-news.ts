import type { AgentMessage, Tool } from "@pintle/agent";
import { cutText } from "@pintle/ai";
import { LATE_TOOL_NAME, SEARCH_TOOL_NAME } from "./late-tools.ts";

/** Describes announced tools to the model: each once, and again if its description changes. */
export class LateToolNews {
  #described = new Map<string, string>();

  /** Returns undefined if the model knows these tools. */
  about(tools: readonly Tool[], now: number): AgentMessage | undefined {
    const texts = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters }));
    const news = texts.filter((text, index) => this.#described.get(tools[index]?.name ?? "") !== text);
    if (news.length === 0) return undefined;
    for (const [index, { name }] of tools.entries()) this.#described.set(name, texts[index] ?? "");
    const content = `From now on you have these tools as well. Call them with ${LATE_TOOL_NAME}:\n\n${news.join("\n")}`;
    return { role: "developer", content, attribution: "agent", timestamp: now };
  }

  /** Called when the conversation has changed. */
  forget(): void {
    this.#described = new Map();
  }
}

/** Lists deferred tools to the model: each once. */
export class DeferredToolNews {
  #listed: ReadonlySet<string> = new Set();

  /** Returns undefined if the model knows these tools. `messages` is the conversation so far. */
  about(tools: readonly Tool[], messages: readonly AgentMessage[], now: number): AgentMessage | undefined {
    const news = tools.filter(({ name }) => !this.#listed.has(name));
    if (news.length === 0) return undefined;
    this.#listed = new Set([...this.#listed, ...news.map(({ name }) => name)]);
    const content = listText(news);
    // A resumed session already contains the message.
    if (messages.some((message) => message.role === "developer" && message.content === content)) return undefined;
    return { role: "developer", content, attribution: "agent", timestamp: now };
  }

  /** Called when the conversation has changed. */
  forget(): void {
    this.#listed = new Set();
  }
}

const MAX_LINE = 60;
/** The longest list of all tools, in characters. The more tools it has, the less it describes each. */
const MAX_LIST = 32_000;
/** The prefix that the tools of one server share. */
const SERVER_PREFIX = /^mcp__.*?__/;

export function listText(tools: readonly Tool[]): string {
  const groups = Map.groupBy(tools, ({ name }) => SERVER_PREFIX.exec(name)?.[0] ?? "");
  const lists = [withLines, withNames, withCounts].map((write) => [...groups].map(([prefix, of]) => write(prefix, of)));
  const fitting = lists.find((parts) => parts.join("\n\n").length <= MAX_LIST) ?? lists.at(-1) ?? [];
  const head = `There are further tools. ${SEARCH_TOOL_NAME} gives their schemas, ${LATE_TOOL_NAME} calls them.`;
  return cutText(`${head}\n\n${fitting.join("\n\n")}`, MAX_LIST);
}

const headOf = (prefix: string) => (prefix === "" ? "" : `Names begin with ${prefix}\n`);

function withLines(prefix: string, tools: readonly Tool[]): string {
  return headOf(prefix) + tools.map((tool) => `${tool.name.slice(prefix.length)}: ${lineOf(tool)}`).join("\n");
}

function withNames(prefix: string, tools: readonly Tool[]): string {
  return headOf(prefix) + tools.map(({ name }) => name.slice(prefix.length)).join(", ");
}

function withCounts(prefix: string, tools: readonly Tool[]): string {
  return `${prefix}… (${tools.length} tools)`;
}

/** Returns the first sentence, cut if it is long. */
function lineOf({ description }: Tool): string {
  const [sentence = ""] = description.trim().split(/(?<=[.!?])\s|\n/);
  return cutText(sentence.replace(/\s+/g, " "), MAX_LINE);
}
