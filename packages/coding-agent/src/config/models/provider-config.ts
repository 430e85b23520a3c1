import {
  type Compat,
  type ForeignStream,
  findKnownProvider,
  type Model,
  offlineModel,
  PROVIDER_APIS,
  THINKING_WORDS,
} from "@pintle/ai";
import { type FieldNotes, FieldReader } from "../field-reader.ts";
import { readCompat } from "./compat-fields.ts";
import { isPackageName } from "./provider-package.ts";

/** What can be configured for a model, listed or built in. */
export interface ModelPatch {
  name?: string;
  reasoning?: boolean;
  input?: Model["input"];
  cost?: Partial<Model["cost"]>;
  contextWindow?: number;
  maxTokens?: number;
  headers?: Record<string, string>;
  compat?: Compat;
  thinkingLevelMap?: Model["thinkingLevelMap"];
}

export interface ListedModel extends ModelPatch {
  id: string;
  api?: string;
  baseUrl?: string;
}

/** One validated provider of `models.json`. Keys and headers are as written, and resolved when a request is made. */
export interface ProviderConfig {
  baseUrl?: string;
  /** One of our APIs, or with `foreign` any name. */
  api?: string;
  /** Calls the models; only an extension can provide it. */
  foreign?: ForeignStream;
  /** For the API `ai-sdk`: the package and the options of its factory. */
  package?: string;
  options?: Record<string, unknown>;
  apiKey?: string;
  headers?: Record<string, string>;
  authHeader?: boolean;
  auth?: "apiKey" | "none";
  compat?: Compat;
  models: ListedModel[];
  /** True if the provider has no other models, even if some are built in. */
  hasAllModels?: boolean;
  modelOverrides: ReadonlyMap<string, ModelPatch>;
}

const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;

/** Returns undefined if `notes` received an error, because a partly valid provider would send requests somewhere unexpected. */
export function readProviderConfig(
  id: string,
  value: unknown,
  notes: FieldNotes,
  foreign?: ForeignStream,
): ProviderConfig | undefined {
  const fields = FieldReader.of(value, `providers.${id}`, notes);
  if (id === offlineModel.provider) notes.errors.push(`providers.${id} is built into pintle and cannot be changed`);
  if (!fields) return undefined;
  const compat = fields.object("compat");
  const config = withoutUndefined<ProviderConfig>({
    baseUrl: fields.httpUrl("baseUrl"),
    foreign,
    api: foreign ? (fields.text("api") ?? findKnownProvider(id)?.api ?? id) : fields.choice("api", PROVIDER_APIS),
    package: fields.text("package"),
    options: fields.anyObject("options"),
    apiKey: fields.text("apiKey"),
    headers: readHeaders(fields),
    authHeader: fields.flag("authHeader"),
    auth: fields.choice("auth", ["apiKey", "none"]),
    compat: compat && readCompat(compat),
    models: fields.list("models").flatMap((model) => readListedModel(model, foreign) ?? []),
    modelOverrides: readOverrides(fields.object("modelOverrides")),
  });
  fields.warnAboutUnknown();
  checkCompleteness(id, config, fields);
  return notes.errors.length === 0 ? withoutDuplicates(config, fields, notes) : undefined;
}

function checkCompleteness(id: string, { models, ...config }: ProviderConfig, fields: FieldReader): void {
  const isBridged = config.api === "ai-sdk" || models.some(({ api }) => api === "ai-sdk");
  if (isBridged && !fields.has("package")) fields.error("package", "is required with the api ai-sdk");
  if (config.package && !isPackageName(config.package)) fields.error("package", "must be the name of a package");
  if (findKnownProvider(id) || models.length === 0 || config.foreign) return;
  const needsUrl = models.some((model) => (model.api ?? config.api) !== "ai-sdk" && !model.baseUrl);
  if (needsUrl && !fields.has("baseUrl")) fields.error("baseUrl", "is required: pintle does not know this provider");
  if (models.some((model) => !model.api) && !fields.has("api")) {
    fields.error("api", "is required: pintle does not know this provider");
  }
}

function readListedModel(fields: FieldReader, foreign: ForeignStream | undefined): ListedModel | undefined {
  const id = fields.requiredText("id");
  const model = withoutUndefined<ListedModel>({
    id: id ?? "",
    api: foreign ? fields.text("api") : fields.choice("api", PROVIDER_APIS),
    baseUrl: fields.httpUrl("baseUrl"),
    ...readModelPatch(fields),
  });
  fields.warnAboutUnknown();
  return id === undefined ? undefined : model;
}

function readOverrides(fields: FieldReader | undefined): Map<string, ModelPatch> {
  const overrides = new Map<string, ModelPatch>();
  for (const [id, override] of fields?.entries() ?? []) {
    overrides.set(id, readModelPatch(override));
    override.warnAboutUnknown();
  }
  return overrides;
}

function readModelPatch(fields: FieldReader): ModelPatch {
  const compat = fields.object("compat");
  const cost = fields.object("cost");
  return withoutUndefined<ModelPatch>({
    name: fields.text("name"),
    reasoning: fields.flag("reasoning"),
    input: fields.choices("input", ["text", "image"]),
    cost: cost && readCost(cost),
    contextWindow: fields.count("contextWindow"),
    maxTokens: fields.count("maxTokens"),
    headers: readHeaders(fields),
    compat: compat && readCompat(compat),
    thinkingLevelMap: readThinkingLevelMap(fields),
  });
}

function readCost(fields: FieldReader): Partial<Model["cost"]> {
  const cost = withoutUndefined<Partial<Model["cost"]>>({
    input: fields.price("input"),
    output: fields.price("output"),
    cacheRead: fields.price("cacheRead"),
    cacheWrite: fields.price("cacheWrite"),
  });
  fields.warnAboutUnknown();
  return cost;
}

function readHeaders(fields: FieldReader): Record<string, string> | undefined {
  const headers = fields.texts("headers");
  const isSendable = Object.keys(headers ?? {}).every((name) => HEADER_NAME.test(name));
  if (!isSendable) fields.error("headers", "contains an invalid header name");
  return headers;
}

function readThinkingLevelMap(fields: FieldReader): Model["thinkingLevelMap"] {
  const map = fields.anyObject("thinkingLevelMap");
  if (!map) return undefined;
  const isMap = Object.entries(map).every(
    ([level, word]) => THINKING_WORDS.some((known) => known === level) && (word === null || typeof word === "string"),
  );
  if (!isMap) fields.error("thinkingLevelMap", `must map ${THINKING_WORDS.join(" or ")} to a string or null`);
  return map as Model["thinkingLevelMap"];
}

/** Keeps the first of several models with the same id. */
function withoutDuplicates(config: ProviderConfig, fields: FieldReader, notes: FieldNotes): ProviderConfig {
  const seen = new Set<string>();
  const models = config.models.filter(({ id }, index) => {
    if (!seen.has(id)) return seen.add(id);
    notes.warnings.push(`${fields.path}.models[${index}].id is used twice; only the first one applies`);
    return false;
  });
  return { ...config, models };
}

function withoutUndefined<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
