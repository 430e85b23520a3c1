/**
 * A message that is a user's command: after `!!` the model does not see it. Returns undefined if it is for the model.
 */
export function readShellLine(text: string): { command: string; isHidden: boolean } | undefined {
  const [, signs = "", command = ""] = /^(!!?)(.*)$/s.exec(text.trim()) ?? [];
  return command.trim() === "" ? undefined : { command: command.trim(), isHidden: signs === "!!" };
}
