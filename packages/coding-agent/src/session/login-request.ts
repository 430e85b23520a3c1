/** A person is to log in at a server. */
export interface LoginRequest {
  server: string;
  url: string;
  signal: AbortSignal;
}

/**
 * Leads a person to a login and gives the address that the browser was sent back to; null: nobody has logged in; undefined:
 * there is nobody who could be asked.
 */
export type AskLogin = (request: LoginRequest) => Promise<string | null | undefined>;
