import { AllowedOrigins } from "./allowed-origins.ts";
import { AuthFailures } from "./auth-failures.ts";
import { readOffer } from "./offered-token.ts";
import { SiteRules } from "./site-rules.ts";
import { isTokenLike, type Token } from "./token.ts";

export interface AuthorizerOptions {
  token: Token;
  publicHosts: readonly string[];
  /** Other origins whose pages may connect to the server. */
  allowOrigins?: readonly string[] | undefined;
  maxAuthFailures: number;
}

/** Keeps responses private to the client, and makes browsers respect the declared content type. */
const HEADERS = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

export function answer(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(`${text}\n`, {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", ...HEADERS, ...headers },
  });
}

export function tooManyFailures(pauseMs: number): Response {
  return answer(429, "too many requests without the right token", { "retry-after": `${Math.ceil(pauseMs / 1000)}` });
}

/** Authorizes requests. Each check returns the response if it refuses; checks that are cheap and reveal nothing come first. */
export class Authorizer {
  readonly failures: AuthFailures;
  readonly #token: Token;
  readonly #sites: SiteRules;
  readonly #allowed: AllowedOrigins;

  constructor({ token, publicHosts, allowOrigins = [], maxAuthFailures }: AuthorizerOptions) {
    this.#token = token;
    this.#allowed = new AllowedOrigins(allowOrigins);
    this.#sites = new SiteRules(publicHosts, this.#allowed);
    this.failures = new AuthFailures(maxAuthFailures);
  }

  /** Checks every request except the health check. */
  refuseSite({ method, headers }: Request, { searchParams }: URL): Response | undefined {
    const refusal = this.#sites.refusal(headers);
    if (refusal !== undefined) return answer(403, refusal);
    if (hasTokenLike(searchParams))
      return answer(
        400,
        "do not put the token into the address, where logs and histories keep it: send it in the Authorization header, or as the sub-protocol pintle.token.<token> next to pintle",
      );
    if (method === "OPTIONS" && this.#pageOrigin(headers) !== undefined) {
      return new Response(null, { status: 204, headers: { "access-control-allow-headers": "authorization" } });
    }
    if (method !== "GET" && method !== "HEAD") return answer(405, "only GET is supported", { allow: "GET, HEAD" });
    return undefined;
  }

  /** Lets a page of an allowed origin read the response. Never allows credentials: a page sends the token itself. */
  forPage({ headers }: Request, response: Response): Response {
    if (this.#allowed.isEmpty) return response;
    response.headers.append("vary", "Origin");
    const origin = this.#pageOrigin(headers);
    if (origin !== undefined) response.headers.set("access-control-allow-origin", origin);
    return response;
  }

  /** Returns undefined if the request does not come from a page of an allowed origin. */
  #pageOrigin(headers: Headers): string | undefined {
    const origin = headers.get("origin");
    return origin !== null && this.#allowed.includes(origin) ? origin : undefined;
  }

  /**
   * Checks the token. The right token is always accepted, so wrong ones from the same address cannot lock a host out.
   */
  refuseBearer({ headers }: Request, address: string): Response | undefined {
    const { token } = readOffer(headers);
    if (token !== undefined && this.#token.isMatchedBy(token)) return undefined;
    const pauseMs = this.failures.pauseMs(address);
    if (pauseMs > 0) return tooManyFailures(pauseMs);
    this.failures.add(address);
    const text = token === undefined ? "a token is required" : "the token is wrong";
    return answer(401, text, { "www-authenticate": "Bearer" });
  }
}

/**
 * Whether a query contains anything with the form of a token, right or wrong, so that the response does not reveal
 * whether a guess was right.
 */
function hasTokenLike(query: URLSearchParams): boolean {
  return [...query].some(
    ([name, value]) => /token|authorization/i.test(name) || isTokenLike(name) || isTokenLike(value),
  );
}
