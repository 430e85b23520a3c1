/** Raised by a change that breaks hosts; docs/versions.md says which do. */
export const PROTOCOL_VERSION = 1;
