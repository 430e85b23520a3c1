import type { EntryPage } from "./entry-page.ts";
import { type Fields, listOf, oneLine, textOf } from "./plain-value.ts";
import { usageRow } from "./usage-row.ts";

/** Entries that fit on one line. */
const LINES: Record<string, (entry: Fields) => string | undefined> = {
  model_change: (entry) => {
    const model = modelName(entry);
    const role = textOf(entry.role);
    return model && `Model: ${model}${role && role !== "default" ? ` (${role})` : ""}`;
  },
  thinking_level_change: ({ thinkingLevel }) => `Thinking: ${textOf(thinkingLevel) || "off"}`,
  session_info: ({ name }) => (textOf(name) === "" ? "Name removed" : `Name: ${textOf(name)}`),
  title_change: ({ title }) => `Title: ${textOf(title)}`,
  mode_change: ({ mode }) => `Mode: ${textOf(mode)}`,
  service_tier_change: ({ serviceTier }) => `Service tier: ${JSON.stringify(serviceTier ?? null)}`,
  label: ({ label }) => (textOf(label) === "" ? "Label removed" : `Label: ${textOf(label)}`),
  ttsr_injection: ({ injectedRules }) => `Rules injected: ${listOf(injectedRules).map(textOf).join(", ")}`,
  reset_boundary: () => "Conversation cleared",
  context_edit: ({ replacement }) =>
    replacement ? "A message was replaced for the model" : "A message was removed for the model",
  model_usage: ({ purpose, provider, model }) => modelCall(purpose, provider, model),
  usage: ({ kind, provider, model }) => modelCall(kind, provider, model),
};

function modelCall(purpose: unknown, provider: unknown, model: unknown): string {
  return `Model call${textOf(purpose) === "" ? "" : ` for ${textOf(purpose)}`}: ${textOf(provider)}/${textOf(model)}`;
}

/** Returns undefined for any other entry. */
export function readChange(entry: Fields): EntryPage | undefined {
  const type = textOf(entry.type);
  const line = Object.hasOwn(LINES, type) ? LINES[type]?.(entry) : undefined;
  if (line === undefined) return undefined;
  const usage = type === "model_usage" || type === "usage" ? usageRow(entry.usage) : undefined;
  return { kind: "change", title: oneLine(line), body: null, ...(usage && { usage }) };
}

/** Some agents store it in two fields, others in one. */
function modelName({ provider, modelId, model }: Fields): string | undefined {
  if (typeof provider === "string" && typeof modelId === "string") return `${provider}/${modelId}`;
  return typeof model === "string" && /^[^/]+\/./.test(model) ? model : undefined;
}
