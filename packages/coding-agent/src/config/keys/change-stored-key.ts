import { isRecord } from "@pintle/ai";
import { SettingsError } from "../settings/settings-error.ts";
import { changeSettingsFile } from "../settings/settings-writer.ts";
import { StoredKeyError } from "./stored-key-error.ts";

/** Changes one entry of `auth.json`, which only its owner can read, and keeps the others. Undefined removes the entry. */
export async function changeStoredKey(file: string, provider: string, key: string | undefined): Promise<void> {
  const change = (tree: Readonly<Record<string, unknown>>): Record<string, unknown> => {
    const { [provider]: present, ...others } = tree;
    if (present === undefined && key === undefined) {
      throw new StoredKeyError(`No key for ${provider} is stored`, { isMissing: true });
    }
    // Credentials of other kinds belong to other programs, which could not restore them.
    if (present !== undefined && !(isRecord(present) && present.type === "api_key")) {
      throw new StoredKeyError(`auth.json contains another kind of credential for ${provider}; change it by hand`);
    }
    return key === undefined ? others : { ...tree, [provider]: { type: "api_key", key } };
  };
  try {
    await changeSettingsFile(file, change, { isPrivate: true });
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    if (error.cause instanceof StoredKeyError) throw error.cause;
    throw new StoredKeyError(error.message, { cause: error });
  }
}
