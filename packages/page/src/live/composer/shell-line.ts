/**
 * Parses a message that is a shell command; with `!!` the model does not see it. Returns undefined if the message is
 * for the model.
 */
export function readShellLine(text: string): { command: string; isHidden: boolean } | undefined {
  const [, signs = "", command = ""] = /^(!!?)(.*)$/s.exec(text.trim()) ?? [];
  return command.trim() === "" ? undefined : { command: command.trim(), isHidden: signs === "!!" };
}
