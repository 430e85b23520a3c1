import { delay, errorText } from "@pintle/ai";
import type { SimulatedGateway } from "./gateway/simulated-gateway.ts";
import { HostLines } from "./host-lines.ts";
import { filled, fits, withTextAt } from "./patterns.ts";
import { type Frame, kindOf, type Scenario, type Step } from "./scenario.ts";

/** The process in which the scenario runs. */
export interface Stage {
  write(text: string): void | Promise<void>;
  /** Does not return. */
  crash(how: { code?: number; signal?: string; stderr?: string }): Promise<never>;
  patienceMs: number;
  /** Set if the scenario runs behind a gateway. */
  gateway?: Pick<SimulatedGateway, "cutAll" | "restart" | "forget" | "attached">;
}

type StepOf<K extends string> = Extract<Step, Record<K, unknown>>;

/** Plays the agent of a scenario: writes its frames, waits for the host's, answers frames that no step waits for. */
export class Player {
  readonly #scenario: Scenario;
  readonly #stage: Stage;
  readonly #lines = new HostLines();
  readonly #kept = new Map<string, Frame>();
  /** Patterns of the remaining steps, the nearest first. */
  #awaited: Frame[];
  #isHung = false;
  #whenEnded: () => void = () => {};
  #whenFailed: (error: unknown) => void = () => {};
  readonly #ended: Promise<void>;

  constructor(scenario: Scenario, stage: Stage) {
    this.#scenario = scenario;
    this.#stage = stage;
    this.#awaited = expectations(scenario.steps);
    this.#ended = new Promise((resolve, reject) => {
      this.#whenEnded = resolve;
      this.#whenFailed = reject;
    });
    this.#ended.catch(() => {}); // `play` reports it, perhaps after earlier steps
  }

  receive(line: string): void {
    if (this.#isHung) return;
    this.#lines.receive(
      line,
      (frame) => this.isAwaited(frame),
      (frame) => this.#aside(frame),
    );
  }

  /** Returns whether a later step waits for such a frame. */
  isAwaited(frame: Frame): boolean {
    return this.#awaited.some((pattern) => fits(frame, pattern));
  }

  hostClosed(): void {
    this.#lines.end();
    this.#whenEnded();
  }

  /** Resolves when every step has run and the host has closed stdin. Rejects with the step that failed. */
  async play(): Promise<void> {
    await this.#playAll(this.#scenario.steps, "steps");
    await this.#ended;
  }

  async #playAll(steps: readonly Step[], where: string): Promise<void> {
    for (const [index, step] of steps.entries()) {
      const kind = kindOf(step);
      if (!kind) throw new Error(`${where}[${index}] is not a step`);
      try {
        await this.#take[kind](step as never, `${where}[${index}]`);
      } catch (error) {
        if (kind === "repeat") throw error; // it already names the inner step
        throw new Error(`${where}[${index}], ${JSON.stringify(step).slice(0, 200)}: ${errorText(error)}`);
      }
    }
  }

  readonly #take = {
    send: async ({ send, times = 1, everyMs = 0, fill }: StepOf<"send">) => {
      const whole = fill ? withTextAt(send, fill.path, "x".repeat(fill.characters)) : send;
      for (let n = 0; n < times; n += 1) {
        if (n > 0 && everyMs > 0) await delay(everyMs);
        await this.#send(filled(whole, this.#kept) as Frame);
      }
    },
    raw: async ({ raw }: StepOf<"raw">) => {
      await this.#stage.write(raw);
    },
    expect: async ({ expect, as, withinMs = this.#stage.patienceMs }: StepOf<"expect">) => {
      const frame = await this.#lines.next(expect, withinMs);
      this.#awaited = this.#awaited.slice(1);
      if (as !== undefined) this.#kept.set(as, frame);
    },
    respond: async ({ respond, data, error, code }: StepOf<"respond">) => {
      const command = this.#kept.get(respond);
      if (!command) throw new Error(`no frame was kept as ${respond}`);
      const outcome =
        error === undefined
          ? { success: true, ...(data !== undefined && { data }) }
          : { success: false, error, ...(code !== undefined && { code }) };
      await this.#send({
        id: command.id,
        type: "response",
        command: command.type,
        ...(filled(outcome, this.#kept) as Frame),
      });
    },
    wait: ({ wait }: StepOf<"wait">) => delay(wait),
    repeat: async ({ repeat, steps }: StepOf<"repeat">, where: string) => {
      for (let n = 0; n < repeat; n += 1) await this.#playAll(steps, `${where}.steps`);
    },
    crash: ({ crash }: StepOf<"crash">) => this.#stage.crash(crash),
    disconnect: async ({ disconnect }: StepOf<"disconnect">) => {
      if (disconnect === true) this.#gateway.cutAll();
      else this.#gateway.restart();
    },
    attached: ({ withinMs = this.#stage.patienceMs }: StepOf<"attached">) => this.#gateway.attached(withinMs),
    forget: async () => this.#gateway.forget(),
    hang: () => {
      this.#isHung = true;
      return new Promise<never>(() => {});
    },
  };

  get #gateway() {
    const { gateway } = this.#stage;
    if (!gateway) throw new Error("only a gateway can do that: use --listen or --socket");
    return gateway;
  }

  #aside(frame: Frame | undefined): void {
    const answer = this.#answerAside(frame);
    if (answer) this.#send(answer).catch(this.#whenFailed);
  }

  /** Answers a frame that no step waits for. Answers to questions and the like need no response. */
  #answerAside(frame: Frame | undefined): Frame | undefined {
    if (!frame || typeof frame.type !== "string") {
      return { type: "response", command: "parse", success: false, error: "Failed to parse command" };
    }
    if (/_(response|result|update)$/.test(frame.type)) return undefined;
    const data = this.#scenario.answers?.[frame.type];
    if (data === null) return undefined;
    return { id: frame.id, type: "response", command: frame.type, success: true, ...(data && { data }) };
  }

  async #send(frame: Frame): Promise<void> {
    await this.#stage.write(`${JSON.stringify(frame)}\n`);
  }
}

function expectations(steps: readonly Step[]): Frame[] {
  return steps.flatMap((step) => {
    if ("expect" in step) return [step.expect];
    if (!("repeat" in step)) return [];
    return Array.from({ length: step.repeat }, () => expectations(step.steps)).flat();
  });
}
