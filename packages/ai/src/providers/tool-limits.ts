import type { Model } from "../model.ts";

interface Limit {
  providers: readonly string[];
  /** Domain names; subdomains match as well. */
  hosts: readonly string[];
  max: number;
}

/** Servers that refuse requests with more tools. No limit is known for others. */
const LIMITS: readonly Limit[] = [
  { providers: ["openai"], hosts: ["api.openai.com", "openai.azure.com", "api.githubcopilot.com"], max: 128 },
  { providers: ["deepseek"], hosts: ["api.deepseek.com"], max: 128 },
  { providers: ["groq"], hosts: ["api.groq.com"], max: 128 },
  { providers: ["xai"], hosts: ["api.x.ai"], max: 128 },
  { providers: ["google"], hosts: ["generativelanguage.googleapis.com"], max: 512 },
];

/** A cache, because the limit is read often. It stays valid: models are replaced, never modified. */
const known = new WeakMap<Model, { max: number | undefined }>();

/** Returns how many tools a request to the model may declare, or undefined if there is no limit. */
export function maxToolsOf(model: Model): number | undefined {
  let limit = known.get(model);
  if (!limit) {
    limit = { max: findLimit(model) };
    known.set(model, limit);
  }
  return limit.max;
}

function findLimit({ baseUrl, provider, compat }: Model): number | undefined {
  if (compat?.maxTools !== undefined) return compat.maxTools;
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  const isAt = ({ hosts }: Limit) => hosts.some((name) => host === name || host.endsWith(`.${name}`));
  return (LIMITS.find(isAt) ?? LIMITS.find(({ providers }) => providers.includes(provider)))?.max;
}
