import { AuthFailures } from "./auth-failures.ts";
import { answer, tooManyFailures } from "./authorize.ts";
import { readOffer } from "./offered-token.ts";
import type { Token } from "./token.ts";

/** Authorizes the nodes that relay hosts here by the token of the cluster. Refuses pages in browsers. */
export class NodeAuthorizer {
  readonly #token: Token;
  readonly #failures: AuthFailures;

  constructor({ token, maxAuthFailures }: { token: Token; maxAuthFailures: number }) {
    this.#token = token;
    this.#failures = new AuthFailures(maxAuthFailures);
  }

  refuse({ headers }: Request, address: string): Response | undefined {
    if (headers.has("origin")) return answer(403, "this path is for nodes, not for pages");
    const { token } = readOffer(headers);
    if (token !== undefined && this.#token.isMatchedBy(token)) return undefined;
    const pauseMs = this.#failures.pauseMs(address);
    if (pauseMs > 0) return tooManyFailures(pauseMs);
    this.#failures.add(address);
    return answer(401, "the token of the cluster is required");
  }
}
