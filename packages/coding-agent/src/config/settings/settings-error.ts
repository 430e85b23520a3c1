/** A value that cannot be accepted, or a settings file that cannot be changed; the message says which and why. */
export class SettingsError extends Error {
  override name = "SettingsError";
}
