import type { AgentMessage } from "@pintle/agent";
import type { InputContent } from "@pintle/ai";

const MAX_RESULT_CHARACTERS = 2_000;

type Rows = { [R in AgentMessage["role"]]: (message: Extract<AgentMessage, { role: R }>) => string[] };

/** One row per role. Users' and assistants' own words stay whole, what tools gave or were given is cut. */
const rows: Rows = {
  user: ({ content }) => [labelled("User", contentText(content))],
  developer: ({ content }) => [labelled("Developer", contentText(content))],
  custom: ({ customType, content }) => [labelled(`System note ${cleanLabel(customType)}`, contentText(content))],
  assistant: ({ content }) => {
    const calls = content.flatMap((block) =>
      block.type === "toolCall" ? [callText(block.name, block.arguments)] : [],
    );
    const words = content.flatMap((block) => {
      if (block.type === "thinking") return [labelled("Assistant thinking", block.thinking)];
      return block.type === "text" ? [labelled("Assistant", block.text)] : [];
    });
    return [...words, labelled("Assistant tool calls", calls.join("; "))];
  },
  toolResult: ({ toolName, content, isError }) => [
    labelled(`Tool ${isError ? "error" : "result"} ${cleanLabel(toolName)}`, cut(contentText(content))),
  ],
  bashExecution: ({ command, output, exitCode, excludeFromContext }) => {
    if (excludeFromContext) return [];
    const end = exitCode === undefined || exitCode === 0 ? "" : `\n(exit code ${exitCode})`;
    return [labelled("User ran a command", `${command}\n${cut(output)}${end}`)];
  },
  branchSummary: ({ summary }) => [labelled("System note other branch", summary)],
  compactionSummary: ({ summary }) => [labelled("System note earlier summary", summary)],
  fileMention: ({ files }) =>
    files.map(({ path, content, image }) =>
      labelled("User named a file", `${path}\n${image ? imageName(image.mimeType) : cut(content)}`),
    ),
};

/** A message as labelled text for a reader who must not take it for the conversation itself. Empty: it says nothing. */
export function messageText(message: AgentMessage): string {
  const row = rows[message.role] as ((message: AgentMessage) => string[]) | undefined;
  return (row?.(message) ?? []).filter((text) => text !== "").join("\n\n");
}

/** States how much is missing. Files of other programs may contain no text at all. */
function cut(text = ""): string {
  const missing = text.length - MAX_RESULT_CHARACTERS;
  if (missing <= 0) return text;
  return `${text.slice(0, MAX_RESULT_CHARACTERS).toWellFormed()}\n[${missing} more characters were cut]`;
}

function callText(name: string, args: Record<string, unknown>): string {
  const list = Object.entries(args).map(([key, value]) => `${key}=${cut(JSON.stringify(value) ?? "null")}`);
  return `${name}(${list.join(", ")})`;
}

export function contentText(content: InputContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : imageName(block.mimeType))).join("\n");
}

function imageName(mimeType: string): string {
  return `[image ${mimeType}]`;
}

function labelled(label: string, text: string): string {
  return text.trim() === "" ? "" : `[${label}]: ${withoutLabels(text)}`;
}

/** A line of content that looks like one of our labels is moved in: it must not pass for another speaker. */
function withoutLabels(text: string): string {
  return text.replace(/^(?=\[?(?:user|assistant|tool|system|developer)\b[^\n]{0,40}:)/gim, " ");
}

/** Names come from models and files. */
function cleanLabel(name: string): string {
  return name.replace(/[^\w.-]+/g, "_").slice(0, 20);
}

/** The elements a summary request is made of; content that contains such a tag must not end one. */
export function neutralizeTags(text: string): string {
  return text.replace(/<(?=\/?\s*(?:conversation|previous-summary|additional-context|kept)\b)/gi, "&lt;");
}
