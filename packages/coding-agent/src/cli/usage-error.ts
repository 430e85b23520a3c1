/** The command line is wrong; the text says what. The process ends with code 2. */
export class UsageError extends Error {}
