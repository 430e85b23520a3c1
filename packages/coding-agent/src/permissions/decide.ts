import { isInside } from "@pintle/foundation";
import { PERMISSION_MODES, type PermissionMode, RULE_LAYERS } from "@pintle/wire";
import { startsAnother } from "./fixed-arguments.ts";
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
  /** Whether a real path is inside the workspace. */
  isInside(real: string): boolean;
  /** Whether a directory, by its real path, contains keys that no tool may read. */
  containsKeys(real: string): boolean;
  /** Why tools may never touch a path, whatever the preset. */
  protection(path: string, real: string, access: "read" | "write"): string | undefined;
}

export interface Verdict {
  effect: Effect;
  layer: RuleLayer | "mode" | "protected";
  rule?: Rule;
  /** Reason, for the user and the model. */
  reason: string;
}

/**
 * A matching deny of any layer wins, then what is protected. Otherwise the strongest layer that matches the request
 * decides; the project may only make that stricter.
 */
export function decide(policy: Policy, judged: JudgedRequest): Verdict {
  const limited = withNamedPaths(policy, judged);
  const denial = firstLayer(policy, RULE_LAYERS, (rules) => restricting(rules, "deny", limited));
  return (
    denial ??
    protectedVerdict(policy, judged.request) ??
    tightened(policy, judged, limited, rulesVerdict(policy, judged, limited) ?? presetVerdict(policy, judged))
  );
}

/** Decides on a call of a subagent: its own preset can only make the verdict of its family stricter. */
export function decideStrictly(policy: Policy, judged: JudgedRequest, own: PermissionMode | undefined): Verdict {
  const verdict = decide(policy, judged);
  if (own === undefined || verdict.effect === "deny") return verdict;
  const ofAgent = presetVerdict({ ...policy, mode: own }, judged);
  return strictest([verdict.effect, ofAgent.effect]) === verdict.effect ? verdict : ofAgent;
}

const limitsPaths = ({ rule, pathGlob }: CompiledRule): boolean => rule.effect !== "allow" && pathGlob !== undefined;

/**
 * Returns the request for deny rules, with every file that a command may name. Presets and allow rules use only what is
 * certain.
 */
