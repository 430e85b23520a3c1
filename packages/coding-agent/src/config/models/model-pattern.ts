import { type Model, THINKING_LEVELS, THINKING_WORDS, type ThinkingLevel } from "@pintle/ai";

/** A model that a pattern selects, with the thinking level that may follow it after a colon. */
export interface ModelChoice {
  model: Model;
  thinkingLevel?: ThinkingLevel;
}

export interface ModelsToSearch {
  models: readonly Model[];
  /** Decides between equally good matches in favour of usable models. */
  isUsable?: (model: Model) => boolean;
}

/** The value of `--models`: the selected models in order, and warnings. */
export interface ModelScope {
  choices: ModelChoice[];
  warnings: string[];
}

function noMatchText(pattern: string): string {
  return `No model matches "${pattern}". See --list-models.`;
}

/**
 * Resolves the value of `--model`, optionally within one provider. With `template`, unlisted models of that provider can be
 * tried.
 */
export function resolveModelPattern(
  pattern: string,
  search: ModelsToSearch & { template?: Model | undefined },
): (ModelChoice & { warning?: string }) | { error: string } {
  const whole = matchModel(pattern, search);
  if (whole) return { model: whole };
  const { name, suffix } = splitSuffix(pattern);
  const level = readSuffix(suffix);
  const model = name === undefined ? undefined : matchModel(name, search);
  if (model && level) return { model, ...level };
  if (search.template) return tryUnlisted(level && name ? name : pattern, search.template, level);
  if (model) return { error: `${invalidLevelText(suffix, pattern)}. See --list-models for ids that contain a colon.` };
  return { error: noMatchText(pattern) };
}

/** Resolves the value of `--models`: patterns and globs, each optionally with a level. Never fails; problems are warnings. */
export function resolveModelScope(patterns: readonly string[], search: ModelsToSearch): ModelScope {
  const scope: ModelScope = { choices: [], warnings: [] };
  for (const pattern of patterns.map((text) => text.trim()).filter(Boolean)) {
    const { choices, warning } = resolveScopeEntry(pattern, search);
    if (warning) scope.warnings.push(warning);
    for (const choice of choices) {
      if (!scope.choices.some(({ model }) => isSame(model, choice.model))) scope.choices.push(choice);
    }
  }
  return scope;
}

function resolveScopeEntry(pattern: string, search: ModelsToSearch): { choices: ModelChoice[]; warning?: string } {
  const whole = matchAll(pattern, search);
  if (whole.length > 0) return { choices: whole.map((model) => ({ model })) };
  const { name, suffix } = splitSuffix(pattern);
  const models = name === undefined ? [] : matchAll(name, search);
  if (models.length === 0) return { choices: [], warning: noMatchText(pattern) };
  const level = readSuffix(suffix);
  if (level) return { choices: models.map((model) => ({ model, ...level })) };
  return {
    choices: models.map((model) => ({ model })),
    warning: `${invalidLevelText(suffix, pattern)}; it is ignored`,
  };
}

function matchAll(pattern: string, search: ModelsToSearch): Model[] {
  if (!isGlob(pattern)) return [matchModel(pattern, search) ?? []].flat();
  const glob = globToRegExp(pattern);
  return search.models.filter((model) => glob.test(model.id) || glob.test(`${model.provider}/${model.id}`));
}

/** Finds a model: exact matches before similar ones, and the named provider before all others. */
export function matchModel(pattern: string, { models, isUsable = () => true }: ModelsToSearch): Model | undefined {
  const wanted = pattern.toLowerCase();
  const slash = wanted.indexOf("/");
  const ofProvider = models.filter(({ provider }) => provider.toLowerCase() === wanted.slice(0, Math.max(slash, 0)));
  const rest = wanted.slice(slash + 1);
  if (rest === "") return undefined;
  return (
    exactId(rest, ofProvider, isUsable) ??
    exactId(wanted, models, isUsable) ??
    similar(rest, ofProvider, isUsable) ??
    similar(wanted, models, isUsable)
  );
}

