import { AuthFailures } from "./auth-failures.ts";
import { readOffer } from "./offered-token.ts";
import { SiteRules } from "./site-rules.ts";
import { isTokenLike, type Token } from "./token.ts";

export interface DoorOptions {
  token: Token;
  publicHosts: readonly string[];
  maxAuthFailures: number;
}

/** Texts and data of the server are for the one who asked, as what they are said to be. */
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

/** Decides who comes in. Each check answers the request itself when it fails; what is cheap and reveals nothing comes first. */
export class Door {
  readonly failures: AuthFailures;
  readonly #token: Token;
  readonly #sites: SiteRules;

  constructor({ token, publicHosts, maxAuthFailures }: DoorOptions) {
    this.#token = token;
    this.#sites = new SiteRules(publicHosts);
    this.failures = new AuthFailures(maxAuthFailures);
  }

  /** For every request but the one for the server's health. */
  refuseSite({ method, headers }: Request, { searchParams }: URL): Response | undefined {
    const refusal = this.#sites.refusal(headers);
    if (refusal !== undefined) return answer(403, refusal);
    if (hasTokenLike(searchParams))
      return answer(
        400,
        "the token does not belong into the address, where logs and histories keep it: send it in the Authorization header, or as the sub-protocol pintle.token.<token> beside pintle",
      );
    if (method !== "GET" && method !== "HEAD") return answer(405, "only GET is served", { allow: "GET, HEAD" });
    return undefined;
  }

  /** For requests that need the token. The right one is always accepted: wrong ones from the same address lock no host out. */
  refuseBearer({ headers }: Request, address: string): Response | undefined {
    const { token } = readOffer(headers);
    if (token !== undefined && this.#token.isMatchedBy(token)) return undefined;
    const pauseMs = this.failures.pauseMs(address);
    if (pauseMs > 0) return tooManyFailures(pauseMs);
    this.failures.add(address);
    const text = token === undefined ? "this needs the token" : "the token is wrong";
    return answer(401, text, { "www-authenticate": "Bearer" });
  }
}

/** What could be a token by its form is refused, whether it is the right one or not: the answer tells nothing about a guess. */
function hasTokenLike(query: URLSearchParams): boolean {
  return [...query].some(
    ([name, value]) => /token|authorization/i.test(name) || isTokenLike(name) || isTokenLike(value),
  );
}
