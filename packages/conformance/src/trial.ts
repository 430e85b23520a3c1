import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { AgentProcess, type LoggedLine } from "./agent-process.ts";
import { ModelServer } from "./model-server.ts";
import type { Feature, Profile } from "./profile.ts";

export interface TrialOptions {
  command: readonly string[];
  profile: Profile;
  patienceMs: number;
}

/** The environment of one check: its own home and project, a model, and any number of starts of the agent. */
export class Trial {
  readonly model: ModelServer;
  readonly cwd: string;
  readonly #options: TrialOptions;
  readonly #place: string;
  readonly #agents: AgentProcess[] = [];

  private constructor(options: TrialOptions, model: ModelServer) {
    this.#options = options;
    this.model = model;
    this.#place = mkdtempSync(join(tmpdir(), "conformance-"));
    this.cwd = join(this.#place, "project");
    mkdirSync(this.cwd);
    for (const [path, content] of Object.entries(options.profile.files(model.url)))
      this.#write(join("home", path), content);
  }

  static async begin(options: TrialOptions): Promise<Trial> {
    return new Trial(options, await ModelServer.start());
  }

  has(feature: Feature): boolean {
    return this.#options.profile.features.includes(feature);
  }

  /** Starts the agent; returns when it answers commands. */
  async start(args: readonly string[] = []): Promise<AgentProcess> {
    const { command, profile, patienceMs } = this.#options;
    const home = join(this.#place, "home");
    const agent = new AgentProcess({
      command: [...command, ...profile.args, ...args],
      cwd: this.cwd,
      env: { PATH: process.env.PATH ?? "", HOME: home, ...profile.env(home) },
      patienceMs,
    });
    this.#agents.push(agent);
    await agent.call("get_state");
    return agent;
  }

  /** Starts the agent with oh-my-pi's form of the protocol. */
  startAsOmp(args: readonly string[] = []): Promise<AgentProcess> {
    return this.start([...this.#options.profile.ompArgs, ...args]);
  }

  resume(file: string): Promise<AgentProcess> {
    return this.start(this.#options.profile.resume(file));
  }

  /** A file outside the project and the home. */
  file(name: string, content: string): string {
    return this.#write(name, content);
  }

  /** Code that the project contains. */
  projectExtension(content: string): void {
    this.#write(join("project", this.#options.profile.projectExtension), content);
  }

  /** The end of the conversation of the agent that was started last. */
  lastLines(count: number): LoggedLine[] {
    return this.#agents.at(-1)?.log.slice(-count) ?? [];
  }

  get strayLines(): string[] {
    return this.#agents.flatMap(({ strayLines }) => strayLines);
  }

  async end(): Promise<void> {
    for (const agent of this.#agents) await agent.kill();
    await this.model.stop();
    rmSync(this.#place, { recursive: true, force: true, maxRetries: 5 });
  }

  #write(name: string, content: string): string {
    const path = join(this.#place, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  }
}
