export type Environment = Readonly<Record<string, string | undefined>>;

/** Nobody can answer a pager, an editor or a question, and colours would only be stripped again. */
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
  /** Names of variables that hold keys pintle loaded itself; a command has no business with them. */
  withheld: readonly string[];
  /** What the caller asked for wins over everything; undefined removes. */
  extra: Environment;
  cwd: string;
}

export function childEnvironment({ inherited, withheld, extra, cwd }: EnvironmentParts): Record<string, string> {
  const kept: Record<string, string | undefined> = { ...inherited };
  for (const name of withheld) delete kept[name];
  // Ours names another directory, and programs that trust the variable would work there.
  const merged = { ...kept, ...NON_INTERACTIVE, PWD: cwd, ...extra };
  return Object.fromEntries(
    Object.entries(merged).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
