import { basename, isAbsolute, join, resolve } from "node:path";
import { expandHome, namesBelow } from "@pintle/foundation";
import type { PermissionRule } from "@pintle/wire";
import type { PermissionRequest } from "./request.ts";
import { type ArgvPattern, matchesArgv, matchesParts, parseArgvPattern } from "./rules/argv-pattern.ts";

export type Rule = PermissionRule;
export type Effect = Rule["effect"];

/** A compiled rule. */
export interface CompiledRule {
  rule: Rule;
  /** Whether the rule applies to this project, tool, kind and origin. */
  concerns(request: PermissionRequest): boolean;
  /** Not `Bun.Glob`, so that types for extension authors do not depend on Bun's. */
  pathGlob?: { match(path: string): boolean };
  /** The directory that everything the glob matches is in, or the one path that it matches. */
  pathStart?: string;
  /** The one path that a rule without wildcards names. */
  exactPath?: string;
  argv?: ArgvPattern;
}

/** Compiles a rule for sessions in `cwd`, a real path. Throws an error for the author of the rule. */
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
    ...(path !== undefined && { pathGlob: new Bun.Glob(path), pathStart: literalStart(path) }),
    ...(rule.path !== undefined && isExact && { exactPath: resolve(cwd, expandHome(rule.path)) }),
    ...(rule.command !== undefined && { argv: parseArgvPattern(rule.command) }),
  };
}

/**
 * An allow rule applies only in exactly its project, because subdirectories may belong to others.
 * A deny rule also applies below it, so that it cannot be bypassed by starting one directory deeper.
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

/** The components of an absolute glob before the first wildcard. */
function literalStart(glob: string): string {
  const names = glob.split("/");
  const end = names.findIndex((name) => /[*?[{!]/.test(name.replace(/\\./g, "")));
  return (
    names
      .slice(0, end === -1 ? undefined : end)
      .join("/")
      .replace(/\\(.)/g, "$1") || "/"
  );
}

/** A directory called `[x]` is meant literally. */
const escapeGlob = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");

/** Compares tool names without case, because other agents capitalize them. */
function nameMatcher(pattern: string): (name: string) => boolean {
  const parts = pattern.toLowerCase().split("*");
  return (name) => matchesParts(parts, name.toLowerCase());
}

/** A deny rule applies if it matches any part of the request. */
export function restricts(compiled: CompiledRule, request: PermissionRequest): boolean {
  const { pathGlob, argv } = compiled;
  if (!compiled.concerns(request)) return false;
  if (
    pathGlob &&
    !request.paths?.some(
      ({ path, real }) => matchesPath(compiled, real) || (path !== real && matchesPath(compiled, path)),
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

/** Compares the prefix first, which avoids most glob matches. */
function matchesPath({ pathGlob, pathStart = "/" }: CompiledRule, path: string): boolean {
  const normal = path.normalize("NFC");
  return normal.startsWith(pathStart) && (pathGlob?.match(normal) ?? false);
}

/** A deny rule matches a program under any path. For an allow rule, the path matters. */
export function byName([program = "", ...args]: readonly string[]): string[] {
  return [basename(program), ...args];
}

/** Allow rules must together cover the whole request: each path, or each program of the command. */
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

/** Returns the last of the rules that together cover every item, or none if an item is left or there is no item. */
function coverage<T>(
  items: readonly T[],
  rules: readonly CompiledRule[],
  matches: (rule: CompiledRule, item: T) => boolean,
): CompiledRule | undefined {
  const found = items.map((item) => rules.find((rule) => matches(rule, item)));
  return found.every((rule) => rule !== undefined) ? found.at(-1) : undefined;
}
