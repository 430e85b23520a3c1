/** The process environment, handed in. Never read from a project's `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