function withNamedPaths(policy: Policy, { request, reading }: JudgedRequest): PermissionRequest {
  const isLimited = RULE_LAYERS.some((layer) => policy.rules[layer].some(limitsPaths));
  const named = isLimited ? reading?.namedPaths() : undefined;
  return named && named.length > 0 ? { ...request, paths: [...(request.paths ?? []), ...named] } : request;
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
 * Returns the rules' verdict on the whole request. Each program of a command is decided on its own: by the strongest layer with
 * a matching rule, or because it is read-only, which every preset allows. If a rule asks about one program, it asks about the
 * whole command. If no rule allows a program, the preset decides on the command.
 */
function rulesVerdict(policy: Policy, judged: JudgedRequest, limited: PermissionRequest): Verdict | undefined {
  const parts = partsOf(judged);
  const verdicts = parts.map(({ request }) => layerVerdict(policy, request, limited.paths));
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

/** Splits an understood command into one request per program. Any other request is a single part. */
function partsOf({ request, reading }: JudgedRequest): RequestPart[] {
  const { command } = request;
  if (!command || !Array.isArray(command.programs)) return [{ request, isReadOnly: false }];
  return command.programs.map((program, index) => ({
    request: { ...request, command: { ...command, programs: [program] } },
    isReadOnly: reading?.readOnlyPrograms[index] ?? false,
  }));
}

function layerVerdict(
  policy: Policy,
  request: PermissionRequest,
  limitedPaths: PermissionRequest["paths"],
): Verdict | undefined {
  const limited = limitedPaths ? { ...request, paths: limitedPaths } : request;
  return firstLayer(policy, ["host", "session", "user"], (rules, layer) => {
    const question = restricting(rules, "ask", limited);
    if (question) return question;
    if (request.escalation !== undefined) return undefined; // rules for commands do not allow them to leave the sandbox
    if (policy.mode === "plan" && layer !== "host") return undefined; // plan mode changes nothing, whatever was allowed before
    const allowing = rules.filter(({ rule }) => rule.effect === "allow");
    return covers(allowing, request);
  });
}

/** Adds the preset's decision on the files that the shell opens, because a rule for a command does not cover them. */
function withFiles(policy: Policy, request: PermissionRequest, verdict: Verdict): Verdict {
  const effect = strictest((request.paths ?? []).map((path) => pathEffect(policy.mode, path, policy.isInside)));
  return effect === "allow"
    ? verdict
    : { effect, layer: "mode", reason: `the preset \`${policy.mode}\`, for a redirection` };
}

function presetVerdict(policy: Policy, judged: JudgedRequest): Verdict {
  const effect = presetEffect(policy.mode, judged, policy.isInside);
  return { effect, layer: "mode", reason: presetReason(policy.mode) };
}

const presetReason = (mode: PermissionMode) => `the preset \`${mode}\``;

/** Whether the preset is the only reason to ask about a call. */
export function isPresetReason(reason: string): boolean {
  return PERMISSION_MODES.some((mode) => reason === presetReason(mode));
}

/** An allow rule of the host or the user that names exactly this path lifts the protection. */
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
 * Returns whether a search must omit a file that it found (real path). The call names only the directory, so its verdict does
 * not cover the files in it. Files that are protected, or that a rule with `path` forbids or asks about, are omitted.
 */
export function hidesHit(policy: Policy, tool: string, real: string): boolean {
  const paths = [{ path: real, real, access: "read" as const }];
  const request: PermissionRequest = { toolCallId: "", tool, kind: "read", title: "", origin: "builtin", paths };
  if (protectedVerdict(policy, request)) return true;
  return RULE_LAYERS.some((layer) =>
    policy.rules[layer].some((compiled) => limitsPaths(compiled) && restricts(compiled, request)),
  );
}

/**
 * Returns whether a search by this tool through a directory (real path) may omit files. This must not depend on what the search
 * finds: a notice that a file was omitted would reveal its content, one pattern at a time.
 */
export function mayHideHits(policy: Policy, tool: string, real: string): boolean {
  const request: PermissionRequest = { toolCallId: "", tool, kind: "read", title: "", origin: "builtin" };
  const isAbove = ({ pathStart }: CompiledRule) =>
    pathStart !== undefined && (isInside(real, pathStart) || isInside(pathStart, real));
  return (
    policy.containsKeys(real) ||
    RULE_LAYERS.some((layer) =>
      policy.rules[layer].some((rule) => limitsPaths(rule) && rule.concerns(request) && isAbove(rule)),
    )
  );
}

function tightened(policy: Policy, judged: JudgedRequest, limited: PermissionRequest, verdict: Verdict): Verdict {
  if (verdict.effect !== "allow") return verdict;
  const question = firstLayer(policy, ["project"], (rules) => restricting(rules, "ask", limited));
  return question ?? uncertain(policy, judged) ?? verdict;
}

/** Asks about a command that is opaque, starts other programs or disguises its words, because it may do what a rule forbids. */
function uncertain(policy: Policy, { request, reading }: JudgedRequest): Verdict | undefined {
  const programs = request.command?.programs;
  if (!programs) return undefined;
  const isUnknown =
    programs === "opaque" ||
    programs.some((program, index) => startsAnother(program) && !reading?.readOnlyPrograms[index]);
  const mayStart = (pattern: ArgvPattern): boolean =>
    isUnknown ||
    programs.some((program, index) => mayBecome(pattern, byName(program), reading?.patternPrograms[index] ?? false));
  const mayRead = (start: string): boolean =>
    isUnknown ||
    (reading !== undefined &&
      (reading.namedPaths() === undefined ||
        reading.searchedDirectories().some((searched) => isInside(searched, start) || isInside(start, searched))));
  const mayBeMeant = ({ rule, argv, pathStart, concerns }: CompiledRule): boolean =>
    rule.effect !== "allow" &&
    concerns(request) &&
    (argv !== undefined ? mayStart(argv) : pathStart !== undefined && mayRead(pathStart));
  return (
    firstLayer(policy, RULE_LAYERS, (rules) => rules.find(mayBeMeant)) && {
      effect: "ask",
      layer: "mode",
      reason: "a command that may start programs or read files that rules forbid",
    }
  );
}

/**
 * Returns whether a call may match the pattern in a disguised form: with words that the shell replaces, or with options before
 * the words of the pattern, as `git -C . push` for the pattern `git push`.
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
