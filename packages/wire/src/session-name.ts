import { withoutTurning } from "@pintle/ai";

/** Everything that would break a line or a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

const MAX_NAME_CHARS = 500;

/** Returns the name as it is stored, in one line, or why it is not valid. */
export function cleanSessionName(name: string): { name: string } | { error: string } {
  const cleaned = withoutTurning(name).replace(CONTROLS, " ").replace(/ +/g, " ").trim();
  if (cleaned === "") return { error: "Session name cannot be empty" };
  if (cleaned.length > MAX_NAME_CHARS) return { error: `Session name must have at most ${MAX_NAME_CHARS} characters` };
  return { name: cleaned };
}
