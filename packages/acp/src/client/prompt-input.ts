import { fileURLToPath } from "node:url";
import { isRecord } from "@pintle/ai";
import { listIn } from "../rpc/read-params.ts";
import { invalidParams } from "../rpc/rpc-error.ts";

/** A prompt in the form that the engine accepts. */
export interface PromptInput {
  message: string;
  images: { type: "image"; data: string; mimeType: string }[];
  /** JSON Schema of the output; the engine validates it. */
  outputSchema?: unknown;
}

const OUTPUT_SCHEMA = "pintle/outputSchema";

function outputSchemaOf({ _meta }: Record<string, unknown>): Pick<PromptInput, "outputSchema"> {
  const schema = isRecord(_meta) ? _meta[OUTPUT_SCHEMA] : undefined;
  return schema === undefined || schema === null ? {} : { outputSchema: schema };
}

type Block = Record<string, unknown>;

interface Parts {
  /** The user's text, with the names of linked resources. */
  text: string[];
  /** Linked content. It follows the text, because a slash command must be the first word. */
  context: string[];
  images: PromptInput["images"];
}

const READERS: Readonly<Record<string, (block: Block, parts: Parts, at: string) => void>> = {
  text(block, { text }, at) {
    text.push(field(block, "text", at));
  },
  image(block, { images }, at) {
    images.push({ type: "image", data: field(block, "data", at), mimeType: field(block, "mimeType", at) });
  },
  resource_link(block, { text }, at) {
    text.push(linkText(field(block, "uri", at), field(block, "name", at)));
  },
  resource(block, parts, at) {
    const { resource } = block;
    if (!isRecord(resource)) throw invalidParams(`${at}.resource must be an object`);
    const uri = field(resource, "uri", `${at}.resource`);
    const { text, blob, mimeType } = resource;
    if (typeof text === "string") {
      parts.text.push(linkText(uri, uri));
      parts.context.push(`<context ref="${uri.replaceAll('"', "%22")}">\n${text}\n</context>`);
    } else if (typeof blob === "string" && typeof mimeType === "string" && mimeType.startsWith("image/")) {
      parts.images.push({ type: "image", data: blob, mimeType });
    } else if (typeof blob === "string") parts.text.push(linkText(uri, uri));
    else throw invalidParams(`${at}.resource must have text or blob`);
  },
};

/** Converts the content blocks of a prompt. Throws the error for the client. */
export function readPrompt(params: Record<string, unknown>): PromptInput {
  const parts: Parts = { text: [], context: [], images: [] };
  for (const [index, block] of listIn(params, "prompt").entries()) {
    const at = `prompt[${index}]`;
    if (!isRecord(block) || typeof block.type !== "string") throw invalidParams(`${at} must be a content block`);
    if (!Object.hasOwn(READERS, block.type)) throw invalidParams(`${at}: ${block.type} is not supported`);
    READERS[block.type]!(block, parts, at);
  }
  const message = [joined(parts.text), ...parts.context].filter((text) => text !== "").join("\n\n");
  if (message === "" && parts.images.length === 0) throw invalidParams("prompt must not be empty");
  return { message, images: parts.images, ...outputSchemaOf(params) };
}

/** Blocks may be parts of one sentence, or follow each other without a space between them. */
function joined(texts: readonly string[]): string {
  return texts.reduce((text, next) => (/\S$/.test(text) && /^\S/.test(next) ? `${text} ${next}` : text + next), "");
}

/** Returns the path of a file, which tools accept as it is, and the address of anything else. */
function linkText(uri: string, name: string): string {
  if (uri.startsWith("file://")) {
    try {
      return `@${fileURLToPath(uri.split("#", 1)[0]!)}`;
    } catch {
      // not a path on this machine: use the address
    }
  }
  return name === uri ? uri : `[${name}](${uri})`;
}

function field(block: Block, name: string, at: string): string {
  const value = block[name];
  if (typeof value !== "string") throw invalidParams(`${at}.${name} must be a string`);
  return value;
}
