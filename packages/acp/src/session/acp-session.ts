import type { PromptResponse } from "@agentclientprotocol/sdk";
import { cutText, isRecord } from "@pintle/ai";
import type { BriefSessionState, McpServerDefinition, RpcSessionState, SessionStats } from "@pintle/client/core";
import { CommandError } from "@pintle/gateway";
import type { SessionEntry } from "@pintle/wire";
import type { AcpClient } from "../client/acp-client.ts";
import type { PromptInput } from "../client/prompt-input.ts";
import type { Frame, GatewayLink } from "../gateway-link.ts";
import { OpenQuestions } from "../questions/open-questions.ts";
import { CODES, RpcError, toRpcError } from "../rpc/rpc-error.ts";
import { FileUndo } from "../undo/file-undo.ts";
import { EDITOR_COMMANDS, editorCommandIn } from "../undo/undo-commands.ts";
import type { Notice } from "../updates/notices.ts";
import { toPlan } from "../updates/plan.ts";
import { ToolCalls } from "../updates/tool-calls.ts";
import { replay } from "./replay.ts";
import { SessionConfig } from "./session-config.ts";
import { SESSION_FRAMES } from "./session-frames.ts";
import { turnEnd } from "./stop-reasons.ts";
import { type TurnEnd, Turns } from "./turns.ts";
import { Usage } from "./usage.ts";

const MAX_TITLE = 100;

export interface AcpSessionParts {
  link: GatewayLink;
  client: AcpClient;
  /** The directory as the client names it. */
  cwd: string;
  additionalDirectories: readonly string[];
  state: RpcSessionState;
  sandboxMode: string;
}

/** One session of the client. Owns the updates sent about it and the questions asked for it. */
export class AcpSession {
  readonly client: AcpClient;
  readonly cwd: string;
  readonly roots: readonly string[];
  readonly calls: ToolCalls;
  readonly questions = new OpenQuestions();
  readonly config: SessionConfig;
  readonly usage: Usage;
  readonly undo: FileUndo;
  readonly turns: Turns<PromptInput>;
  readonly #link: GatewayLink;
  #title: string | undefined;
  #isTitled: boolean;
  #hasPlan = false;
  /** The slash command that runs as a turn; no other turn runs meanwhile. */
  #command = new AbortController();
  #commandCount = 0;
  /** The `agent_end` of the latest run. */
  runEnd: Frame | undefined;
  compactions = 0;
  /** True if staged changes wait for the client's decision. */
  decidesPreviews = false;
  /** The message block whose parts arrived most recently. */
  streamed = "";