/** Finds an exact id. If several providers serve it, it matches only if exactly one of them is usable. */
function exactId(wanted: string, models: readonly Model[], isUsable: (model: Model) => boolean): Model | undefined {
  const matches = models.filter(({ id }) => id.toLowerCase() === wanted);
  const candidates = matches.length > 1 ? matches.filter(isUsable) : matches;
  return candidates.length === 1 ? candidates[0] : undefined;
}

const DATE = /-(\d{4})-?(\d{2})-?(\d{2})$/;

/** Finds a similar name. Prefers names that follow the newest version (`…-latest`, or no date), then the newest date. */
function similar(wanted: string, models: readonly Model[], isUsable: (model: Model) => boolean): Model | undefined {
  const matches = models.filter(
    ({ id, name }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted),
  );
  const usable = matches.filter(isUsable);
  const candidates = usable.length > 0 ? usable : matches;
  const aliases = candidates.filter(({ id }) => !DATE.test(id));
  const [first] = (aliases.length > 0 ? aliases : candidates).toSorted(
    (a, b) => descending(dateOf(a), dateOf(b)) || descending(a.id, b.id),
  );
  return first;
}

function dateOf({ id }: Model): string {
  return DATE.exec(id)?.slice(1).join("") ?? "";
}

function descending(a: string, b: string): number {
  return a === b ? 0 : a < b ? 1 : -1;
}

type Level = Pick<ModelChoice, "thinkingLevel">;

/** Returns undefined if the suffix names no level; `auto` names one without choosing it. */
function readSuffix(suffix: string): Level | undefined {
  if (!THINKING_WORDS.some((word) => word === suffix)) return undefined;
  const thinkingLevel = THINKING_LEVELS.find((level) => level === suffix);
  return thinkingLevel === undefined ? {} : { thinkingLevel };
}

function tryUnlisted(id: string, template: Model, level: Level | undefined) {
  const model: Model = { ...template, id, name: id };
  return { model, ...level, warning: unlistedText(model) };
}

/** Describes a model of which only the name is known. */
export function unlistedText({ provider, id }: Model): string {
  return `Model "${id}" is not listed for ${provider}: using it as a custom model id, with assumed limits and prices.`;
}

/** Returns whether a pattern, with or without its level, is the exact id of a model. */
export function hasExactId(pattern: string, models: readonly Model[]): boolean {
  const wanted = [pattern, splitSuffix(pattern).name].map((text) => text?.toLowerCase());
  return models.some(({ id }) => wanted.includes(id.toLowerCase()));
}

function splitSuffix(pattern: string): { name?: string; suffix: string } {
  const colon = pattern.lastIndexOf(":");
  return colon > 0 ? { name: pattern.slice(0, colon), suffix: pattern.slice(colon + 1) } : { suffix: "" };
}

function invalidLevelText(suffix: string, pattern: string): string {
  return `"${suffix}" in "${pattern}" is not a thinking level (${THINKING_WORDS.join(", ")})`;
}

function isSame(a: Model, b: Model): boolean {
  return a.provider === b.provider && a.id === b.id;
}

/** Returns whether a pattern is a glob: `*`, `?` or `[…]`. */
function isGlob(pattern: string): boolean {
  return /[*?]|\[[^\]]+\]/.test(pattern);
}

/** Converts a glob. `*` matches slashes, because model ids contain them and they are not directories. Case is ignored. */
function globToRegExp(pattern: string): RegExp {
  const source = pattern.replace(/\[(!?)([^\]]+)\]|[\s\S]/g, (part, negated: string | undefined, set?: string) => {
    if (set !== undefined) return `[${negated ? "^" : ""}${set.replace(/[\\^[]/g, "\\$&")}]`;
    return GLOB_SIGNS[part] ?? part.replace(/[\\^$.|+(){}[\]/-]/g, "\\$&");
  });
  try {
    return new RegExp(`^${source}$`, "i");
  } catch {
    return MATCHES_NOTHING; // an invalid set, such as [z-a]
  }
}

const MATCHES_NOTHING = /(?!)/;
const GLOB_SIGNS: Record<string, string> = { "*": ".*", "?": "." };
