/** What may follow a question mark without changing that it ends a question. */
const CLOSING = /[\s*_`"'”’)\]]+$/;
const QUESTION = /[?？؟]$/;

/** Requests for an answer that are no question: "please confirm", "let me know which one". */
const REQUEST =
  /\b(?:please|kindly)\s+(?:confirm|choose|pick|select|reply|respond|answer|decide|clarify|specify|advise|provide|tell|let)\b|\b(?:let me know|tell me (?:which|what|whether|if|how|when)|(?:awaiting|waiting for) your|reply with|say the word)\b|^(?:confirm|choose|pick|reply|respond)\b/i;

/** Does this answer end by asking the user for something? Then the next word is the user's. */
export function asksUser(text: string): boolean {
  const lastLine = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  return QUESTION.test(lastLine.replace(CLOSING, "")) || REQUEST.test(lastLine);
}
