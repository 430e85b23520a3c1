const BASE_PROMPT = `You are pintle, a coding agent. You work on the user's files with the tools you are given.
Be brief and precise. Look before you change something, and say what you did.`;

export interface SystemPromptParts {
  /** Replaces the built-in text. */
  base?: string;
  append?: readonly string[];
  cwd: string;
  today: Date;
}

/** The head of every request. Stable for a day and a directory, so that providers can cache it. */
export function buildSystemPrompt({ base = BASE_PROMPT, append = [], cwd, today }: SystemPromptParts): string {
  const date = today.toISOString().slice(0, 10);
  return [base, ...append, `Current date: ${date}\nCurrent working directory: ${cwd}`].join("\n\n");
}
