import { readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { createGateway, type Gateway, type GatewayOptions } from "../../src/gateway.ts";
import { PATIENCE_MS } from "./patience.ts";
import { TestHost } from "./test-host.ts";

/** The built program; `npm test` builds it before any test runs. */
export const program = resolve(import.meta.dir, "../../../../dist/pintle");

const scriptedModel = resolve(import.meta.dir, "scripted-model.ts");

export const LIMITS = {
  maxConnections: 100,
  maxWorkers: 8,
  maxFrameBytes: 1024 * 1024,
  maxQueuedBytes: 1024 * 1024,
  maxInFlight: 100,
  maxSessionsPerConnection: 50,
};

export interface GatewayFixture extends AsyncDisposable {
  gateway: Gateway;
  /** The root directory of sessions. */
  cwd: string;
  home: string;
  logged: string[];
  host(): TestHost;
  /** The runs of the scripted model, and the starts of its engines. */
  journal(): string;
  /** Kills the engines of all sessions. */
  killWorkers(): void;
  /** How many were killed this way. */
  deaths: number;
  until(isTrue: () => boolean, what: string): Promise<void>;
}

function fixture(command: readonly string[], options: Partial<GatewayOptions>): GatewayFixture {
  const base = scratchPath();
  const logged: string[] = [];
  const gateway = createGateway({
    command,
    env: { PATH: process.env.PATH, HOME: base, PINTLE_HOME: join(base, ".pintle") },
    version: "0.0.0",
    limits: LIMITS,
    roots: [base],
    ringFrames: 1_000,
    ringBytes: 1024 * 1024,
    idleMs: 60_000,
    unresponsiveMs: 30_000,
    drainMs: 5_000,
    log: (text) => logged.push(text),
    ...options,
  });
  const result: GatewayFixture = {
    gateway,
    cwd: base,
    home: base,
    logged,
    host: () => new TestHost(gateway),
    journal: () => readFileSync(join(base, "journal"), "utf8"),
    killWorkers: () => {
      for (const pid of childrenOf(process.pid, base)) {
        process.kill(pid, "SIGKILL");
        result.deaths += 1;
      }
    },
    deaths: 0,
    until: async (isTrue, what) => {
      const end = performance.now() + PATIENCE_MS;
      while (!isTrue()) {
        if (performance.now() > end) throw new Error(`timed out waiting for ${what}`);
        await Bun.sleep(5);
      }
    },
    async [Symbol.asyncDispose]() {
      await gateway.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
  return result;
}

/** Returns the child processes that work in a directory. */
export function childrenOf(pid: number, cwd: string): number[] {
  return readdirSync(`/proc/${pid}/task`)
    .flatMap((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" "))
    .filter((child) => child !== "")
    .map(Number)
    .filter((child) => cwdOf(child) === cwd);
}

/** Returns undefined if the process is gone. */
function cwdOf(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return undefined;
  }
}

/** Starts a gateway in front of the built program, with the offline model. */
export function realGateway({ workerArgs = [], ...options }: Partial<GatewayOptions> = {}): GatewayFixture {
  return fixture([program], { workerArgs: ["--model", "offline", ...workerArgs], ...options });
}

/** Starts the engine with a model that follows the prompt as a script. */
export const SCRIPTED = ["--extension", scriptedModel, "--model", "scripted/script"];

/** Starts a gateway in front of the built program, with a scripted model. */
export function scriptedGateway({ workerArgs = [], ...options }: Partial<GatewayOptions> = {}): GatewayFixture {
  return fixture([program], { workerArgs: [...SCRIPTED, ...workerArgs], ...options });
}
