import { basename, isAbsolute, join, resolve } from "node:path";
import type { PermissionRule } from "@pintle/wire";
import { expandHome } from "../files/expand-home.ts";
import { namesBelow } from "../files/path-containment.ts";
import type { PermissionRequest } from "./request.ts";
import { type ArgvPattern, matchesArgv, matchesParts, parseArgvPattern } from "./rules/argv-pattern.ts";

export type Rule = PermissionRule;
export type Effect = Rule["effect"];

/** A rule made ready to be asked. */
export interface CompiledRule {
  rule: Rule;
  /** Whether the rule is for this project, and for the tool, its kind and its origin at all. */
  concerns(request: PermissionRequest): boolean;
  /** Not `Bun.Glob`: the types for authors of extensions need none of Bun's. */
  pathGlob?: { match(path: string): boolean };
  /** The one path that a rule without wildcards names. */
  exactPath?: string;
  argv?: ArgvPattern;
}

/** Makes a rule ready for sessions in `cwd`, a real path. Throws what the author of the rule should read. */
export function compileRule(rule: Rule, cwd: string): CompiledRule {
  const tool = rule.tool === undefined ? undefined : nameMatcher(rule.tool);
  const origin = rule.origin === undefined ? undefined : nameMatcher(rule.origin);
  const path = rule.path === undefined ? undefined : absoluteGlob(rule.path, cwd).normalize("NFC");
  const isForProject = appliesIn(rule, cwd);
  const isExact = rule.path !== undefined && !/[*?[\]{}!\\]|\/$/.test(rule.path);
  return {
    rule,
    concerns: (request) =>
      isForProject &&
      (tool?.(request.tool) ?? true) &&
      (origin?.(request.origin) ?? true) &&
      (rule.kind === undefined || rule.kind === request.kind),
    ...(path !== undefined && { pathGlob: new Bun.Glob(path) }),
    ...(rule.path !== undefined && isExact && { exactPath: resolve(cwd, expandHome(rule.path)) }),
    ...(rule.command !== undefined && { argv: parseArgvPattern(rule.command) }),
  };
}

/**
 * A permission is for sessions in exactly the project it was given in: below it there may be directories of other people.
 * A limit must not be passed by starting one directory deeper.
 */
function appliesIn({ project, effect }: Rule, cwd: string): boolean {
  if (project === undefined) return true;
  const names = namesBelow(cwd, project);
  return effect === "allow" ? cwd === resolve(project) : names !== undefined;
}

function absoluteGlob(glob: string, cwd: string): string {
  if (glob.endsWith("/")) return absoluteGlob(`${glob}**`, cwd);
  const expanded = expandHome(glob);
  return isAbsolute(expanded) ? expanded : join(escapeGlob(cwd), glob);
}

/** A directory called `[x]` is meant literally. */
const escapeGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");

/** Names of tools are compared without their case: other agents write them large. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const parts = pattern.toLowerCase().split("*");
  return (name) => matchesParts(parts, name.toLowerCase());
}

/** A limit holds when it meets any part of the request. */
export function restricts(compiled: CompiledRule, request: PermissionRequest): boolean {
  const { pathGlob, argv } = compiled;
  if (!compiled.concerns(request)) return false;
  if (
    pathGlob &&
    !request.paths?.some(
      ({ path, real }) => pathGlob.match(real.normalize("NFC")) || pathGlob.match(path.normalize("NFC")),
    )
  )
    return false;
  if (!argv) return true;
  const programs = request.command?.programs;
  return (
    Array.isArray(programs) &&
    programs.some((program) => matchesArgv(argv, program) || matchesArgv(argv, byName(program)))
  );
}

/** A program is the same by whichever path it is called. Only a limit may say so: for a permission the path matters. */
export function byName([program = "", ...args]: readonly string[]): string[] {
  return [basename(program), ...args];
}

/** A permission must cover all of the request: each path or each program of the command. Several rules may do so together. */
export function covers(rules: readonly CompiledRule[], request: PermissionRequest): CompiledRule | undefined {
  const concerned = rules.filter((compiled) => compiled.concerns(request));
  const { command, paths = [] } = request;
  const unbound = concerned.find(({ pathGlob, argv }) => !pathGlob && !argv);
  if (unbound) return unbound;
  const coversPaths = ({ pathGlob }: CompiledRule) =>
    !pathGlob || paths.every(({ real }) => pathGlob.match(real.normalize("NFC")));
  if (!command) {
    const withoutCommand = concerned.filter(({ argv }) => !argv);
    return coverage(paths, withoutCommand, ({ pathGlob }, { real }) => pathGlob?.match(real.normalize("NFC")) ?? false);
  }
  if (command.programs === "opaque") return undefined;
  return coverage(command.programs, concerned, (compiled, program) => {
    return compiled.argv !== undefined && matchesArgv(compiled.argv, program) && coversPaths(compiled);
  });
}

/** The last of the rules that together cover every item; none when an item is left, or when there is no item to cover. */
function coverage<T>(
  items: readonly T[],
  rules: readonly CompiledRule[],
  matches: (rule: CompiledRule, item: T) => boolean,
): CompiledRule | undefined {
  const found = items.map((item) => rules.find((rule) => matches(rule, item)));
  return found.every((rule) => rule !== undefined) ? found.at(-1) : undefined;
}
