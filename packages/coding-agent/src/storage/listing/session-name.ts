import { withoutTurning } from "../../text/visible-name.ts";
import { SessionError } from "../session-error.ts";

/** Everything that would break a line or a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g;

const MAX_NAME_CHARS = 500;

export function cleanSessionName(name: string): string {
  const cleaned = withoutTurning(name).replace(CONTROLS, " ").replace(/ +/g, " ").trim();
  if (cleaned === "") throw new SessionError("invalid_request", "Session name cannot be empty");
  if (cleaned.length > MAX_NAME_CHARS) {
    throw new SessionError("invalid_request", `Session name must have at most ${MAX_NAME_CHARS} characters`);
  }
  return cleaned;
}
