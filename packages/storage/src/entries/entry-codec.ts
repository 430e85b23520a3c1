import type { SessionEntry } from "@pintle/wire";
import type { BlobStore } from "./blob-store.ts";
import { externalizeImages } from "./image-blobs.ts";

export interface EncodedEntry {
  /** The entry as a reload would return it, except for differences that JSON cannot express. */
  entry: SessionEntry;
  /** Without its LF. */
  line: string;
}

/** Encodes an entry as a line. Strings are stored completely; large images are written to the blob store, if there is one, before the line refers to them. */
export function encodeEntry(entry: SessionEntry, blobs: BlobStore | undefined): EncodedEntry {
  try {
    return encode(entry, blobs);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Tool details may contain anything. If JSON cannot express a part, keep the rest.
    return encode(JSON.parse(JSON.stringify(entry, expressible())), blobs);
  }
}

function encode(entry: SessionEntry, blobs: BlobStore | undefined): EncodedEntry {
  const stored = blobs ? externalizeImages(entry, (bytes) => blobs.put(bytes)) : entry;
  return { entry: stored, line: JSON.stringify(stored) };
}

/** A replacer for values that JSON refuses: big integers and cyclic objects. */
function expressible(): (this: unknown, key: string, value: unknown) => unknown {
  const ancestors: unknown[] = [];
  return function (_key, value) {
    if (typeof value === "bigint") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    while (ancestors.length > 0 && ancestors.at(-1) !== this) ancestors.pop();
    if (ancestors.includes(value)) return "[Circular]";
    ancestors.push(value);
    return value;
  };
}
