import { type FieldNotes, FieldReader, isHttpUrl } from "../../config/field-reader.ts";

/** How one logs in at a server. All of it can be missing: servers say where, and most take a client that they do not know. */
export interface OAuthSpec {
  clientId?: string;
  clientSecret?: string;
  scope?: string;
  /** Without it the login comes back to a port of this machine. */
  redirectUri?: string;
  /** Where a description of this client stands, for servers that ask for one. */
  clientMetadataUrl?: string;
  /** The only authorization server that gets the client's secret. */
  issuer?: string;
  /** The program itself logs in, and no person. */
  isForProgram: boolean;
  /** In the place of a secret: a key in PEM. */
  privateKey?: string;
  algorithm?: string;
}

const NO_FIELDS: OAuthSpec = { isForProgram: false };
const TEXTS = ["clientId", "clientSecret", "scope", "issuer", "privateKey", "algorithm"] as const;
const ADDRESSES = ["redirectUri", "clientMetadataUrl"] as const;

/** undefined: there is no login. Names of other programs' files are understood: `auth: "oauth"`. */
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
