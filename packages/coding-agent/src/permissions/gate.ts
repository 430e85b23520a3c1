import type { Denial, PermitCall, ToolGate } from "@pintle/agent";
import { onAbort, unlessAborted } from "@pintle/ai";
import type { ApprovalDecision } from "@pintle/wire";
import type { ApprovedPaths } from "./approved-paths.ts";
import { decide, type Policy, type Verdict } from "./decide.ts";
import { type DecidedBy, denialText } from "./denial.ts";
import type { JudgedRequest, PermissionRequest } from "./request.ts";
import type { Rule } from "./rule.ts";
import { suggestRules } from "./suggest.ts";

export interface ApprovalQuestion {
  request: PermissionRequest;
  reason: string;
  suggestedRules: Rule[];
}

export interface ApprovalAnswer {
  decision: ApprovalDecision;
  by: DecidedBy;
  /** Those of the suggested rules that the answer names. */
  rules?: Rule[];
  /** For the model. */
  note?: string;
}

/** Puts a question to the one who can answer. One that throws, or does not settle when the signal fires, has denied. */
export type Approver = (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalAnswer>;

export interface Resolution {
  request: PermissionRequest;
  decision: ApprovalDecision;
  by: DecidedBy;
  rule?: Rule;
  layer?: string;
}

export interface GateParts {
  policy(): Policy;
  /** What a call would do, by the declaration of its tool. */
  judge(call: PermitCall): JudgedRequest;
  approver(): Approver;
  /** Every decision on a call, for hosts and for the record. */
  onResolved(resolution: Resolution): void;
  addRules(layer: "session" | "user", rules: readonly Rule[]): Promise<void>;
  maxDenials(): number;
  approved: ApprovedPaths;
  /** What a call would change, for the person who decides. Must not reject. */
  preview(call: PermitCall): Promise<string | undefined>;
}

interface OpenQuestion {
  /** What was asked about: an answer counts for nothing else. */
  fingerprint: string;
  answer: Promise<ApprovalAnswer>;
  withdraw: AbortController;
}

/** Passes each tool call, or says why not. Anything but an explicit permission is a denial. */
export class PermissionGate implements ToolGate {
  readonly #parts: GateParts;
  /** Asked ahead of their turn, so that the questions of one message come together. */
  readonly #questions = new Map<string, OpenQuestion>();
  #denialCount = 0;

  constructor(parts: GateParts) {
    this.#parts = parts;
  }

  /** A new run starts with a clean slate. */
  beginRun(): void {
    this.#denialCount = 0;
    this.#parts.approved.clear();
    this.#withdrawAll();
  }

  /** A call that a hook has blocked was asked about ahead, perhaps; nothing is left of it. */
  endRun(): void {
    this.#withdrawAll();
  }

  announce(calls: readonly PermitCall[], signal: AbortSignal): void {
    this.#withdrawAll();
    for (const call of calls) {
      const judged = this.#judged(call);
      const verdict = judged && decide(this.#parts.policy(), judged);
      if (judged && verdict?.effect === "ask") this.#ask(call, judged.request, signal, verdict.reason);
    }
  }

  async permit(call: PermitCall, signal: AbortSignal): Promise<Denial | undefined> {
    const judged = this.#parts.judge(call);
    const denial = await this.#decide(call, judged, signal);
    const { paths, command } = judged.request;
    if (!denial && paths && !command)
      this.#parts.approved.allow(
        call.id,
        paths.map(({ real }) => real),
      );
    return denial;
  }

  async #decide(call: PermitCall, judged: JudgedRequest, signal: AbortSignal): Promise<Denial | undefined> {
    const verdict = decide(this.#parts.policy(), judged);
    const question = this.#questions.get(call.id);
    this.#questions.delete(call.id);
    if (verdict.effect !== "ask") {
      question?.withdraw.abort(); // the rules have changed since it was asked
      return this.#byRule(judged.request, verdict);
    }
    return this.#byAnswer(call, judged.request, verdict, question, signal);
  }

  #byRule(request: PermissionRequest, { effect, rule, layer, reason }: Verdict): Denial | undefined {
    const decision = effect === "allow" ? "allow_once" : "deny";
    this.#parts.onResolved({ request, decision, by: "rule", layer, ...(rule && { rule }) });
    return effect === "allow" ? undefined : this.#deny(denialText(request, "rule", reason));
  }

  async #byAnswer(
    call: PermitCall,
    request: PermissionRequest,
    verdict: Verdict,
    earlier: OpenQuestion | undefined,
    signal: AbortSignal,
  ): Promise<Denial | undefined> {
    if (earlier && earlier.fingerprint !== fingerprintOf(call, request)) earlier.withdraw.abort(); // a hook or another call changed it
    const isSame = earlier?.fingerprint === fingerprintOf(call, request);
    const question = isSame ? earlier : this.#ask(call, request, signal, verdict.reason);
    this.#questions.delete(request.toolCallId);
    const forget = onAbort(signal, () => question.withdraw.abort());
    const answer = await question.answer;
    forget();
    return (
      (answer.decision.startsWith("allow") ? this.#objection(call, request) : undefined) ??
      this.#act(request, verdict, answer)
    );
  }

  /** Rules and files may have changed while the question was open; a permission is for what was asked, under the rules of now. */
  #objection(call: PermitCall, request: PermissionRequest): Denial | undefined {
    const now = this.#parts.judge(call);
    const verdict = decide(this.#parts.policy(), now);
    if (verdict.effect === "deny") return this.#byRule(now.request, verdict);
    if (fingerprintOf(call, now.request) === fingerprintOf(call, request)) return undefined;
    this.#parts.onResolved({ request: now.request, decision: "deny", by: "rule" });
    return this.#deny(denialText(request, "rule", "what it would touch has changed while the question was open"));
  }

  async #act(request: PermissionRequest, verdict: Verdict, answer: ApprovalAnswer): Promise<Denial | undefined> {
    const { decision, by, note, rules = [] } = answer;
    this.#parts.onResolved({ request, decision, by });
    if (decision === "allow_session") {
      await this.#parts.addRules("session", rules.length > 0 ? rules : suggestRules(request).narrow);
    }
    if (decision === "allow_always") await this.#parts.addRules("user", rules);
    if (decision.startsWith("allow")) return undefined;
    const text = denialText(request, by, verdict.reason, note);
    if (decision === "deny_and_stop") return { text, endsRun: true };
    return by === "abort" ? { text } : this.#deny(text);
  }

  /** A run that is denied again and again only costs money. */
  #deny(text: string): Denial {
    this.#denialCount += 1;
    const limit = this.#parts.maxDenials();
    return { text, endsRun: limit > 0 && this.#denialCount >= limit };
  }

  #ask(call: PermitCall, request: PermissionRequest, signal: AbortSignal, reason: string): OpenQuestion {
    const withdraw = new AbortController();
    const { narrow, wide } = suggestRules(request);
    const suggestedRules = [...narrow, ...wide];
    const either = AbortSignal.any([signal, withdraw.signal]);
    const question: OpenQuestion = {
      fingerprint: fingerprintOf(call, request),
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

  /** What cannot be judged is left to the moment at which it would run: the fault is told there. */
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

/** What was asked about. The arguments are part of it: a hook may change a text that the request does not show. */
function fingerprintOf({ args }: PermitCall, request: PermissionRequest): string {
  const { tool, kind, paths, command, escalation, annotations } = request;
  return JSON.stringify([tool, args, kind, paths, command, escalation, annotations]);
}
