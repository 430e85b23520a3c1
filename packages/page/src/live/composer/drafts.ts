const PREFIX = "pintle-draft-";

/** What was typed for a session and not sent: it is there again after a reload, and after a look at another session. */
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
    // forbidden or full: then it lasts as long as the field
  }
}
