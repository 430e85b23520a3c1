/** Why a key cannot be stored or removed. The message contains no value. */
export class StoredKeyError extends Error {
  readonly isMissing: boolean;

  constructor(message: string, { isMissing = false, ...options }: { isMissing?: boolean } & ErrorOptions = {}) {
    super(message, options);
    this.isMissing = isMissing;
  }
}
