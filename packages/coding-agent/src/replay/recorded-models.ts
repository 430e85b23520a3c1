import { join } from "node:path";
import { catalogueOf, hasKnownPrice, isRecord, type Model, UNDESCRIBED } from "@pintle/ai";
import { replaceFile } from "@pintle/foundation";
import type { Mask } from "./masking/mask.ts";
import { listRecordings, RecordingsError, readJson, readRequest } from "./recording/recording-directory.ts";

const FILE = "models.json";
/** Never called; adapters only need an address that can be parsed. */
const NO_ADDRESS = "http://recorded.invalid";

/**
 * Returns the models of a directory, in the order in which they were first used. They are stored as they were, because a model's
 * metadata shapes the request: with newer metadata, an old recording would no longer be found.
 */
export function readRecordedModels(directory: string): Model[] {
  const file = join(directory, FILE);
  const value = readJson(file) ?? [];
  if (!Array.isArray(value) || !value.every(isModel)) throw new RecordingsError(`${file} is not a list of models`);
  // A price that is not known stays so: reports to the model say it.
  const models = value.map((model): Model => (model.cost ? model : { ...model, cost: UNDESCRIBED.cost }));
  return models.length > 0 ? models : modelsOfRequests(directory);
}

/** Adds a model on its first use, without its headers and the secrets in its address. */
export function addRecordedModel(directory: string, model: Model, mask: Mask): void {
  const stored = readJson(join(directory, FILE));
  const known = Array.isArray(stored) ? stored.filter(isModel) : [];
  if (known.some(({ provider, id }) => provider === model.provider && id === model.id)) return;
  const { headers: _, baseUrl, cost, ...rest } = model;
  const facts = hasKnownPrice(model) ? { ...rest, cost } : rest;
  const added: typeof facts = JSON.parse(mask.text(JSON.stringify(facts)));
  const models = [...known, { ...added, baseUrl: plainAddress(baseUrl, mask) }];
  const content = Buffer.from(`${JSON.stringify(models, null, 2)}\n`);
  replaceFile(join(directory, FILE), { content, mode: 0o600 });
}

/** Returns the address without user name, password and query. */
function plainAddress(baseUrl: string, mask: Mask): string {
  if (!URL.canParse(baseUrl)) return NO_ADDRESS;
  const { protocol, host, pathname } = new URL(baseUrl);
  const address = mask.text(`${protocol}//${host}${pathname.replace(/\/+$/, "")}`);
  return URL.canParse(address) ? address : NO_ADDRESS;
}

/** For a directory without the list: derives the models from the requests and the catalogue. */
function modelsOfRequests(directory: string): Model[] {
  const models = new Map<string, Model>();
  for (const { name } of listRecordings(directory)) {
    const request = readRequest(directory, name);
    if (!request) continue;
    const { api, provider, model: id } = request;
    const known = catalogueOf(provider).find(({ model }) => model.id === id)?.model;
    models.set(`${provider}/${id}`, {
      ...UNDESCRIBED,
      baseUrl: NO_ADDRESS,
      ...known,
      id,
      name: known?.name ?? id,
      provider,
      api,
    });
  }
  return [...models.values()];
}

function isModel(value: unknown): value is Model {
  const { id, provider, api }: Record<string, unknown> = isRecord(value) ? value : {};
  return [id, provider, api].every((text) => typeof text === "string");
}
