/** Raised by changes that break hosts; docs/versions.md lists which do. */
export const PROTOCOL_VERSION = 1;

/** What clients of oh-my-pi negotiate: version 1 with long lines in chunks. */
export const CHUNKED_PROTOCOL_VERSION = 2;
