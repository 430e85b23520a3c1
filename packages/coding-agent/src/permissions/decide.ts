import { type PermissionMode, RULE_LAYERS } from "@pintle/wire";
import { pathEffect, presetEffect, strictest } from "./presets.ts";
import type { JudgedRequest, PermissionRequest } from "./request.ts";
import { byName, type CompiledRule, covers, type Effect, type Rule, restricts } from "./rule.ts";
import type { ArgvPattern } from "./rules/argv-pattern.ts";

export type RuleLayer = (typeof RULE_LAYERS)[number];

export interface Policy {
  mode: PermissionMode;
  /** The real path of the session's directory. */
  project: string;
  rules: Readonly<Record<RuleLayer, readonly CompiledRule[]>>;
  /** By the real path: whether it is in the directories that the session works in. */
  isInside(real: string): boolean;
  /** Why tools may never touch a path, whatever the preset. */
  protection(path: string, real: string, access: "read" | "write"): string | undefined;
}

export interface Verdict {
  effect: Effect;
  layer: RuleLayer | "mode" | "protected";
  rule?: Rule;
  /** For people and the model. */
  reason: string;
}

/**
 * A matching deny of any layer wins, then what is protected. Otherwise the strongest layer that has a word on the request
 * decides; the project may only make that stricter.
 */
export function decide(policy: Policy, judged: JudgedRequest): Verdict {
  const { request } = judged;
  const denial = firstLayer(policy, RULE_LAYERS, (rules) => restricting(rules, "deny", request));
  return (
    denial ??
    protectedVerdict(policy, request) ??
    tightened(policy, judged, rulesVerdict(policy, judged) ?? presetVerdict(policy, judged))
  );
}

type Finder = (rules: readonly CompiledRule[], layer: RuleLayer) => CompiledRule | undefined;

function firstLayer(policy: Policy, layers: readonly RuleLayer[], find: Finder): Verdict | undefined {
  for (const layer of layers) {
    const found = find(policy.rules[layer], layer);
    if (found) return { effect: found.rule.effect, layer, rule: found.rule, reason: REASONS[layer] };
  }
  return undefined;
}

const REASONS: Readonly<Record<RuleLayer, string>> = {
  host: "a rule of the host",
  session: "an answer for this session",
  user: "a rule in the user's settings",
  project: "a rule of the project",
};

function restricting(rules: readonly CompiledRule[], effect: Effect, request: PermissionRequest) {
  return rules.find((compiled) => compiled.rule.effect === effect && restricts(compiled, request));
}

/**
 * What the rules say to the whole request. Each program of a command is decided on its own: by the strongest layer with a
 * matching rule, or because it is read-only, which every preset allows. A question about one of them is a question about the
 * command; a program that nothing allows leaves the command to the preset.
 */
function rulesVerdict(policy: Policy, judged: JudgedRequest): Verdict | undefined {
  const parts = partsOf(judged);
  const verdicts = parts.map(({ request }) => layerVerdict(policy, request));
  const question = verdicts.find((verdict) => verdict?.effect === "ask");
  if (question) return question;
  const allowed = verdicts.findLast((verdict) => verdict !== undefined);
  const isCovered = parts.every(({ isReadOnly }, index) => isReadOnly || verdicts[index] !== undefined);
  if (!allowed || !isCovered) return undefined;
  const isForCommands = verdicts.some(
    (verdict) => verdict?.rule?.command !== undefined && verdict.rule.path === undefined,
  );
  return isForCommands ? withFiles(policy, judged.request, allowed) : allowed;
}

interface RequestPart {
  request: PermissionRequest;
  isReadOnly: boolean;
}

/** A request per program of a command that is understood; every other request is one part. */
function partsOf({ request, reading }: JudgedRequest): RequestPart[] {
  const { command } = request;
  if (!command || !Array.isArray(command.programs)) return [{ request, isReadOnly: false }];
  return command.programs.map((program, index) => ({
    request: { ...request, command: { ...command, programs: [program] } },
    isReadOnly: reading?.readOnlyPrograms[index] ?? false,
  }));
}

function layerVerdict(policy: Policy, request: PermissionRequest): Verdict | undefined {
  return firstLayer(policy, ["host", "session", "user"], (rules, layer) => {
    const question = restricting(rules, "ask", request);
    if (question) return question;
    if (request.escalation !== undefined) return undefined; // a rule for a command is meant for the command in the sandbox
    if (policy.mode === "plan" && layer !== "host") return undefined; // a plan changes nothing, whatever was allowed before
    const allowing = rules.filter(({ rule }) => rule.effect === "allow");
    return covers(allowing, request);
  });
}

