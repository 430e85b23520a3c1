import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { parseRule, type Rule } from "./rule.ts";
import { RuleBook } from "./rule-book.ts";
import type { RulePlace } from "./rule-places.ts";
import { toWatchedRule } from "./watched-rule.ts";

const MAX_RULE_BYTES = 64 * 1024;
const MAX_FILES = 200;

/** The rules of a project and of the user, by what becomes of them. */
export interface RuleSet {
  /** Watch the stream. */
  book: RuleBook;
  /** Their text belongs into the prompt. */
  always: Rule[];
  /** Named in the prompt; the model reads them when it wants to. */
  listed: Rule[];
}

/** The first rule of a name counts. Read in one go: they are few and small, and a run waits for them. */
export function loadRules(places: readonly RulePlace[], warn: (text: string) => void): RuleSet {
  const byName = new Map<string, Rule>();
  for (const place of places) {
    for (const rule of loadPlace(place, warn)) if (!byName.has(rule.name)) byName.set(rule.name, rule);
  }
  const rules = [...byName.values()];
  const watched = rules.flatMap((rule) => toWatchedRule(rule, warn) ?? []);
  const rest = rules.filter((rule) => !watched.some((one) => one.rule === rule));
  return {
    book: new RuleBook(watched),
    always: rest.filter(({ alwaysApply }) => alwaysApply),
    listed: rest.filter(({ alwaysApply, description }) => !alwaysApply && description !== undefined),
  };
}

function loadPlace({ directory, root }: RulePlace, warn: (text: string) => void): Rule[] {
  const names = namesIn(directory);
  const files = names.filter((name) => /\.mdc?$/.test(name) && !name.startsWith(".")).sort();
  if (files.length > MAX_FILES) warn(`${directory}: only the first ${MAX_FILES} of ${files.length} rules are read`);
  const rules: Rule[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const path = join(directory, file);
    try {
      const text = readRule(path, root);
      rules.push(parseRule({ name: basename(file).replace(/\.mdc?$/, ""), path, text }, warn));
    } catch (error) {
      warn(`${path}: the rule is not used: ${(error as Error).message}`);
    }
  }
  return rules;
}

/** One that cannot be listed has no rules. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** A link in a project must not bring in files from outside of it. */
function readRule(path: string, root: string | undefined): string {
  const target = realpathSync.native(path);
  if (root !== undefined) {
    const project = realpathSync.native(root);
    if (!target.startsWith(project.endsWith(sep) ? project : project + sep)) throw new Error("it leaves the project");
  }
  const info = statSync(target);
  if (!info.isFile()) throw new Error("it is not a file");
  if (info.size > MAX_RULE_BYTES) throw new Error(`it is larger than ${MAX_RULE_BYTES / 1024} KB`);
  return readFileSync(target, "utf8");
}
