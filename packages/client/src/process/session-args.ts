/** Flags that choose the initial session, and whether a value follows. */
const CHOICES = new Map([
  ["--continue", "never"],
  ["-c", "never"],
  ["--resume", "maybe"],
  ["-r", "maybe"],
  ["--session", "always"],
  ["--session-id", "always"],
  ["--fork", "always"],
]);

/** Returns the arguments with this session in place of the one they choose, because the program accepts only one choice. */
export function withSession(args: readonly string[], file: string): string[] {
  const others: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index]!;
    const [flag = ""] = arg.split("=", 1);
    const value = CHOICES.get(flag);
    if (value === undefined) others.push(arg);
    else if (flag === arg && (value === "always" || (value === "maybe" && isValue(args[index + 1])))) index += 1;
  }
  return [...others, "--session", file];
}

const isValue = (arg: string | undefined) => arg !== undefined && !arg.startsWith("-");
