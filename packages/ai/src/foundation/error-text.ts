/** What was thrown, as a text for people. Anything can be thrown, and an object may refuse to be a text. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "something that cannot be shown was thrown";
  }
}
