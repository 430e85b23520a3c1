/** The server cannot start with these options. The message gives the reason to the person who started it. */
export class ServeError extends Error {
  override name = "ServeError";
}