/** A rule for a command says nothing of the files that the shell opens for it. */
function withFiles(policy: Policy, request: PermissionRequest, verdict: Verdict): Verdict {
  const effect = strictest((request.paths ?? []).map((path) => pathEffect(policy.mode, path, policy.isInside)));
  return effect === "allow"
    ? verdict
    : { effect, layer: "mode", reason: `the preset \`${policy.mode}\`, for a redirection` };
}

function presetVerdict(policy: Policy, judged: JudgedRequest): Verdict {
  const effect = presetEffect(policy.mode, judged, policy.isInside);
  return { effect, layer: "mode", reason: `the preset \`${policy.mode}\`` };
}

/** Lifted by an allow of the host or the user that names exactly this path. */
function protectedVerdict(policy: Policy, request: PermissionRequest): Verdict | undefined {
  for (const { path, real, access } of request.paths ?? []) {
    const reason = policy.protection(path, real, access);
    if (reason === undefined || isNamed(policy, request, real)) continue;
    return { effect: "deny", layer: "protected", reason };
  }
  return undefined;
}

function isNamed(policy: Policy, request: PermissionRequest, real: string): boolean {
  return [...policy.rules.host, ...policy.rules.user].some(
    (compiled) => compiled.rule.effect === "allow" && compiled.exactPath === real && compiled.concerns(request),
  );
}

/**
 * Whether a search must not show a file that it found, by its real path. The call names the directory, so its verdict says nothing
 * of the files in it: those that are protected or that a rule with `path` forbids or asks about are left out.
 */
export function hidesHit(policy: Policy, tool: string, real: string): boolean {
  const paths = [{ path: real, real, access: "read" as const }];
  const request: PermissionRequest = { toolCallId: "", tool, kind: "read", title: "", origin: "builtin", paths };
  if (protectedVerdict(policy, request)) return true;
  const limits = (compiled: CompiledRule) => compiled.rule.effect !== "allow" && compiled.pathGlob !== undefined;
  return RULE_LAYERS.some((layer) =>
    policy.rules[layer].some((compiled) => limits(compiled) && restricts(compiled, request)),
  );
}

function tightened(policy: Policy, judged: JudgedRequest, verdict: Verdict): Verdict {
  if (verdict.effect !== "allow") return verdict;
  const question = firstLayer(policy, ["project"], (rules) => restricting(rules, "ask", judged.request));
  return question ?? uncertain(policy, judged) ?? verdict;
}

/** Programs whose work is to start another one. */
const STARTERS = new Set(
  (
    "ash bash busybox chroot csh dash doas env find fish flock ionice ksh nice nohup parallel script setpriv setsid sh ssh stdbuf su " +
    "sudo taskset timeout unshare watch xargs zsh"
  ).split(" "),
);

const startsAnother = ([name = ""]: readonly string[]): boolean => STARTERS.has(name.slice(name.lastIndexOf("/") + 1));

/** A command that cannot be read, starts other programs or disguises its words may hold a program that a rule forbids. */
function uncertain(policy: Policy, { request, reading }: JudgedRequest): Verdict | undefined {
  const programs = request.command?.programs;
  if (!programs) return undefined;
  const mayHold = (pattern: ArgvPattern): boolean =>
    programs === "opaque" ||
    programs.some(startsAnother) ||
    programs.some((program, index) => mayBecome(pattern, byName(program), reading?.patternPrograms[index] ?? false));
  return (
    firstLayer(policy, RULE_LAYERS, (rules) =>
      rules.find(
        ({ rule, argv, concerns }) =>
          rule.effect !== "allow" && argv !== undefined && concerns(request) && mayHold(argv),
      ),
    ) && {
      effect: "ask",
      layer: "mode",
      reason: "a command that may start another program, while rules forbid programs",
    }
  );
}

/**
 * Whether the program of a pattern is called with words that the shell replaces, or with options before the words of the
 * pattern: `git -C . push` may be what `git push` forbids.
 */
function mayBecome({ matchers }: ArgvPattern, argv: readonly string[], hasPattern: boolean): boolean {
  const [matchesName, ...rest] = matchers;
  if (!matchesName?.(argv[0] ?? "")) return false;
  if (hasPattern) return true;
  let at = 1;
  let skipsOptions = false;
  for (const matches of rest) {
    if (!matches(argv[at] ?? "") && argv[at]?.startsWith("-")) skipsOptions = true;
    while (skipsOptions && at < argv.length && !matches(argv[at] ?? "")) at += 1;
    if (at >= argv.length || !matches(argv[at] ?? "")) return false;
    at += 1;
  }
  return skipsOptions;
}
