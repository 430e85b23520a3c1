import type { AgentMessage, Tool } from "@pintle/agent";
import { cutText } from "@pintle/ai";
import { LATE_TOOL_NAME, SEARCH_TOOL_NAME } from "./late-tool-names.ts";

const MAX_LINE = 60;
/** What the list of all tools may cost; with more of them it says less of each. */
const MAX_LIST = 32_000;
/** What the tools of one server have in common. */
const SERVER_PREFIX = /^mcp__.*?__/;

/** Which tools can be searched for, told in the conversation itself: once each. */
export class DeferredList {
  #told: ReadonlySet<string> = new Set();

  /** What the model has to hear of these; undefined when it knows them. `messages` is the conversation so far. */
  about(tools: readonly Tool[], messages: readonly AgentMessage[], now: number): AgentMessage | undefined {
    const news = tools.filter(({ name }) => !this.#told.has(name));
    if (news.length === 0) return undefined;
    this.#told = new Set([...this.#told, ...news.map(({ name }) => name)]);
    const content = listText(news);
    // A session that was opened again has it.
    if (messages.some((message) => message.role === "developer" && message.content === content)) return undefined;
    return { role: "developer", content, attribution: "agent", timestamp: now };
  }

  /** The conversation is another one. */
  forget(): void {
    this.#told = new Set();
  }
}

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

/** The first sentence, as far as it goes. */
function lineOf({ description }: Tool): string {
  const [sentence = ""] = description.trim().split(/(?<=[.!?])\s|\n/);
  return cutText(sentence.replace(/\s+/g, " "), MAX_LINE);
}
