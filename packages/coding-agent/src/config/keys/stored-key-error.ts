/** Why a key cannot be stored or taken away. No value is in the text. */
export class StoredKeyError extends Error {
  readonly isMissing: boolean;

  constructor(message: string, { isMissing = false, ...options }: { isMissing?: boolean } & ErrorOptions = {}) {
    super(message, options);
    this.isMissing = isMissing;
  }
}
