import { type FieldNotes, FieldReader, isHttpUrl } from "../../config/field-reader.ts";

/** Login options for a server. All are optional: servers announce where to log in, and most accept unknown clients. */
export interface OAuthSpec {
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  /** If unset, the login redirects to a port on this machine. */
  redirectUri?: string;
  /** URL of this client's metadata document, for servers that require one. */
  clientMetadataUrl?: string;
  /** The only authorization server that receives the client's secret. */
  issuer?: string;
  /** True if the program logs in by itself, without a user. */
  isForProgram: boolean;
  /** A PEM key, instead of a secret. */
  privateKey?: string;
  algorithm?: string;
}

const NO_FIELDS: OAuthSpec = { isForProgram: false };
const TEXTS = ["clientId", "clientSecret", "scope", "issuer", "privateKey", "algorithm"] as const;
const ADDRESSES = ["redirectUri", "clientMetadataUrl"] as const;

/** Returns undefined if there is no login. Accepts names from other programs' files: `auth: "oauth"`. */
export function readOAuth(value: Readonly<Record<string, unknown>>, notes: FieldNotes): OAuthSpec | undefined {
  const { auth, oauth } = value;
  if (oauth === false || oauth === null || auth === "none" || auth === false || auth === null) return undefined;
  const written = oauth === undefined || oauth === true ? auth : oauth;
  if (written === undefined || written === true || written === "oauth") return NO_FIELDS;
  const fields = FieldReader.of(written, oauth === undefined ? "auth" : "oauth", notes);
  if (!fields) return NO_FIELDS;
  const spec: OAuthSpec = { isForProgram: false };
  for (const name of TEXTS) {
    const text = fields.text(name);
    if (text !== undefined) spec[name] = text;
  }
  for (const name of ADDRESSES) {
    const address = fields.httpUrl(name);
    if (address !== undefined && isHttpUrl(address)) spec[name] = address;
  }
  spec.isForProgram = readGrant(fields);
  const hasSecret = spec.clientSecret !== undefined || spec.privateKey !== undefined;
  if (spec.isForProgram && (spec.clientId === undefined || !hasSecret)) {
    fields.error("grantType", "client_credentials needs clientId and clientSecret or privateKey");
  }
  return spec;
}

function readGrant(fields: FieldReader): boolean {
  const grant = fields.text("grantType");
  if (grant !== undefined && grant !== "authorization_code" && grant !== "client_credentials") {
    fields.error("grantType", "must be authorization_code or client_credentials");
  }
  return grant === "client_credentials";
}
