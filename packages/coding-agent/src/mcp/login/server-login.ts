import {
  ClientCredentialsProvider,
  type OAuthClientProvider,
  PrivateKeyJwtProvider,
} from "@modelcontextprotocol/client";
import type { HttpSpec } from "../config/server-spec.ts";
import { LoginFile } from "./login-file.ts";
import { type AskLogin, OAuthLogin } from "./oauth-login.ts";

/** The login for a server. */
export interface ServerLogin {
  provider: OAuthClientProvider;
  /** Login by a user, or undefined if the program logs in by itself. */
  person?: OAuthLogin;
  /** Secrets that must not appear in messages. */
  secrets(): readonly string[];
}

/** Returns undefined if this server has no login. */
export function createLogin({ url, oauth }: HttpSpec, home: string, ask: AskLogin): ServerLogin | undefined {
  if (!oauth) return undefined;
  const { clientId, clientSecret, privateKey, algorithm = "ES256", scope, issuer, isForProgram } = oauth;
  if (!isForProgram || clientId === undefined) {
    const file = new LoginFile(home, url);
    const person = new OAuthLogin({ file, spec: oauth, ask });
    return { provider: person, person, secrets: () => file.secrets() };
  }
  const common = { clientId, clientName: "pintle", ...(scope !== undefined && { scope }) };
  const bound = { ...common, ...(issuer !== undefined && { expectedIssuer: issuer }) };
  const provider =
    privateKey === undefined
      ? new ClientCredentialsProvider({ ...bound, clientSecret: clientSecret ?? "" })
      : new PrivateKeyJwtProvider({ ...bound, privateKey, algorithm });
  return { provider, secrets: () => [provider.tokens()?.access_token ?? ""].filter((token) => token !== "") };
}
