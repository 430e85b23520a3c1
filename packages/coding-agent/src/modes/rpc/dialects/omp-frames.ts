import type { Rewrite } from "./dialect.ts";
import { type Data, notSent, onlyIfNamed, withData, withoutQueueIds } from "./rewrites.ts";

/** What clients of oh-my-pi read differently. */
export const OMP_FRAMES: Readonly<Record<string, Rewrite>> = {
  compaction_start: notSent,
  compaction_end: notSent,
  entry_appended: onlyIfNamed,
  message_appended: onlyIfNamed,
  queue_update: withoutQueueIds,
  response: withData({ get_state: toOmpState }),
};

/** Its prompt has several parts; and what it tells of features that do not exist here is that they are off. */
function toOmpState({ systemPrompt, queue: _queue, interrupted: _interrupted, ...state }: Data): Data {
  return {
    ...state,
    fastModeEnabled: false,
    fastModeActive: false,
    tokensPerSecond: null,
    hasPendingAsyncWork: false,
    systemPrompt: [systemPrompt],
  };
}
