/** A request for the user to log in to a server. */
export interface LoginRequest {
  server: string;
  url: string;
  signal: AbortSignal;
}

/**
 * Sends a person to a login and returns the URL to which the browser was redirected; null if the person did not log in;
 * undefined if there is no one to ask.
 */
export type AskLogin = (request: LoginRequest) => Promise<string | null | undefined>;
