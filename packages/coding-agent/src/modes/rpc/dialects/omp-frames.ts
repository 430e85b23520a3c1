import { CHUNKED_PROTOCOL_VERSION, PROTOCOL_VERSION } from "@pintle/wire";
import { MAX_FRAME_BYTES, MAX_REASSEMBLED_BYTES } from "../../frames/chunks.ts";
import type { Frame } from "../../frames/update-frames.ts";
import type { Rewrite } from "./dialect.ts";
import { type Data, notSent, onlyIfNamed, withData, withoutQueueIds } from "./rewrites.ts";

/** Frames that clients of oh-my-pi read differently. */
export const OMP_FRAMES: Readonly<Record<string, Rewrite>> = {
  compaction_start: notSent,
  compaction_end: notSent,
  entry_appended: onlyIfNamed,
  message_appended: onlyIfNamed,
  queue_update: withoutQueueIds,
  response: withData({ get_state: toOmpState }),
  ready: toOmpReady,
  prompt_result: (frame: Frame & { awaitingAsyncWork?: true }) =>
    frame.awaitingAsyncWork ? Object.assign({}, frame, { sessionSettled: false }) : frame,
  session_info_changed: withSessionInfo,
  model_changed: (frame: Frame & { model: object }, { config }) => [
    frame,
    { ...configUpdate(config()), model: frame.model },
  ],
  thinking_level_changed: (frame: Frame & { level: string }, { config }) => [
    frame,
    { ...configUpdate(config()), thinkingLevel: frame.level },
  ],
};

/** Adds the limits: clients use version 2 only with exactly these. */
function toOmpReady(frame: Frame): Frame {
  return Object.assign({}, frame, {
    supportedProtocolVersions: [PROTOCOL_VERSION, CHUNKED_PROTOCOL_VERSION],
    maxFrameBytes: MAX_FRAME_BYTES,
    maxReassembledFrameBytes: MAX_REASSEMBLED_BYTES,
  });
}

/** Adds a separate event, from which clients read the session's name. */
function withSessionInfo(frame: Frame & { name?: string; sessionId: string }): readonly Frame[] {
  const { name, sessionId } = frame;
  return [
    frame,
    Object.assign({ type: "session_info_update" }, { ...(name !== undefined && { title: name }), sessionId }),
  ];
}

function configUpdate(config: object) {
  return Object.assign({ type: "config_update" }, config);
}

/** Returns the system prompt as a list, and reports features that pintle lacks as off. */
function toOmpState({ systemPrompt, queue: _queue, interrupted: _interrupted, ...state }: Data): Data {
  return {
    ...state,
    fastModeEnabled: false,
    fastModeActive: false,
    tokensPerSecond: null,
    hasPendingAsyncWork: state.hasPendingAsyncWork ?? false,
    ...(systemPrompt !== undefined && { systemPrompt: [systemPrompt] }),
  };
}
