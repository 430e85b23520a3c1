import type { ImageContent } from "@pintle/ai";
import { imageTypeOf } from "@pintle/foundation";
import { readNamedFile } from "./read-named-file.ts";

export interface CommandLinePrompt {
  text: string;
  images: ImageContent[];
}

/**
 * Returns the prompts of a command line. Its words form one message as typed, and each of the `further` messages is a
 * separate prompt. Piped input and the files of `@file` words precede the first message.
 */
export function toPrompts(words: readonly string[], further: readonly string[], piped: string): CommandLinePrompt[] {
  const isFile = (word: string) => word.startsWith("@");
  const typed = words.filter((word) => !isFile(word)).join(" ");
  const [first = "", ...rest] = typed.trim() === "" ? further : [typed, ...further];
  const files = words.filter(isFile).map((word) => readAttachment(word.slice(1)));
  const head = [piped.trim() === "" ? "" : piped, ...files.map(({ text }) => text), first];
  const text = head.filter((part) => part !== "").join("\n");
  const images = files.flatMap((file) => file.images);
  const isEmpty = text === "" && images.length === 0;
  return [...(isEmpty ? [] : [{ text, images }]), ...rest.map((message) => ({ text: message, images: [] }))];
}

function readAttachment(path: string): CommandLinePrompt {
  const bytes = readNamedFile(path);
  const mimeType = imageTypeOf(bytes);
  if (mimeType) {
    return {
      text: `<file name="${path}"></file>`,
      images: [{ type: "image", data: bytes.toString("base64"), mimeType }],
    };
  }
  const content = bytes.toString("utf8");
  return { text: content === "" ? "" : `<file name="${path}">\n${content}\n</file>`, images: [] };
}
