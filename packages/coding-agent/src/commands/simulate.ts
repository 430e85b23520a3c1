import { existsSync, readFileSync } from "node:fs";
import { errorText } from "@pintle/ai";
import { needsGateway, Player, readScenario, SCENARIOS, type Scenario } from "@pintle/simulator";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { LineInput } from "../modes/rpc/line-input.ts";
import { captureScenario } from "./simulate/capture.ts";
import { crash } from "./simulate/crash.ts";
import { playAsGateway } from "./simulate/gateway-stage.ts";
import type { CallOf } from "./subcommand-flags.ts";

/** Runs `pintle simulate`: plays an agent from a script, to test a host without a model. */
export async function run({ flags, words }: CallOf<"simulate">): Promise<number> {
  if (flags.list !== undefined) return list();
  if (flags.capture !== undefined) return captureScenario(words, flags.capture);
  const [named] = words; // ignore what hosts add for a real agent (`--mode rpc` and the like)
  if (named === undefined) {
    throw new UsageError("pintle simulate needs a file or a name from pintle simulate --list");
  }
  const scenario = load(named);
  if (flags.print !== undefined) {
    await printText(`${JSON.stringify(scenario, null, 2)}\n`);
    return 0;
  }
  const { listen, socket } = flags;
  const isGateway = listen !== undefined || socket !== undefined;
  if (!isGateway && needsGateway(scenario.steps)) {
    throw new UsageError(`${named} plays a gateway: give --listen 127.0.0.1:0 or --socket PATH`);
  }
  const patienceMs = patienceOf(flags.patience);
  try {
    if (isGateway) await playAsGateway(scenario, patienceMs, { listen, socket });
    else await playOnStdio(scenario, patienceMs);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    complain(`simulate ${scenario.name}: ${errorText(error)}`);
    return 1;
  }
}

const DEFAULT_PATIENCE_MS = 30_000;

function patienceOf(given: string | undefined): number {
  const ms = given === undefined ? DEFAULT_PATIENCE_MS : Number(given);
  if (!(ms > 0)) throw new UsageError("--patience takes a number of milliseconds");
  return ms;
}

async function list(): Promise<number> {
  const rows = Object.values(SCENARIOS).map(({ name, about, host }) => `${name}: ${about}; a host ${host}\n`);
  await printText(rows.join(""));
  return 0;
}

function load(named: string): Scenario {
  const shipped = Object.hasOwn(SCENARIOS, named) ? SCENARIOS[named] : undefined;
  if (shipped) return shipped;
  if (!existsSync(named))
    throw new UsageError(`there is no scenario ${named}, either as a file or in pintle simulate --list`);
  try {
    return readScenario(JSON.parse(readFileSync(named, "utf8")));
  } catch (error) {
    throw new UsageError(`${named}: ${errorText(error)}`);
  }
}

/** Plays the scenario over this process's stdin and stdout. */
async function playOnStdio(scenario: Scenario, patienceMs: number): Promise<void> {
  const player = new Player(scenario, { write: printText, crash, patienceMs });
  const input = new LineInput(Bun.stdin.stream());
  input.deliverTo({ onLine: (line) => player.receive(line), onOverlongLine: () => player.receive("") });
  input.ended.then(
    () => player.hostClosed(),
    () => player.hostClosed(),
  );
  await player.play();
}