  constructor({ link, client, cwd, additionalDirectories, state, sandboxMode }: AcpSessionParts) {
    this.#link = link;
    this.client = client;
    this.cwd = cwd;
    this.roots = [cwd, ...additionalDirectories];
    this.#title = state.sessionName;
    this.#isTitled = state.messageCount > 0;
    const request = <T>(command: Frame) => this.request<T>(command);
    this.calls = new ToolCalls(cwd, (update) => client.update(update));
    this.config = new SessionConfig({ client, request, state, sandboxMode });
    this.usage = new Usage({
      stats: () => request<SessionStats>({ type: "get_session_stats" }),
      tell: (update) => client.update(update),
    });
    this.undo = new FileUndo(request, { client, cwd, roots: this.roots });
    this.turns = new Turns({
      prompt: ({ message, images, outputSchema }, callbacks) => {
        this.usage.turnBegins();
        const called = editorCommandIn(message);
        if (called) return void this.#runCommand(called, callbacks.begun); // does not reject
        this.runEnd = undefined;
        // A run started by an extension must not block the user: the prompt follows it.
        const fields = {
          type: "prompt",
          message,
          streamingBehavior: "followUp",
          ...(images.length > 0 && { images }),
          ...(outputSchema !== undefined && { outputSchema }),
        };
        link.prompt(this.#routed(fields), callbacks);
      },
      abort: () => {
        this.#command.abort();
        this.request({ type: "abort" }).catch(() => {}); // an engine that has ended has nothing to abort
        this.settled(); // jobs continue after an abort, and their results precede the next prompt
      },
      beforeAnswer: async () => {
        this.calls.failOpen();
        await this.usage.settle();
      },
    });
  }

  /** The `prompt_result` of the turn that ended last. */
  #result: Record<string, unknown> | undefined;

  /** The `prompt_result` of a prompt that is not answered yet, because its background work is pending. */
  #unsettled: Frame | undefined;

  get id(): string {
    return this.client.sessionId;
  }

  request<T = unknown>(command: Frame): Promise<T> {
    return this.#link.request<T>(this.#routed(command));
  }

  /** Answers a question of the engine. */
  answer(frame: Frame): void {
    this.#link.tell(this.#routed(frame));
  }

  onFrame(frame: Frame): void {
    if (Object.hasOwn(SESSION_FRAMES, frame.type)) SESSION_FRAMES[frame.type]!(this, frame);
  }

  async prompt(input: PromptInput, signal: AbortSignal): Promise<PromptResponse> {
    this.#nameAfter(input);
    const stopReason = await this.turns.add(input, signal);
    const result = this.#result;
    this.#result = undefined;
    return { stopReason, ...(result && { _meta: { "pintle/result": result } }) };
  }

  /** Runs a slash command of the editor as a turn, so that it waits for the prompts before it. */
  async #runCommand(
    { command, rest }: NonNullable<ReturnType<typeof editorCommandIn>>,
    begun: (id: string) => void,
  ): Promise<void> {
    const id = `command_${++this.#commandCount}`;
    begun(id);
    this.#command = new AbortController();
    const end = (text: string, turn: TurnEnd) => {
      if (!this.turns.isOpen(id)) return; // the engine has ended, and the turn with it
      this.say(text);
      this.turns.ended(id, turn);
    };
    try {
      end(await command.run(this.undo, rest, this.#command.signal), { stop: "end_turn" });
    } catch (error) {
      if (error instanceof CommandError) end(error.message, { stop: "end_turn" });
      else end("", { error: toRpcError(error) });
    }
  }

  /** Ends a prompt, or lets it wait: background work that the prompt has started will continue the conversation. */
  promptEnded(result: Frame): void {
    const { type: _type, id: _id, seq: _seq, commandKey: _key, ...facts } = result;
    this.#result = facts;
    this.#link.promptEnded(String(result.id));
    this.#unsettled = result;
    if (result.awaitingAsyncWork !== true || this.turns.isCancelling) this.settled();
  }

  /** Called when no further frames follow without a new command. */
  settled(): void {
    const result = this.#unsettled;
    this.#unsettled = undefined;
    if (result) this.turns.ended(String(result.id), turnEnd(result, this.runEnd));
  }

  /** Called when the engine has ended: all open requests in both directions end with it. */
  lost(reason: string): void {
    this.questions.withdrawAll();
    this.#unsettled = undefined;
    this.turns.lost({ error: new RpcError(CODES.internal, reason, { code: "worker_exited" }) });
  }

  async connectServers(servers: readonly McpServerDefinition[]): Promise<void> {
    if (servers.length > 0) await this.request({ type: "set_mcp_servers", servers });
  }

  /** Sends the stored conversation. */
  async replay(): Promise<void> {
    const { entries, leafId } = await this.request<{ entries: SessionEntry[]; leafId: string | null }>({
      type: "get_entries",
    });
    const { showsCompaction } = this.client.able;
    replay(entries, leafId, { cwd: this.cwd, showsCompaction, tell: (update) => this.client.tellNow(update) });
  }

  /** Sends what a client needs besides the conversation: the commands, the plan, and the context usage. */
  async tellRest(): Promise<void> {
    this.client.release();
    this.tellPlan(this.config.state.todoPhases);
    this.tellCommands(await this.request({ type: "get_available_commands" }));
    this.usage.changed();
  }

  tellCommands(data: unknown): void {
    const commands = isRecord(data) && Array.isArray(data.commands) ? data.commands.filter(isRecord) : [];
    const ofSession = commands
      .filter(({ name }) => !Object.hasOwn(EDITOR_COMMANDS, String(name)))
      .map(({ name, description, input }) => ({
        name: String(name),
        description: typeof description === "string" ? description : "",
        ...(isRecord(input) && typeof input.hint === "string" && { input: { hint: input.hint } }),
      }));
    const ofEditor = Object.entries(EDITOR_COMMANDS).map(([name, { description, hint }]) => ({
      name,
      description,
      input: { hint },
    }));
    this.client.update({ sessionUpdate: "available_commands_update", availableCommands: [...ofEditor, ...ofSession] });
  }

  tellPlan(phases: unknown): void {
    const entries = toPlan(phases);
    if (!entries || (entries.length === 0 && !this.#hasPlan)) return;
    this.#hasPlan = entries.length > 0;
    this.client.update({ sessionUpdate: "plan", entries });
  }

  readPlan(): void {
    this.request<BriefSessionState>({ type: "get_state", brief: true }).then(
      ({ todoPhases }) => this.tellPlan(todoPhases),
      () => {}, // the engine has ended, which is reported separately
    );
  }

  /** Adds a message from the program itself to the conversation. */
  say(text: string): void {
    if (text === "") return;
    this.client.update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${text}\n` } });
  }

  /** For a client that shows no notices, adds the important ones to the conversation. */
  notice({ mustBeSeen, ...notice }: Notice): void {
    if (notice.title.trim() === "") return;
    if (this.client.able.showsNotices) this.client.update({ sessionUpdate: "notice", ...notice });
    else if (this.turns.isActive && (mustBeSeen || notice.severity === "error")) this.say(notice.title);
  }

  /** If each change needs approval, so do staged ones. Otherwise the model decides about them, within the preset. */
  modeChanged(mode: string): void {
    this.config.changed();
    this.decidePreviewsIn(mode).catch(() => {}); // as above
  }

  async decidePreviewsIn(mode: string): Promise<void> {
    this.decidesPreviews = mode === "ask";
    await this.request({ type: "set_host_capabilities", resolvePreviews: this.decidesPreviews });
  }

  tellTitle(title: string | undefined): void {
    if (title === this.#title) return;
    this.#title = title;
    this.client.update({
      sessionUpdate: "session_info_update",
      title: title ?? null,
      updatedAt: new Date().toISOString(),
    });
  }

  /** Titles a session without a name after its first prompt, as the session list does. */
  #nameAfter({ message }: PromptInput): void {
    if (this.#isTitled || this.#title !== undefined || editorCommandIn(message)) return;
    this.#isTitled = true;
    this.tellTitle(titleOf(message));
  }

  #routed(command: Frame): Frame {
    return { ...command, sessionId: this.id };
  }
}

export function titleOf(text: string): string {
  return cutText(text.replace(/\s+/g, " ").trim(), MAX_TITLE);
}
