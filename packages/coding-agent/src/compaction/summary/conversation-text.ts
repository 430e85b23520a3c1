import type { AgentMessage } from "@pintle/agent";
import type { InputContent } from "@pintle/ai";

const MAX_RESULT_CHARACTERS = 2_000;

type Rows = { [R in AgentMessage["role"]]: (message: Extract<AgentMessage, { role: R }>) => string[] };

/** One row per role. Text of the user and the model stays whole; input and output of tools is truncated. */
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

/** Returns a message as labeled text that a model does not mistake for the conversation itself; empty if it has no content. */
export function messageText(message: AgentMessage): string {
  const row = rows[message.role] as ((message: AgentMessage) => string[]) | undefined;
  return (row?.(message) ?? []).filter((text) => text !== "").join("\n\n");
}

/** Truncates text and states how much is missing. Session files of other programs may lack the text. */
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

/** Indents lines that look like one of the labels, so that content cannot pass for another speaker. */
function withoutLabels(text: string): string {
  return text.replace(/^(?=\[?(?:user|assistant|tool|system|developer)\b[^\n]{0,40}:)/gim, " ");
}

/** Cleans a name, because names come from models and files. */
function cleanLabel(name: string): string {
  return name.replace(/[^\w.-]+/g, "_").slice(0, 20);
}

/** Escapes the tags of a summary request, so that content cannot close one. */
export function neutralizeTags(text: string): string {
  return text.replace(/<(?=\/?\s*(?:conversation|previous-summary|additional-context|kept)\b)/gi, "&lt;");
}
