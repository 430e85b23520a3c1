/** What the suite reports about the running scenario. */
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const context: {
  client_id?: string;
  client_secret?: string;
  private_key_pem?: string;
  signing_algorithm?: string;
  toolCalls?: { name: string; arguments: object }[];
} = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");

const known = () => ({ clientId: context.client_id, clientSecret: context.client_secret });

/** The login settings that a user would have configured. */
const LOGINS: Readonly<Record<string, () => object>> = {
  "auth/pre-registration": known,
  "auth/basic-cimd": () => ({ clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }),
  "auth/client-credentials-basic": () => ({ grantType: "client_credentials", ...known() }),
  "auth/client-credentials-jwt": () => ({
    grantType: "client_credentials",
    clientId: context.client_id,
    privateKey: context.private_key_pem,
    algorithm: context.signing_algorithm,
  }),
};

export function oauthOf(): object | undefined {
  return LOGINS[scenario]?.();
}

interface Declared {
  name: string;
  parameters: object;
}

interface Schema {
  properties?: Record<string, { type?: string }>;
  required?: string[];
}

const SAMPLES: Readonly<Record<string, unknown>> = { string: "text", number: 5, integer: 3, boolean: true, array: [] };

/** The arguments that the scenario expects; otherwise a value for each required argument. */
export function toolArguments(tool: string, { properties = {}, required }: Schema, offered: Declared[]): object {
  const wanted = context.toolCalls?.find(({ name }) => name === tool);
  if (wanted) return wanted.arguments;
  // One scenario compares the schema that reaches the model with the one that the server declared.
  if (tool === "json_schema_echo")
    return { schema: offered.find(({ name }) => name.endsWith("_2020_12_tool"))?.parameters };
  const names = required ?? Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, SAMPLES[properties[name]?.type ?? "string"] ?? {}]));
}
