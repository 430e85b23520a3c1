/** The server cannot be started as it was asked for; the text says why, for the person who started it. */
export class ServeError extends Error {
  override name = "ServeError";
}
