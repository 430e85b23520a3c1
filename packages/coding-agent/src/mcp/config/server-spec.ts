import { homedir } from "node:os";
import { resolve } from "node:path";
import { isRecord, LONGEST_TIMER_MS } from "@pintle/ai";
import { expandHome } from "@pintle/foundation";
import { type FieldNotes, FieldReader, isHttpUrl } from "../../config/field-reader.ts";
import type { Environment } from "../../config/keys/environment.ts";
import { expandFields } from "./expand-fields.ts";
import { type OAuthSpec, readOAuth } from "./oauth-spec.ts";

export type ServerTransport = "stdio" | "http" | "sse";

interface CommonSpec {
  name: string;
  /** Time limit for connecting and for listing tools. */
  timeoutMs: number;
  /** How long a call may go without a response or progress. */
  callTimeoutMs: number;
  /** Values of variables whose names suggest a secret. They must not appear in messages. */
  secrets: readonly string[];
}

export interface StdioSpec extends CommonSpec {
  transport: "stdio";
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
}

export interface HttpSpec extends CommonSpec {
  transport: "http" | "sse";
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Undefined if the server has no login: without a valid token in the headers, requests fail. */
  oauth: OAuthSpec | undefined;
}

/** A validated server definition with its variables expanded. */
export type ServerSpec = StdioSpec | HttpSpec;

export interface SpecSurroundings {
  cwd: string;
  /** Environment for variable expansion. */
  env: Environment;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Calls take longer than a handshake. The same limit as for host tools. */
const DEFAULT_CALL_TIMEOUT_MS = 600_000;
const MAX_ARGS = 1_000;

/** Transport names that other programs write into the same files. */
const TRANSPORTS: Readonly<Record<string, ServerTransport>> = {
  stdio: "stdio",
  http: "http",
  "streamable-http": "http",
  streamableHttp: "http",
  sse: "sse",
};

/** Returns undefined if it is disabled. Problems name fields, never values. */
export function readServer(
  name: string,
  value: unknown,
  surroundings: SpecSurroundings,
): ServerSpec | { problems: string[] } | undefined {
  if (!isRecord(value)) return { problems: ["must be an object"] };
  if (value.enabled === false || value.disabled === true) return undefined;
  const notes: FieldNotes = { errors: [], warnings: [] };
  const secrets = new Set<string>();
  const expanded = expandFields(value, { env: surroundings.env, notes, secrets });
  const spec = readFields({ name, secrets: [...secrets] }, expanded, surroundings, notes);
  return notes.errors.length > 0 || !spec ? { problems: notes.errors } : spec;
}

function readFields(
  identity: Pick<CommonSpec, "name" | "secrets">,
  value: Record<string, unknown>,
  { cwd, env }: SpecSurroundings,
  notes: FieldNotes,
): ServerSpec | undefined {
  const fields = FieldReader.of(value, "", notes);
  if (!fields) return undefined;
  fields.flag("enabled");
  fields.flag("disabled");
  const transport = readTransport(fields, value);
  if (!transport) return undefined;
  const timeout = fields.count("timeout");
  const common = {
    ...identity,
    timeoutMs: Math.min(timeout ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMER_MS),
    callTimeoutMs: Math.min(timeout ?? DEFAULT_CALL_TIMEOUT_MS, LONGEST_TIMER_MS),
  };
  if (transport !== "stdio") {
    const url = readUrl(fields);
    const headers = readHeaders(fields);
    if (url === undefined) return undefined;
    const secrets = [...common.secrets, ...secretsIn(value.oauth)];
    const hasToken = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
    return { ...common, secrets, transport, url, headers, oauth: hasToken ? undefined : readOAuth(value, notes) };
  }
  const command = fields.requiredText("command");
  const args = readArguments(fields, value.args);
  const directory = fields.text("cwd");
  const variables = readVariables(fields);
  if (command === undefined) return undefined;
  return {
    ...common,
    transport,
    command,
    args,
    env: variables,
    cwd: directory === undefined ? cwd : resolve(cwd, expandHome(directory, env.HOME || homedir())),
  };
}

/** Exactly one of the two must be set, and `type` must match it. */
function readTransport(fields: FieldReader, value: Record<string, unknown>): ServerTransport | undefined {
  const [hasCommand, hasUrl] = [fields.has("command"), fields.has("url")];
  if (hasCommand === hasUrl) {
    fields.error(hasCommand ? "command and url" : "command or url", hasCommand ? "exclude each other" : "is missing");
    return undefined;
  }
  if (value.type === undefined) return hasCommand ? "stdio" : "http";
  const written = typeof value.type === "string" ? value.type : "";
  const transport = Object.hasOwn(TRANSPORTS, written) ? TRANSPORTS[written] : undefined;
  if (!transport) fields.error("type", "must be stdio, http or sse");
  else if ((transport === "stdio") !== hasCommand) fields.error("type", `${transport} does not match the other fields`);
  else return transport;
  return undefined;
}

function readUrl(fields: FieldReader): string | undefined {
  const url = fields.httpUrl("url");
  if (url === undefined || !isHttpUrl(url)) return undefined;
  const { username, password } = new URL(url);
  if (username === "" && password === "") return url;
  fields.error("url", "must not contain a user name or password; use headers");
  return undefined;
}

function readHeaders(fields: FieldReader): Record<string, string> {
  const headers = fields.texts("headers") ?? {};
  try {
    new Headers(headers); // its own message would show the value
  } catch {
    fields.error("headers", "contain a name or value that HTTP does not allow");
  }
  return headers;
}

function readArguments(fields: FieldReader, args: unknown): string[] {
  if (args === undefined) return [];
  if (Array.isArray(args) && args.length <= MAX_ARGS && args.every((arg) => typeof arg === "string")) return args;
  fields.error("args", `must be a list of at most ${MAX_ARGS} strings`);
  return [];
}

function readVariables(fields: FieldReader): Record<string, string> {
  const variables = fields.texts("env") ?? {};
  if (Object.keys(variables).some((name) => name === "" || /[=\0]/.test(name))) {
    fields.error("env", "contains an invalid variable name");
  }
  return variables;
}

function secretsIn(oauth: unknown): string[] {
  if (!isRecord(oauth)) return [];
  return [oauth.clientSecret, oauth.privateKey].filter((secret): secret is string => typeof secret === "string");
}
