const PREFIX = "pintle-draft-";

/** Unsent input of a session: restored after a reload, and after a visit to another session. */
export function readDraft(sessionId = ""): string {
  try {
    return sessionStorage.getItem(PREFIX + sessionId) ?? "";
  } catch {
    return "";
  }
}

export function keepDraft(sessionId = "", text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(PREFIX + sessionId);
    else sessionStorage.setItem(PREFIX + sessionId, text);
  } catch {
    // storage is not allowed or full, so the draft lasts as long as the field
  }
}
