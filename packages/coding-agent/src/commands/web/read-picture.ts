import { systemDisk } from "../../storage/disk/disk.ts";
import { BLOB_PREFIX, BlobStore } from "../../storage/entries/blob-store.ts";

/** A picture of a conversation, which stands beside the sessions. */
export function readPicture(digest: string, directory: string): Uint8Array<ArrayBuffer> | undefined {
  const bytes = new BlobStore(systemDisk, directory).read(`${BLOB_PREFIX}${digest}`);
  return bytes && Uint8Array.from(bytes);
}
