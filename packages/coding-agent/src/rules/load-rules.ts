import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { parseRule, type Rule } from "./rule.ts";
import { RuleBook } from "./rule-book.ts";
import { toWatchedRule } from "./watched-rule.ts";

const MAX_RULE_BYTES = 64 * 1024;
const MAX_FILES = 200;

interface RulePlaces {
  cwd: string;
  home: string;
}

/** The rules of a project and of the user, by what becomes of them. */
export interface RuleSet {
  /** Watch the stream. */
  book: RuleBook;
  /** Their text belongs into the prompt. */
  always: Rule[];
  /** Named in the prompt; the model reads them when it wants to. */
  listed: Rule[];
}

/** The first rule of a name counts: the project's own before the user's, both before those of other programs. */
export async function loadRules({ cwd, home }: RulePlaces, warn: (text: string) => void): Promise<RuleSet> {
  const places = [
    { directory: join(cwd, ".pintle", "rules"), root: cwd },
    { directory: join(home, "rules") },
    { directory: join(cwd, ".cursor", "rules"), root: cwd },
  ];
  const byName = new Map<string, Rule>();
  for (const place of places) {
    for (const rule of await loadPlace(place, warn)) if (!byName.has(rule.name)) byName.set(rule.name, rule);
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

async function loadPlace(
  { directory, root }: { directory: string; root?: string },
  warn: (text: string) => void,
): Promise<Rule[]> {
  const names = await readdir(directory).catch(() => []);
  const files = names.filter((name) => /\.mdc?$/.test(name) && !name.startsWith(".")).sort();
  if (files.length > MAX_FILES) warn(`${directory}: only the first ${MAX_FILES} of ${files.length} rules are read`);
  const rules: Rule[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const path = join(directory, file);
    try {
      const text = await readRule(path, root);
      rules.push(parseRule({ name: basename(file).replace(/\.mdc?$/, ""), path, text }, warn));
    } catch (error) {
      warn(`${path}: the rule is not used: ${(error as Error).message}`);
    }
  }
  return rules;
}

/** A link in a project must not bring in files from outside of it. */
async function readRule(path: string, root: string | undefined): Promise<string> {
  if (root !== undefined) {
    const [target, project] = await Promise.all([realpath(path), realpath(root)]);
    if (!target.startsWith(project.endsWith(sep) ? project : project + sep)) throw new Error("it leaves the project");
  }
  const info = await stat(path);
  if (!info.isFile()) throw new Error("it is not a file");
  if (info.size > MAX_RULE_BYTES) throw new Error(`it is larger than ${MAX_RULE_BYTES / 1024} KB`);
  return readFile(path, "utf8");
}
