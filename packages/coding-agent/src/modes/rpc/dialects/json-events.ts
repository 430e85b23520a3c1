import { toWireModel } from "../../../config/models/wire-model.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { Frame } from "../../frames/update-frames.ts";
import { DIALECTS, type Dialect } from "./dialect.ts";
import { sendInDialect } from "./send-in-dialect.ts";

/** Returns a function that writes the events of `--mode json`, where no host makes decisions and notices go to stderr. */
export function jsonEventSender(
  session: AgentSession,
  dialect: Dialect,
  write: (frame: Frame) => void,
): (frame: Frame) => void {
  if (!DIALECTS[dialect].rewritesJsonMode) return write;
  const surroundings = {
    isPreviewByHost: () => false,
    isNamed: () => false,
    config: () => ({ model: toWireModel(session.model), thinkingLevel: session.thinkingLevel }),
    printNotice: () => {},
  };
  return sendInDialect(dialect, surroundings, write);
}
