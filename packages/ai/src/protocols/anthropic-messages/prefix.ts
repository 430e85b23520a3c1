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
      typeof content === "string" ? [{ role, block: content }] : content.map((block) => pieceOf(role, block)),
    ),
  };
}

/** A block belongs to one turn. The same block gives the same piece, so that observers can recognize it. */
const pieces = new WeakMap<object, object>();

function pieceOf(role: string, block: object): object {
  const known = pieces.get(block);
  if (known) return known;
  const piece = { role, block };
  pieces.set(block, piece);
  return piece;
}
