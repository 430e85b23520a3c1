export type Environment = Readonly<Record<string, string | undefined>>;

/** Which variables a child does not inherit. */
export interface EnvironmentRules {
  /** Names of variables that contain keys of pintle's own configuration. */
  keyVariables: readonly string[];
  /** Patterns of names that look like secrets. */
  withhold: readonly string[];
  /** Patterns of names that a child inherits regardless. */
  pass: readonly string[];
}

/** A pager, an editor or a question would wait forever, and colors would only be stripped again. */
const NON_INTERACTIVE: Environment = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  GIT_EDITOR: "true",
  EDITOR: "true",
  TERM: "dumb",
  PINTLE: "1",
};

export interface EnvironmentParts {
  inherited: Environment;
  /** Undefined for a program from the user's own configuration, which inherits everything. */
  rules: EnvironmentRules | undefined;
  /** The caller's variables override everything; undefined removes one. */
  extra: Environment;
  cwd: string;
}

export function childEnvironment({ inherited, rules, extra, cwd }: EnvironmentParts): Record<string, string> {
  const kept = Object.entries(inherited).filter(([name]) => !rules || !isWithheld(name, rules));
  // Our PWD names another directory, and programs that trust the variable would work there.
  const merged = { ...Object.fromEntries(kept), ...NON_INTERACTIVE, PWD: cwd, ...extra };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

export function isWithheld(name: string, { keyVariables, withhold, pass }: EnvironmentRules): boolean {
  const matches = (pattern: string) => matchesName(name, pattern);
  return (keyVariables.includes(name) || withhold.some(matches)) && !pass.some(matches);
}

/**
 * Returns whether a variable's name matches a pattern in which `*` matches any characters. Case is ignored. Takes linear time,
 * because a project may supply the pattern.
 */
export function matchesName(name: string, pattern: string): boolean {
  const [first = "", ...rest] = pattern.toUpperCase().split("*");
  const text = name.toUpperCase();
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return at <= text.length - last.length;
}
