import { ProviderError } from "../errors.ts";
import type { Model } from "../model.ts";
import type { Fetch } from "../transport/http.ts";

/** A provider package of the AI SDK that the user installed. The caller locates and loads it. */
export interface ProviderPackage {
  name: string;
  /** Options for the package's factory. */
  options?: Readonly<Record<string, unknown>>;
  load(): Promise<object>;
}

/** The part of the SDK's interface that pintle uses and that versions 2 to 4 share. */
export interface LanguageModel {
  specificationVersion: "v2" | "v3" | "v4";
  /** For example `amazon-bedrock` or `google.vertex.chat`. */
  provider: string;
  doStream(options: object): PromiseLike<{ stream: ReadableStream<unknown> }>;
}

interface Credentials {
  apiKey?: string | undefined;
  fetch?: Fetch | undefined;
}

/** The user's options win over ours, because users know their package. */
export async function loadLanguageModel(
  { name, options, load }: ProviderPackage,
  model: Model,
  { apiKey, fetch }: Credentials,
): Promise<LanguageModel> {
  const factory = findFactory(await load(), name);
  if (!factory)
    throw new ProviderError("invalid_request", `${name} is not an AI SDK provider: it exports no create… function`);
  const provider = factory({
    ...(/^https?:/.test(model.baseUrl) && { baseURL: model.baseUrl }),
    ...(apiKey && { apiKey }),
    ...(fetch && { fetch }),
    ...options,
  });
  const made = makeModel(provider, model.id);
  if (isLanguageModel(made)) return made;
  const version = (made as { specificationVersion?: unknown } | undefined)?.specificationVersion;
  throw new ProviderError(
    "invalid_request",
    `${name} speaks version ${String(version)} of the AI SDK's interface; pintle supports v2 to v4`,
  );
}

type Factory = (options: object) => unknown;

/**
 * For example `createAzure` of `@ai-sdk/azure`. If a package exports several factories, the one that matches its name
 * is used.
 */
function findFactory(module: object, name: string): Factory | undefined {
  const exports: Record<string, unknown> = { ...(module as { default?: object }).default, ...module };
  const factories = Object.entries(exports).filter(
    (entry): entry is [string, Factory] => /^create[A-Z]/.test(entry[0]) && typeof entry[1] === "function",
  );
  const wanted = letters(name);
  const likeness = ([word]: [string, Factory]) => {
    const own = letters(word.slice("create".length));
    return wanted.endsWith(own) ? 2 : wanted.includes(own) ? 1 : 0;
  };
  return factories.toSorted((a, b) => likeness(b) - likeness(a) || b[0].length - a[0].length)[0]?.[1];
}

function letters(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function makeModel(provider: unknown, id: string): unknown {
  const { languageModel } = (provider ?? {}) as { languageModel?: unknown };
  if (typeof languageModel === "function") return languageModel.call(provider, id);
  return typeof provider === "function" ? provider(id) : undefined;
}

function isLanguageModel(value: unknown): value is LanguageModel {
  const { doStream, specificationVersion } = (value ?? {}) as Partial<LanguageModel>;
  return typeof doStream === "function" && /^v[234]$/.test(`${specificationVersion}`);
}
