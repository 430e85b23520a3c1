import type { ToolResult } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { PromptText } from "../../session/session-hooks.ts";
import { type ResultContext, toToolResult } from "../tools/tool-result.ts";

/** What a server made of a prompt, as one message of the user; bounded as results of tools are. Throws when there is nothing. */
export async function toPromptText(answer: Record<string, unknown>, context: ResultContext): Promise<PromptText> {
  const messages: unknown[] = Array.isArray(answer.messages) ? answer.messages : [];
  const content = messages.flatMap((message) => (isRecord(message) ? contentOf(message) : []));
  return toUserText((await toToolResult({ content }, context)).content);
}

/** Content of a server as a person would send it. Throws when there is none. */
export function toUserText(content: ToolResult["content"]): PromptText {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = content.filter((block) => block.type === "image");
  if (text.trim() === "" && images.length === 0) throw new Error("the server answered with nothing");
  return { text, ...(images.length > 0 && { images }) };
}

/** An example of what the model would say is shown as such: the whole is the user's. */
function contentOf({ role, content }: Record<string, unknown>): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return role === "assistant" ? [{ type: "text", text: "Assistant:" }, ...blocks] : blocks;
}
