import type { Denial, PermitCall, ToolAuthorizer } from "@pintle/agent";
import { onAbort, unlessAborted } from "@pintle/ai";
import { fileFingerprint } from "@pintle/foundation";
import type { ApprovalDecision, PermissionMode, SubagentOrigin } from "@pintle/wire";
import type { ApprovedPaths } from "./approved-paths.ts";
import type { ApprovedScripts } from "./approved-scripts.ts";
import { decideStrictly, hidesHit, mayHideHits, type Policy, type Verdict } from "./decide.ts";
import { type DecidedBy, denialText } from "./denial.ts";
import { allowsOnlyReading } from "./presets.ts";
import type { JudgedRequest, PermissionRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import { offeredRules, suggestRules } from "./suggest.ts";

export interface ApprovalQuestion {
  request: PermissionRequest;
  reason: string;
  suggestedRules: Rule[];
  /** The subagent that makes the call. */
  subagent?: SubagentOrigin;
}

export interface ApprovalAnswer {
  decision: ApprovalDecision;
  by: DecidedBy;
  /** The suggested rules that the answer selected. */
  rules?: Rule[];
  /** A message for the model. */
  note?: string;
}

/** Asks the host or user. An error, or no answer when the signal fires, is a denial. */
export type Approver = (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;

export interface Resolution {
  request: PermissionRequest;
  decision: ApprovalDecision;
  by: DecidedBy;
  rule?: Rule;
  layer?: string;
  /** Reason for a denial. */
  reason: string;
}

export interface AuthorizerParts {
  policy(): Policy;
  /** The preset of a subagent, which applies where it is stricter than the policy. */
  ownMode?: PermissionMode | undefined;
  /** Derives what a call would do from the declaration of its tool. */
  judge(call: PermitCall): JudgedRequest;
  approver(): Approver;
  /** Called with every decision on a call. */
  onResolved(resolution: Resolution): void;
  addRules(layer: "session" | "user", rules: readonly Rule[]): Promise<void>;
  maxDenials(): number;
  approved: ApprovedPaths;
  scripts: ApprovedScripts;
  /** Returns a preview of the change for the user. Must not reject. */
  preview(call: PermitCall): Promise<string | undefined>;
}

interface OpenQuestion {
  /** The call as the model or a hook wrote it. */
  args: string;
  /** What the call would touch when the question was sent. The answer applies to nothing else. */
  fingerprint: string;
  /** The files of the shown change, as they were before its preview was made. */
  files: ReadonlyMap<string, string>;
  answer: Promise<ApprovalAnswer>;
  withdraw: AbortController;
}

const STOPPED_BY_USER = "the user denied a call and stopped the run";

/** Allows each tool call, or returns why not. Anything but an explicit permission is a denial. */
export class PermissionAuthorizer implements ToolAuthorizer {
  readonly #parts: AuthorizerParts;
  /** Questions sent ahead, so that the questions of one message arrive together. */
  readonly #questions = new Map<string, OpenQuestion>();
  #denialCount = 0;

  constructor(parts: AuthorizerParts) {
    this.#parts = parts;
    parts.approved.hides = (tool, real) => hidesHit(parts.policy(), tool, real);
    parts.approved.mayHideBelow = (tool, real) => mayHideHits(parts.policy(), tool, real);
  }

  /** Resets the state for a new run. */
  beginRun(): void {
    this.#denialCount = 0;
    this.#parts.approved.clear();
    this.#parts.scripts.clear();
    this.#withdrawAll();
  }

  /** Withdraws the question of a call that a hook has blocked. */
  endRun(): void {
    this.#withdrawAll();
  }

  announce(calls: readonly PermitCall[], signal: AbortSignal): void {
    this.#withdrawAll();
    for (const call of calls) {
      const judged = this.#judged(call);
      const verdict = judged && this.#verdict(judged);
      if (judged && verdict?.effect === "ask") this.#ask(call, judged, signal, verdict.reason);
    }
  }

  async permit(call: PermitCall, signal: AbortSignal): Promise<Denial | undefined> {
    const judged = this.#parts.judge(call);
    const { paths, command } = judged.request;
    if (paths && !command) {
      this.#parts.approved.allow(
        call.id,
        paths.map(({ real }) => real),
      );
    }
    return this.#decide(call, judged, signal);
  }

  async #decide(call: PermitCall, judged: JudgedRequest, signal: AbortSignal): Promise<Denial | undefined> {
    const verdict = this.#verdict(judged);
    const question = this.#questions.get(call.id);
    this.#questions.delete(call.id);
    if (verdict.effect !== "ask") {
      question?.withdraw.abort(); // the rules have changed since then
      const denial = this.#byRule(judged.request, verdict);
      if (!denial) this.#bindToReading(judged, verdict);
      return denial;
    }
    return this.#byAnswer(call, judged, verdict, question, signal);
  }

  #verdict(judged: JudgedRequest): Verdict {
    return decideStrictly(this.#parts.policy(), judged, this.#parts.ownMode);
  }

  /** Runs the parsed form if a rule or preset judged it. An approval applies to the original text, which the question showed. */
  #bindToReading(judged: JudgedRequest, { layer }: Verdict): void {
    const { request, reading } = judged;
    const { toolCallId, command } = request;
    if (!command || !reading) return;
    const { policy, ownMode } = this.#parts;
    const modes = [policy().mode, ...(ownMode === undefined ? [] : [ownMode])];
    const isReadOnly = layer === "mode" && modes.some((mode) => allowsOnlyReading(mode, judged));
    this.#parts.scripts.allow(toolCallId, command.text, { script: reading.script, isReadOnly });
  }

  #byRule(request: PermissionRequest, { effect, rule, layer, reason }: Verdict): Denial | undefined {
    const decision = effect === "allow" ? "allow_once" : "deny";
    this.#parts.onResolved({ request, decision, by: "rule", layer, reason, ...(rule && { rule }) });
    return effect === "allow" ? undefined : this.#deny(denialText(request, "rule", reason));
  }

  async #byAnswer(
    call: PermitCall,
    judged: JudgedRequest,
    verdict: Verdict,
    earlier: OpenQuestion | undefined,
    signal: AbortSignal,
  ): Promise<Denial | undefined> {
    const { request } = judged;
    // If only the files have changed since the question was sent, wait for its answer and refuse the call below.
    const isSame = earlier?.args === JSON.stringify(call.args) && !this.#isOvertaken(earlier);
    if (!isSame) earlier?.withdraw.abort(); // a hook changed the call, or an earlier call the file
    const question = isSame ? earlier : this.#ask(call, judged, signal, verdict.reason);
    this.#questions.delete(request.toolCallId);
    const forget = onAbort(signal, () => question.withdraw.abort());
    const answer = await question.answer;
    forget();
    if (!answer.decision.startsWith("allow")) return this.#act(judged, verdict, answer);
    const objection = this.#objection(call, request, question);
    if (objection) return objection;
    const reals = request.paths?.map(({ real }) => real) ?? [];
    if (question.files.size > 0) this.#parts.approved.allow(call.id, reals, question.files);
    return this.#act(judged, verdict, answer);
  }

  /** Another call of the same message has since changed the files of the shown diff. */
  #isOvertaken({ files }: OpenQuestion): boolean {
    return changedFiles(files).some((real) => this.#parts.approved.isOwnWork(real));
  }

  /** Rules and files may have changed while the question was open. An approval covers what was asked, under the current rules. */
  #objection(call: PermitCall, request: PermissionRequest, question: OpenQuestion): Denial | undefined {
    const now = this.#parts.judge(call);
    const verdict = this.#verdict(now);
    if (verdict.effect === "deny") return this.#byRule(now.request, verdict);
    const isSame = fingerprintOf(call, now.request) === question.fingerprint;
    if (isSame && changedFiles(question.files).length === 0) return undefined;
    const reason = "what it would touch has changed while the question was open";
    this.#parts.onResolved({ request: now.request, decision: "deny", by: "rule", reason });
    return this.#deny(denialText(request, "rule", reason));
  }

  async #act(judged: JudgedRequest, verdict: Verdict, answer: ApprovalAnswer): Promise<Denial | undefined> {
    const { request } = judged;
    const { decision, by, note, rules = [] } = answer;
    this.#parts.onResolved({ request, decision, by, reason: note ?? verdict.reason });
    if (decision === "allow_session") {
      await this.#parts.addRules("session", rules.length > 0 ? rules : suggestRules(judged).narrow);
    }
    if (decision === "allow_always") await this.#parts.addRules("user", rules);
    if (decision.startsWith("allow")) return undefined;
    const text = denialText(request, by, verdict.reason, note);
    if (decision === "deny_and_stop") return { text, endsRun: true, endReason: STOPPED_BY_USER };
    return by === "abort" ? { text } : this.#deny(text);
  }

  /** Ends a run after repeated denials, because it only costs money. */
  #deny(text: string): Denial {
    this.#denialCount += 1;
    const limit = this.#parts.maxDenials();
    if (limit <= 0 || this.#denialCount < limit) return { text };
    const calls = limit === 1 ? "1 call was denied" : `${limit} calls were denied`;
    return { text, endsRun: true, endReason: `${calls}, the limit of one run (permissions.maxDenials)` };
  }

  #ask(call: PermitCall, judged: JudgedRequest, signal: AbortSignal, reason: string): OpenQuestion {
    const { request } = judged;
    const withdraw = new AbortController();
    const suggestedRules = offeredRules(judged, this.#parts.policy().project);
    const either = AbortSignal.any([signal, withdraw.signal]);
    const question: OpenQuestion = {
      args: JSON.stringify(call.args),
      fingerprint: fingerprintOf(call, request),
      files: writtenFiles(request),
      withdraw,
      answer: this.#withDiff(call, request)
        .then((shown) =>
          unlessAborted(this.#parts.approver()({ request: shown, reason, suggestedRules }, either), either),
        )
        .then((answer): ApprovalAnswer => answer ?? { decision: "deny", by: "abort" })
        .catch((): ApprovalAnswer => ({ decision: "deny", by: "nobody" })),
    };
    this.#questions.set(request.toolCallId, question);
    return question;
  }

  async #withDiff(call: PermitCall, request: PermissionRequest): Promise<PermissionRequest> {
    if (request.kind !== "write") return request;
    const diff = await this.#parts.preview(call);
    return diff === undefined ? request : { ...request, diff };
  }

  /** A call that cannot be judged yet is left until it runs, which reports the error. */
  #judged(call: PermitCall): JudgedRequest | undefined {
    try {
      return this.#parts.judge(call);
    } catch {
      return undefined;
    }
  }

  #withdrawAll(): void {
    for (const { withdraw } of this.#questions.values()) withdraw.abort();
    this.#questions.clear();
  }
}

/** Identifies what was asked. It includes the arguments, because a hook may change a string that the request does not show. */
function fingerprintOf({ args }: PermitCall, request: PermissionRequest): string {
  const { tool, kind, paths, command, escalation, annotations } = request;
  return JSON.stringify([tool, args, kind, paths, command, escalation, annotations]);
}

/** The files that a call would change, by real path. Excludes commands, whose changes are not shown. */
function writtenFiles({ kind, command, paths = [] }: PermissionRequest): ReadonlyMap<string, string> {
  if (kind !== "write" || command) return new Map();
  return new Map(paths.map(({ real }) => [real, fileFingerprint(real)]));
}

function changedFiles(files: ReadonlyMap<string, string>): string[] {
  return [...files].filter(([real, before]) => fileFingerprint(real) !== before).map(([real]) => real);
}
