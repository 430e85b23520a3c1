import type { ImageContent, ProviderMessage, TextContent, UserMessage } from "@pintle/ai";
import type { AgentMessage, BashExecutionMessage, FileMentionMessage } from "./messages.ts";

type OwnRole = Exclude<AgentMessage["role"], ProviderMessage["role"]>;
type Converters = {
  [R in OwnRole]: (message: Extract<AgentMessage, { role: R }>) => ProviderMessage | undefined;
};

/** One row per role that providers do not know; a new role does not compile until it has one. */
const converters: Converters = {
  custom: ({ content, timestamp }) => asUser(content, timestamp),
  bashExecution: (message) =>
    message.excludeFromContext ? undefined : asUser(describeBash(message), message.timestamp),
  branchSummary: ({ summary, timestamp }) =>
    asUser(
      `The conversation took another branch for a while. Summary of that branch:\n\n<summary>\n${summary}\n</summary>`,
      timestamp,
    ),
  compactionSummary: ({ summary, timestamp }) =>
    asUser(`The conversation so far, summarized:\n\n<summary>\n${summary}\n</summary>`, timestamp),
  fileMention: (message) => asUser(describeFiles(message), message.timestamp),
};

/** Messages never change, so each is converted once and gives the same object again. */
const converted = new WeakMap<AgentMessage, ProviderMessage | undefined>();

/** Returns undefined for messages that the model does not receive. */
export function toProviderRole(message: AgentMessage): ProviderMessage | undefined {
  if (isProviderRole(message)) return message;
  if (converted.has(message)) return converted.get(message);
  const convert = converters[message.role] as ((message: AgentMessage) => ProviderMessage | undefined) | undefined;
  const made = convert?.(message); // Roles from other programs' session files stay in the file but are not used.
  converted.set(message, made);
  return made;
}

function isProviderRole(message: AgentMessage): message is ProviderMessage {
  const { role } = message;
  return role === "user" || role === "assistant" || role === "toolResult" || role === "developer";
}

function asUser(content: UserMessage["content"], timestamp: number): UserMessage {
  return { role: "user", content, timestamp };
}

function describeBash({ command, output, exitCode, cancelled, truncated }: BashExecutionMessage): string {
  const lines = [`The user ran \`${command}\``, "```", output === "" ? "(no output)" : output, "```"];
  if (cancelled) lines.push("The command was cancelled.");
  else if (exitCode !== undefined && exitCode !== 0) lines.push(`It exited with code ${exitCode}.`);
  if (truncated) lines.push("Only the end of the output is shown.");
  return lines.join("\n");
}

function describeFiles({ files }: FileMentionMessage): (TextContent | ImageContent)[] {
  return files.flatMap((file): (TextContent | ImageContent)[] => {
    if (file.image) return [{ type: "text", text: `<file name="${file.path}"></file>` }, file.image];
    const content = file.skippedReason === "tooLarge" ? "[file too large]" : file.content;
    return [{ type: "text", text: `<file name="${file.path}">\n${content}\n</file>` }];
  });
}
