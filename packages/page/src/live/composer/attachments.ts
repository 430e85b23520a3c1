import type { InputImage } from "@pintle/client/core";
import { h, replaceChildren } from "../../dom.ts";
import { shortNumber } from "../../format.ts";

/** Image types that providers accept. */
const IMAGES = /^image\/(?:png|jpeg|gif|webp)$/;
const MOST_IMAGE_BYTES = 10 * 1024 * 1024;
const MOST_TEXT_BYTES = 256 * 1024;

type Attachment = { kind: "image"; name: string; image: InputImage } | { kind: "text"; name: string; text: string };

export interface Attachments {
  readonly element: HTMLElement;
  readonly isEmpty: boolean;
  /** Accepts images and text files; reports what it cannot accept. */
  add(files: Iterable<File>): Promise<void>;
  /** Returns what is sent with a message: images as attachments, text in the message. Then clears the list. */
  take(): { images: InputImage[]; text: string };
}

export function createAttachments(say: (text: string) => void): Attachments {
  const element = h("ul", { class: "attachments", "aria-label": "Attachments" });
  let attached: readonly Attachment[] = [];

  function show(next: readonly Attachment[]): void {
    attached = next;
    replaceChildren(element, attached.map(chip));
    element.hidden = attached.length === 0;
  }

  function chip(attachment: Attachment): HTMLElement {
    const { kind, name } = attachment;
    const picture = kind === "image" && h("img", { src: address(attachment.image), alt: "" });
    const remove = () => show(attached.filter((other) => other !== attachment));
    return h(
      "li",
      { class: "attachment" },
      picture,
      h("span", { class: "attachment-name" }, name),
      kind === "text" && h("small", {}, `${shortNumber(attachment.text.length)} characters`),
      h("button", { type: "button", class: "quiet-button", "aria-label": `Remove ${name}`, onclick: remove }, "×"),
    );
  }

  show([]);
  return {
    element,
    get isEmpty() {
      return attached.length === 0;
    },
    async add(files) {
      for (const file of files) {
        const read = await readFile(file);
        if (typeof read === "string") say(read);
        else show([...attached, read]);
      }
    },
    take() {
      const taken = attached;
      show([]);
      return {
        images: taken.flatMap((attachment) => (attachment.kind === "image" ? [attachment.image] : [])),
        text: taken.flatMap((attachment) => (attachment.kind === "text" ? [fenced(attachment)] : [])).join("\n\n"),
      };
    },
  };
}

/** Returns the attachment, or the reason it is refused. */
async function readFile(file: File): Promise<Attachment | string> {
  const name = file.name || "pasted";
  if (IMAGES.test(file.type)) {
    if (file.size > MOST_IMAGE_BYTES) return `${name} is too large: at most ${MOST_IMAGE_BYTES / 1024 / 1024} MB`;
    return { kind: "image", name, image: { type: "image", data: await base64(file), mimeType: file.type } };
  }
  if (file.size > MOST_TEXT_BYTES) return `${name} is too large: at most ${MOST_TEXT_BYTES / 1024} KB of text`;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
    if (!text.includes("\0")) return { kind: "text", name, text };
  } catch {
    // not a text file
  }
  return `${name} is neither a supported image nor text`;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve(String(reader.result).replace(/^[^,]*,/, "")));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });
}

export function address({ mimeType, data }: InputImage): string {
  return `data:${mimeType};base64,${data}`;
}

/** In a fence that nothing in the text can end. */
function fenced({ name, text }: { name: string; text: string }): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([marks]) => marks.length));
  const fence = "`".repeat(longest + 1);
  return `${name}:\n${fence}\n${text.replace(/\n$/, "")}\n${fence}`;
}
