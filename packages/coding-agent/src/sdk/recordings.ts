import { resolve } from "node:path";
import { StartUpError } from "../config/start-up-error.ts";
import type { Recordings, RecordingsOptions } from "../replay/recordings.ts";
import type { CreateAgentSessionOptions } from "./options.ts";

/** Opens the recordings that the options name. Their code is loaded only then. Throws StartUpError. */
export async function openSessionRecordings(
  { record, replay, replaySpeed, cwd = process.cwd() }: CreateAgentSessionOptions,
  rest: Omit<RecordingsOptions, "record" | "replay" | "speed">,
): Promise<Recordings | undefined> {
  if (record === undefined && replay === undefined) return undefined;
  const [{ openRecordings }, { RecordingsError }] = await Promise.all([
    import("../replay/recordings.ts"),
    import("../replay/recording/recording-directory.ts"),
  ]);
  const inCwd = (directory: string | undefined) => (directory === undefined ? undefined : resolve(cwd, directory));
  try {
    return openRecordings({ ...rest, record: inCwd(record), replay: inCwd(replay), speed: replaySpeed });
  } catch (error) {
    throw error instanceof RecordingsError ? new StartUpError(error.message) : error;
  }
}
