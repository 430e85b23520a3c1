import { isRecord, MAX_ENTRY_NESTING } from "@pintle/ai";
import { isBlobReference } from "./blob-store.ts";

/** Shorter images stay in the line. */
const MIN_BASE64_CHARACTERS = 1024;
/** The arrays in which an image block really is one, not tool data that looks like one. */
const IMAGE_LISTS = new Set(["content", "images"]);

type StoreBlob = (bytes: Uint8Array) => string | undefined;
type ReadBlob = (reference: string) => Buffer | undefined;

/** Returns a copy in which large images are references, or the value itself if it has none. */
export function externalizeImages<T>(value: T, store: StoreBlob): T {
  return mapImages(value, {
    block: (block, isListed) => {
      const { data } = block;
      if (!isListed || typeof data !== "string" || data.length < MIN_BASE64_CHARACTERS) return block;
      const bytes = Buffer.from(data, "base64");
      if (bytes.toString("base64") !== data) return block; // would not round-trip
      const reference = store(bytes);
      return reference === undefined ? block : { ...block, data: reference };
    },
    url: (url) => {
      if (!url.startsWith("data:") || url.length < MIN_BASE64_CHARACTERS) return url;
      return store(Buffer.from(url)) ?? url;
    },
  });
}

const UNAVAILABLE = { type: "text", text: "[image unavailable]" };

/**
 * Returns a copy in which references are images again. A reference that does not resolve becomes text, never base64.
 */
export function inlineImages<T>(value: T, read: ReadBlob): T {
  return mapImages(value, {
    block: (block) => {
      if (typeof block.data !== "string" || !isBlobReference(block.data)) return block;
      const bytes = read(block.data);
      return bytes ? { ...block, data: bytes.toString("base64") } : UNAVAILABLE;
    },
    url: (url) => (isBlobReference(url) ? (read(url)?.toString("utf8") ?? url) : url),
  });
}

interface ImageMapper {
  block(block: Record<string, unknown>, isListed: boolean): Record<string, unknown>;
  url(url: string): string;
}

/** Copies only the objects on the path to a change. */
function mapImages<T>(value: T, mapper: ImageMapper): T {
  return visit(value, mapper, { isListed: false, level: 0 }) as T;
}

/** The path to a part of the value. */
interface Place {
  isListed: boolean;
  level: number;
}

function visit(value: unknown, mapper: ImageMapper, { isListed, level }: Place): unknown {
  if (Array.isArray(value)) return visitItems(value, mapper, { isListed, level });
  if (!isRecord(value) || ArrayBuffer.isView(value)) return value;
  if (value.type === "image" && "data" in value) return mapper.block(value, isListed);
  if (level > MAX_ENTRY_NESTING) throw new TypeError("It contains itself"); // values that are too deep are rejected earlier
  let copy: Record<string, unknown> | undefined;
  for (const key in value) {
    const before = value[key];
    if (typeof before !== "object" && key !== "image_url") continue;
    const place = { isListed: Array.isArray(before) && IMAGE_LISTS.has(key), level: level + 1 };
    const after = typeof before === "string" ? mapper.url(before) : visit(before, mapper, place);
    if (after === before) continue;
    copy ??= { ...value };
    copy[key] = after;
  }
  return copy ?? value;
}

function visitItems(items: readonly unknown[], mapper: ImageMapper, { isListed, level }: Place): readonly unknown[] {
  if (level > MAX_ENTRY_NESTING) throw new TypeError("It contains itself");
  let copy: unknown[] | undefined;
  for (const [index, before] of items.entries()) {
    const after = visit(before, mapper, { isListed, level: level + 1 });
    if (after === before) continue;
    copy ??= [...items];
    copy[index] = after;
  }
  return copy ?? items;
}
