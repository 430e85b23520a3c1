/** Thrown if the server cannot start with these options. The message gives the user the reason. */
export class ServeError extends Error {
  override name = "ServeError";
}
