import type { SessionHooks } from "../../session/session-hooks.ts";
import { requireArguments } from "../api/check-arguments.ts";
import type { ExtensionHost, UserContent } from "../api/extension-host.ts";

const BUSY_TEXT = 'The agent is busy: say with deliverAs whether the message is to "steer" it or to be a "followUp".';

/**
 * Speaks for the user. A text that calls a command runs it: at once, or as a follow-up when the run is over. Throws when
 * it is not said where the message goes while a run is active.
 */
export function sendUserMessage(
  host: ExtensionHost,
  commandOf: SessionHooks["command"],
  content: UserContent,
  options: { deliverAs?: "steer" | "followUp" },
): Promise<void> {
  requireArguments("sendUserMessage", content);
  const command = typeof content === "string" ? commandOf(content) : undefined;
  if (!command || typeof content !== "string") {
    if (!host.isIdle && options.deliverAs === undefined) throw new Error(BUSY_TEXT);
    return host.sendUserMessage(content, options);
  }
  if (host.isIdle || options.deliverAs !== "followUp") return command.run();
  // Looked up again: until then the extensions may have been loaded anew.
  return host.waitForIdle().then(() => commandOf(content)?.run());
}
