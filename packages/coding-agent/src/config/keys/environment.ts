/** The process environment, passed in by the caller. Never read from a project's `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;
