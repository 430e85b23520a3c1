import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { isRecord } from "@pintle/ai";
import { replaceFile } from "@pintle/foundation";

/** Credentials that an authorization server issued for one MCP server. */
interface IssuedHere {
  client?: StoredOAuthClientInformation;
  tokens?: StoredOAuthTokens;
}

interface Stored {
  server: string;
  issuers: Record<string, IssuedHere>;
  /** Issuer whose tokens are in use. */
  current?: string;
  discovery?: OAuthDiscoveryState;
  /** Registered redirect address of the client. */
  redirectUrl?: string;
}

/**
 * Stores the logins for one server in a file that only its owner can read. Every access reads the file, because another
 * session may have newer tokens. Credentials of one issuer are never sent to another.
 */
export class LoginFile {
  readonly #directory: string;
  readonly #path: string;
  readonly #server: string;

  constructor(home: string, server: string) {
    this.#server = server;
    this.#directory = join(home, "mcp-logins");
    this.#path = join(this.#directory, `${createHash("sha256").update(server).digest("hex").slice(0, 32)}.json`);
  }

  read(): Stored {
    try {
      const value: unknown = JSON.parse(readFileSync(this.#path, "utf8"));
      if (isStored(value) && value.server === this.#server) return value;
    } catch {
      // A missing or unusable file means no login.
    }
    return { server: this.#server, issuers: {} };
  }

  change(change: (stored: Stored) => Stored): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const content = Buffer.from(`${JSON.stringify(change(this.read()), null, 2)}\n`);
    replaceFile(this.#path, { content, mode: 0o600, isPrivate: true, fsync: true });
  }

  changeIssued(issuer: string, change: Partial<IssuedHere>): void {
    this.change((stored) => ({
      ...stored,
      issuers: { ...stored.issuers, [issuer]: { ...stored.issuers[issuer], ...change } },
      ...(change.tokens && { current: issuer }),
    }));
  }

  /** Secrets that must not appear in messages. */
  secrets(): string[] {
    const issued = Object.values(this.read().issuers);
    return issued.flatMap(({ client, tokens }) => {
      const known = [tokens?.access_token, tokens?.refresh_token, tokens?.id_token];
      const secret = client && "client_secret" in client ? client.client_secret : undefined;
      return [...known, secret].filter((text): text is string => typeof text === "string");
    });
  }
}

function isStored(value: unknown): value is Stored {
  return isRecord(value) && typeof value.server === "string" && isRecord(value.issuers);
}
