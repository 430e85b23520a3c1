import type { AgentMessage, CustomMessage, FileMentionMessage } from "@pintle/agent";
import type { AssistantContent, AssistantMessage, DeveloperMessage } from "@pintle/ai";

// Converts messages for clients of pi. Messages that need no change are returned as the same object.

type Roles = { [R in AgentMessage["role"]]?: (message: Extract<AgentMessage, { role: R }>) => object };

const ROLES: Roles = {
  assistant: withPiThinking,
  developer: (message) => toHidden("developer", message, message.content),
  fileMention: (message) => toHidden("file_mention", message, [{ type: "text", text: describeFiles(message) }]),
};

export function toPiMessage<M extends object>(message: M): M {
  const { role } = message as Partial<AgentMessage>;
  const convert = role && Object.hasOwn(ROLES, role) ? (ROLES[role] as (message: M) => M) : undefined;
  return convert ? convert(message) : message;
}

/** Converts the message of a stored entry. */
export function toPiEntry<E extends { message?: unknown }>(entry: E): E {
  const { message } = entry;
  if (typeof message !== "object" || message === null) return entry;
  const converted = toPiMessage(message);
  return converted === message ? entry : { ...entry, message: converted };
}

interface TreeNode {
  entry?: unknown;
  children?: unknown;
}

/**
 * Converts a node of a session's tree and everything below it. Not recursive, because a branch is as deep as the session is
 * long.
 */
export function toPiTree<N extends TreeNode>(root: N): N {
  const copy = { ...root };
  const waiting: TreeNode[] = [copy];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    node.entry = toPiEntry(node.entry as object);
    const children = ((node.children ?? []) as TreeNode[]).map((child) => ({ ...child }));
    node.children = children;
    waiting.push(...children);
  }
  return copy;
}

function withPiThinking(message: AssistantMessage): object {
  if (!message.content.some(({ type }) => type === "redactedThinking")) return message;
  return { ...message, content: message.content.map(toPiBlock) };
}

function toPiBlock(block: AssistantContent): object {
  if (block.type !== "redactedThinking") return block;
  return { type: "thinking", thinking: "", thinkingSignature: block.data, redacted: true };
}

function toHidden(
  customType: string,
  { timestamp, ...message }: DeveloperMessage | FileMentionMessage,
  content: CustomMessage["content"],
): CustomMessage {
  const attribution = "attribution" in message && message.attribution ? { attribution: message.attribution } : {};
  return { role: "custom", customType, content, display: false, ...attribution, timestamp };
}

function describeFiles({ files }: FileMentionMessage): string {
  return files
    .map(({ path, content, skippedReason }) => {
      const shown = skippedReason === "tooLarge" ? "[file too large]" : content;
      return `<file name="${path}">\n${shown}\n</file>`;
    })
    .join("\n");
}
