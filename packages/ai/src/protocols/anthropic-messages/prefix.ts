import type Anthropic from "@anthropic-ai/sdk";
import type { RequestPrefix } from "../../request-prefix.ts";

type Body = Pick<
  Anthropic.MessageCreateParamsStreaming,
  "tools" | "system" | "tool_choice" | "thinking" | "output_config" | "messages"
>;

/**
 * Tools, then the system prompt, then messages, regardless of their order in the body. A different tool choice or
 * thinking mode keeps tools and system prompt in the cache but invalidates the messages.
 */
export function toAnthropicPrefix(body: Body): RequestPrefix {
  return {
    tools: body.tools ?? [],
    system: body.system,
    toolChoice: body.tool_choice,
    thinking: [body.thinking, body.output_config],
    messages: body.messages.flatMap(({ role, content }) =>
      (typeof content === "string" ? [content] : content).map((block) => ({ role, block })),
    ),
  };
}
