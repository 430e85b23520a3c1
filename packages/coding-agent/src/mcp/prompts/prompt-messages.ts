import type { ToolResult } from "@pintle/agent";
import { isRecord } from "@pintle/ai";
import type { PromptText } from "../../resources/prompts/prompt-text.ts";
import { type ResultContext, toToolResult } from "../tools/tool-result.ts";

/** Converts the result of a server prompt into one user message, with the limits of tool results. Throws if it is empty. */
export async function toPromptText(answer: Record<string, unknown>, context: ResultContext): Promise<PromptText> {
  const messages: unknown[] = Array.isArray(answer.messages) ? answer.messages : [];
  const content = messages.flatMap((message) => (isRecord(message) ? contentOf(message) : []));
  return toUserText((await toToolResult({ content }, context)).content);
}

/** Converts server content into user content. Throws if there is none. */
export function toUserText(content: ToolResult["content"]): PromptText {
  const text = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = content.filter((block) => block.type === "image");
  if (text.trim() === "" && images.length === 0) throw new Error("the server answered with nothing");
  return { text, ...(images.length > 0 && { images }) };
}

/** Labels example answers of the model, because the whole message is the user's. */
function contentOf({ role, content }: Record<string, unknown>): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return role === "assistant" ? [{ type: "text", text: "Assistant:" }, ...blocks] : blocks;
}
