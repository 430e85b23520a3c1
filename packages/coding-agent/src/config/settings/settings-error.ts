/** A value that cannot be taken, or a settings file that cannot be changed; the text says which and why. */
export class SettingsError extends Error {
  override name = "SettingsError";
}
