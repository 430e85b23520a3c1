/** A message that is a command of the user: behind `!!` the model does not see it. undefined: it is for the model. */
export function readShellLine(text: string): { command: string; isHidden: boolean } | undefined {
  const [, signs = "", command = ""] = /^(!!?)(.*)$/s.exec(text.trim()) ?? [];
  return command.trim() === "" ? undefined : { command: command.trim(), isHidden: signs === "!!" };
}
