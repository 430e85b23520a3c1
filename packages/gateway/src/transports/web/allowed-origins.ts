import { ServeError } from "../../serve-error.ts";
import { isLoopbackName } from "./site-rules.ts";

interface AllowedOrigin {
  /** `https://name` or `http://name:port`, as browsers send it. */
  origin: string;
  /** Whether every port of the name is allowed. */
  isAnyPort: boolean;
}

const FORM = /^(https?):\/\/(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}|\*))?$/i;

/** Other origins whose pages may connect. Each is named exactly; only names of this machine may allow any port. */
export class AllowedOrigins {
  readonly #list: readonly AllowedOrigin[];

  /** Throws ServeError for text that is not one origin. */
  constructor(texts: readonly string[]) {
    this.#list = texts.map(parse);
  }

  get isEmpty(): boolean {
    return this.#list.length === 0;
  }

  includes(origin: string): boolean {
    return this.#list.some((allowed) => (allowed.isAnyPort ? withoutPort(origin) : origin) === allowed.origin);
  }
}

function parse(text: string): AllowedOrigin {
  const [, scheme = "", name = "", port] = FORM.exec(text) ?? [];
  if (name === "") throw refusal(text, "expected an origin such as https://app.example.com or http://localhost:5173");
  const isAnyPort = port === "*";
  if (isAnyPort && !isLoopbackName(name.toLowerCase()))
    throw refusal(text, "only names of this machine may have any port");
  const address = `${scheme}://${name}${port === undefined || isAnyPort ? "" : `:${port}`}`;
  const url = URL.parse(address);
  if (!url) throw refusal(text, "its port is invalid");
  return { origin: url.origin, isAnyPort };
}

function withoutPort(origin: string): string {
  const [, scheme, name] = FORM.exec(origin) ?? [];
  return scheme === undefined ? origin : `${scheme}://${name}`;
}

function refusal(text: string, why: string): ServeError {
  return new ServeError(`--allow-origin ${text}: ${why}`);
}

/** Checks origins. Throws ServeError. */
export function checkOrigins(texts: readonly string[]): void {
  texts.forEach(parse);
}
