import { randomBytes, timingSafeEqual } from "node:crypto";
import type {
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { OAuthSpec } from "../config/oauth-spec.ts";
import type { LoginFile } from "./login-file.ts";
import { RedirectListener } from "./redirect-listener.ts";

/**
 * Shows a person a URL and returns the one to which the browser was redirected; null if the person did not log in;
 * undefined if there is no one to ask.
 */
export type AskLogin = (url: string, signal: AbortSignal) => Promise<string | null | undefined>;

export interface OAuthLoginParts {
  file: LoginFile;
  spec: OAuthSpec;
  ask: AskLogin;
}

const UNASKED =
  "it requires a login, and this host cannot show one (mcpAuth); put a token into its headers, or use another host";

/**
 * Logs a user in to one server. The official client reads the stored credentials from it and passes it the address that the
 * user must open; `finish` then sends the user there and processes the redirect.
 */
export class OAuthLogin implements OAuthClientProvider {
  /** Assigned only if configured, because the official client declares it as an exact optional property. */
  declare readonly clientMetadataUrl?: string;
  readonly #parts: OAuthLoginParts;
  #listener: RedirectListener | undefined;
  #verifier = "";
  #state = "";
  #address: URL | undefined;
  #isUnasked = false;
  /** Exchanges the authorization code, using what is known about the request that needed the login. */
  redeem: (answer: URLSearchParams) => Promise<void> = async () => {};

  constructor(parts: OAuthLoginParts) {
    this.#parts = parts;
    const { clientMetadataUrl } = parts.spec;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }

  /** Whether a user must log in first. */
  get isWanted(): boolean {
    return this.#address !== undefined;
  }

  /** Whether the last login failed because no user could be asked. */
  get isUnasked(): boolean {
    return this.#isUnasked;
  }

  /** Asks the user to log in. Rejects if the login does not succeed. */
  async finish(signal: AbortSignal): Promise<void> {
    const address = this.#address;
    if (!address) return;
    const stop = new AbortController();
    const asking = AbortSignal.any([signal, stop.signal]);
    try {
      const ways = [this.#parts.ask(address.href, asking), this.#listener?.redirected].filter(
        (way) => way !== undefined,
      );
      const redirect = await Promise.race(ways);
      this.#isUnasked = redirect === undefined;
      if (redirect === undefined) throw new Error(UNASKED);
      if (redirect === null) throw new Error("it requires a login, and no one has logged in");
      await this.redeem(this.#check(redirect));
    } finally {
      this.#address = undefined;
      stop.abort();
      this.close();
    }
  }

  close(): void {
    this.#listener?.[Symbol.dispose]();
    this.#listener = undefined;
  }

  get redirectUrl(): string {
    const { redirectUri } = this.#parts.spec;
    if (redirectUri !== undefined) return redirectUri;
    this.#listener ??= new RedirectListener(this.#parts.file.read().redirectUrl, (answer) => this.#isOwn(answer));
    return this.#listener.url;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { scope, clientSecret } = this.#parts.spec;
    return {
      client_name: "pintle",
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_basic",
      ...(scope !== undefined && { scope }),
    };
  }

  state(): string {
    this.#state = randomBytes(32).toString("base64url");
    return this.#state;
  }

  clientInformation(context?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret, issuer } = this.#parts.spec;
    if (clientId !== undefined) {
      const known = { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
      return issuer === undefined ? known : { ...known, issuer };
    }
    const stored = this.#parts.file.read();
    const client = stored.issuers[context?.issuer ?? stored.current ?? ""]?.client;
    // The registered redirect address is now in use by another program.
    return stored.redirectUrl === this.redirectUrl ? client : undefined;
  }

  saveClientInformation(client: StoredOAuthClientInformation, context?: OAuthClientInformationContext): void {
    const { file } = this.#parts;
    file.change((stored) => ({ ...stored, redirectUrl: this.redirectUrl }));
    file.changeIssued(context?.issuer ?? "", { client });
  }

  tokens(context?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    const { issuers, current } = this.#parts.file.read();
    return issuers[context?.issuer ?? current ?? ""]?.tokens;
  }

  saveTokens(tokens: StoredOAuthTokens, context?: OAuthClientInformationContext): void {
    this.#parts.file.changeIssued(context?.issuer ?? "", { tokens });
  }

  redirectToAuthorization(address: URL): void {
    this.#address = address;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveDiscoveryState(discovery: OAuthDiscoveryState): void {
    this.#parts.file.change((stored) => ({ ...stored, discovery }));
  }

  /** Kept for this login only, because older server metadata may be outdated. */
  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#address ? this.#parts.file.read().discovery : undefined;
  }

  invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): void {
    if (what === "verifier") {
      this.#verifier = "";
      return;
    }
    this.#parts.file.change(({ discovery, ...stored }) => {
      const issuer = stored.current ?? "";
      const { client, tokens } = stored.issuers[issuer] ?? {};
      const kept = {
        ...(what === "tokens" || what === "discovery" ? client && { client } : {}),
        ...(what === "client" || what === "discovery" ? tokens && { tokens } : {}),
      };
      const keepsDiscovery = what === "tokens" || what === "client";
      return {
        ...stored,
        issuers: { ...stored.issuers, [issuer]: kept },
        ...(keepsDiscovery && discovery && { discovery }),
      };
    });
  }

  /**
   * The redirect belongs to this login and no other. Its strings come from the authorization server and are never
   * shown.
   */
  #check(redirect: string): URLSearchParams {
    if (!URL.canParse(redirect)) throw new Error("the login returned an invalid address");
    const { searchParams } = new URL(redirect);
    if (!this.#isOwn(searchParams)) {
      throw new Error("the redirect belongs to another login (its state differs)");
    }
    return searchParams;
  }

  #isOwn(answer: URLSearchParams): boolean {
    const [given, wanted] = [Buffer.from(answer.get("state") ?? ""), Buffer.from(this.#state)];
    return wanted.length > 0 && given.length === wanted.length && timingSafeEqual(given, wanted);
  }
}
