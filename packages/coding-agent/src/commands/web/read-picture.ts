import { systemDisk } from "@pintle/foundation";
import { BLOB_PREFIX, BlobStore } from "@pintle/storage";

/** Reads an image of a conversation, which is stored next to the sessions. */
export function readPicture(digest: string, directory: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new BlobStore(systemDisk, directory).read(`${BLOB_PREFIX}${digest}`);
  return bytes && Uint8Array.from(bytes);
}
