/** Converts a thrown value to text for people. Anything can be thrown, and an object may refuse to be converted. */
export function errorText(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message;
  try {
    return String(thrown);
  } catch {
    return "an error that cannot be shown was thrown";
  }
}
