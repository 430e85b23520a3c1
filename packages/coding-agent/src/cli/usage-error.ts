/** A mistake in the command line, which the message describes. The process exits with code 2. */
export class UsageError extends Error {}
