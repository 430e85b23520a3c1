/** What the user named or configured does not exist or does not work; the text says what. */
export class StartUpError extends Error {}
