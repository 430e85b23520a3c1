import type { Frame, TestHost } from "./test-host.ts";

/** Opens a session and returns its id. */
export async function open(host: TestHost, fields: Record<string, unknown> = {}): Promise<string> {
  return (await host.get<{ sessionId: string }>({ type: "open_session", ...fields })).sessionId;
}

/** Returns the text of the message in a frame. */
export function textOf(frame: Frame): string {
  const { content } = frame.message as { content: { text?: string }[] };
  return content[0]?.text ?? "";
}

export function roleOf(frame: Frame): string {
  return (frame.message as { role: string }).role;
}

export interface Cursor {
  epoch: string;
  seq: number;
  entryId?: string;
}

/** Returns the cursor of the last run. */
export function lastCursor(host: TestHost): Cursor {
  return host.frames.findLast(({ type }) => type === "agent_settled")?.cursor as Cursor;
}

/** Resolves with the text of the answer when the session has settled. */
export async function prompt(host: TestHost, sessionId: string, message: string): Promise<string> {
  const from = host.frames.length;
  await host.get({ type: "prompt", sessionId, message });
  const ofSession = (type: string) => (frame: Frame) => frame.sessionId === sessionId && frame.type === type;
  await host.until(ofSession("session_settled"), from, "the end of the run");
  const isEnd = ofSession("message_end");
  const answer = host.frames.findLast((frame) => isEnd(frame) && roleOf(frame) === "assistant");
  return textOf(answer!);
}

/** Returns the text of each stored message by the id of its entry. */
export async function storedMessages(host: TestHost, sessionId: string): Promise<[string, string][]> {
  type Entry = { id: string; message?: { content: { text?: string }[] } };
  const { entries } = await host.get<{ entries: Entry[] }>({ type: "get_entries", sessionId });
  return entries.flatMap(({ id, message }) => (message ? [[id, message.content[0]?.text ?? ""]] : []));
}
