/** A value that is not accepted, or a settings file that cannot be changed. The message says which and why. */
export class SettingsError extends Error {
  override name = "SettingsError";
}
