import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { errorText } from "@pintle/ai";
import { ServeError } from "../../serve-error.ts";

const TOKEN_BYTES = 32;
/** Safe in a header and in the name of a sub-protocol. */
const USABLE = /^[A-Za-z0-9._~-]{32,512}$/;
const USABLE_TEXT = "32 to 512 characters of A-Z a-z 0-9 . _ ~ -";
const OTHERS = 0o077;

export interface TokenSources {
  file?: string | undefined;
  /** The value of `PINTLE_SERVE_TOKEN`. */
  variable?: string | undefined;
}

/**
 * The token that hosts authenticate with. Only its digest is stored, so that it does not appear in a dump of this
 * object.
 */
export class Token {
  /** The text of a token that was generated here, so that it can be shown to the user; otherwise undefined. */
  readonly fresh: string | undefined;
  readonly #digest: Buffer;

  private constructor(text: string, isFresh: boolean) {
    this.fresh = isFresh ? text : undefined;
    this.#digest = digest(text);
  }

  static from({ file, variable }: TokenSources): Token {
    if (file !== undefined) return new Token(readTokenFile(file), false);
    if (variable !== undefined && variable !== "") return new Token(usable(variable, "PINTLE_SERVE_TOKEN"), false);
    return new Token(randomBytes(TOKEN_BYTES).toString("base64url"), true);
  }

  isSameAs(other: Token): boolean {
    return timingSafeEqual(this.#digest, other.#digest);
  }

  /** Compares digests in constant time. */
  isMatchedBy(text: string): boolean {
    return timingSafeEqual(digest(text), this.#digest);
  }
}

/** Whether the string has the form of a token, right or wrong. */
export function isTokenLike(text: string): boolean {
  return USABLE.test(text);
}

/** Reads the token from a file that other users cannot read. Throws ServeError. */
export function readTokenFile(path: string): string {
  return usable(readPrivateFile(path), path);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

function usable(text: string, where: string): string {
  if (!USABLE.test(text)) throw new ServeError(`the token in ${where} must have ${USABLE_TEXT}`);
  return text;
}

/** Reads a private file. Checks the descriptor, not the path, because another file could replace it in between. */
function readPrivateFile(path: string): string {
  let descriptor: number;
  try {
    descriptor = openSync(path, "r");
  } catch (error) {
    throw new ServeError(`the token file cannot be read: ${errorText(error)}`);
  }
  try {
    const { mode, uid } = fstatSync(descriptor);
    if (uid !== process.getuid?.() && uid !== 0) throw new ServeError(`${path} belongs to another user`);
    if ((mode & OTHERS) !== 0)
      throw new ServeError(`${path} can be read by other users (mode ${(mode & 0o777).toString(8)}); chmod 600 it`);
    return readFileSync(descriptor, "utf8").trim();
  } finally {
    closeSync(descriptor);
  }
}
