import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { errorText } from "@pintle/ai";
import { visiblePath } from "@pintle/foundation";
import { parseRule, type Rule } from "./rule.ts";
import { RuleBook } from "./rule-book.ts";
import type { RulePlace } from "./rule-places.ts";
import { toWatchedRule } from "./watched-rule.ts";

const MAX_RULE_BYTES = 64 * 1024;
const MAX_FILES = 200;

/** The rules of the project and the user, by how they are used. */
export interface RuleSet {
  /** Rules that watch the stream. */
  book: RuleBook;
  /** Rules whose text is in the prompt. */
  always: Rule[];
  /** Rules listed in the prompt, which the model reads on demand. */
  listed: Rule[];
}

/** Loads all rules; the first rule of a name wins. Reads synchronously, because they are few and small, and a run waits for them. */
export function loadRules(places: readonly RulePlace[], warn: (text: string) => void): RuleSet {
  const say = (text: string) => warn(visiblePath(text));
  const byName = new Map<string, Rule>();
  for (const place of places) {
    for (const rule of loadPlace(place, say)) {
      const first = byName.get(rule.name);
      if (!first) byName.set(rule.name, rule);
      else if (place.root === undefined)
        say(`${rule.path}: is not used, because the project has a rule with that name`);
    }
  }
  const rules = [...byName.values()];
  const watched = rules.flatMap((rule) => toWatchedRule(rule, say) ?? []);
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
      warn(`${path}: the rule is not used: ${errorText(error)}`);
    }
  }
  return rules;
}

/** A folder that cannot be listed has no rules. */
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
    if (!target.startsWith(project.endsWith(sep) ? project : project + sep))
      throw new Error("it links to a file outside the project");
  }
  // The file may have been replaced meanwhile: do not follow a link, and do not block on a pipe.
  const descriptor = openSync(target, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const facts = fstatSync(descriptor);
    if (!facts.isFile()) throw new Error("it is not a file");
    if (facts.size > MAX_RULE_BYTES) throw new Error(`it is larger than ${MAX_RULE_BYTES / 1024} KB`);
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}
