import type { SessionHooks } from "../../session/session-hooks.ts";
import { requireArguments } from "../api/check-arguments.ts";
import type { ExtensionHost, UserContent } from "../api/extension-host.ts";

const BUSY_TEXT = 'The agent is busy: set deliverAs to "steer" or "followUp" to queue the message.';

/**
 * Sends a message as the user. A slash command in it runs immediately, or as a follow-up when the run has ended. Throws
 * if a run is active and the delivery is not specified.
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
  // Look it up again, because the extensions may have been reloaded meanwhile.
  return host.waitForIdle().then(() => commandOf(content)?.run());
}
