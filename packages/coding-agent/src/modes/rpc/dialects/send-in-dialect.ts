import type { Frame } from "../../frames/update-frames.ts";
import { DIALECTS, type Dialect, type DialectSurroundings, toDialect } from "./dialect.ts";
import { OpenBlocks } from "./open-blocks.ts";

/** Returns a function that writes frames in a dialect: unchanged, rewritten, as several frames, or not at all. */
export function sendInDialect(
  dialect: Dialect,
  surroundings: DialectSurroundings,
  write: (frame: Frame) => void,
): (frame: Frame) => void {
  const openBlocks = DIALECTS[dialect].endsOpenBlocks ? new OpenBlocks() : undefined;
  const speak = (frame: Frame) => {
    const spoken = toDialect(frame, dialect, surroundings);
    if (Array.isArray(spoken)) for (const one of spoken as readonly Frame[]) write(one);
    else if (spoken) write(spoken as Frame);
  };
  return (frame) => {
    const end = openBlocks?.endBefore(frame);
    if (end) speak(end);
    speak(frame);
  };
}
