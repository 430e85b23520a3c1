import type { Frame } from "../../frames/update-frames.ts";

interface Block {
  type: string;
  text?: string;
  thinking?: string;
}

type MessageFrame = Frame & {
  message: { role: string; content: readonly Block[] };
  assistantMessageEvent?: { type: string; contentIndex?: number };
};

/** Returns the text of a block, by block type. */
const TEXTS: Readonly<Record<string, (block: Block) => string>> = {
  text: ({ text = "" }) => text,
  thinking: ({ thinking = "" }) => thinking,
};

/**
 * Ends the block that an aborted or failed message leaves open, because clients of pi show a block as incomplete until it
 * ends, even if the message has ended.
 */
export class OpenBlocks {
  #open: number | undefined;

  /** Returns the update to send before a frame, if the frame ends a message with an open block. */
  endBefore(frame: Frame): Frame | undefined {
    if (!isMessageFrame(frame)) return undefined;
    const { message, assistantMessageEvent: event } = frame;
    if (frame.type === "message_update") {
      if (event?.type.endsWith("_start")) this.#open = event.contentIndex;
      else if (event?.type.endsWith("_end")) this.#open = undefined;
      return undefined;
    }
    if (message.role !== "assistant") return undefined;
    const contentIndex = this.#open;
    this.#open = undefined;
    const block = contentIndex === undefined ? undefined : message.content[contentIndex];
    const textOf = block && Object.hasOwn(TEXTS, block.type) ? TEXTS[block.type] : undefined;
    if (!block || !textOf) return undefined;
    const ended = { type: `${block.type}_end`, contentIndex, content: textOf(block), partial: message };
    return Object.assign({ type: "message_update", message }, { assistantMessageEvent: ended });
  }
}

function isMessageFrame(frame: Frame): frame is MessageFrame {
  return frame.type === "message_update" || frame.type === "message_end";
}
