/** Something that the user named or configured does not exist or does not work. The message says what. */
export class StartUpError extends Error {}
