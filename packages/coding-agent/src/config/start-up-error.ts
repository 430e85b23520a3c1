/** Something that the user named or configured does not exist or does not work; the message says what. */
export class StartUpError extends Error {}
