import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { basename, join, sep } from "node:path";
import { parseRule, type Rule } from "./rule.ts";
import { toWatchedRule, type WatchedRule } from "./watched-rule.ts";

const MAX_RULE_BYTES = 64 * 1024;
const MAX_FILES = 200;

interface RulePlaces {
  cwd: string;
  home: string;
}

/** The rules of a project and of the user. The first of a name counts: the project's own before the user's. */
async function loadRules({ cwd, home }: RulePlaces, warn: (text: string) => void): Promise<Rule[]> {
  const places = [
    { directory: join(cwd, ".pintle", "rules"), root: cwd },
    { directory: join(home, "rules") },
    { directory: join(cwd, ".cursor", "rules"), root: cwd },
  ];
  const rules = new Map<string, Rule>();
  for (const place of places) {
    for (const rule of await loadPlace(place, warn)) if (!rules.has(rule.name)) rules.set(rule.name, rule);
  }
  return [...rules.values()];
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

/** Those that watch the stream. */
export async function loadWatchedRules(places: RulePlaces, warn: (text: string) => void): Promise<WatchedRule[]> {
  const rules = await loadRules(places, warn);
  return rules.flatMap((rule) => (rule.condition.length > 0 ? (toWatchedRule(rule, warn) ?? []) : []));
}
