import { existsSync, readFileSync } from "node:fs";
import { errorText } from "@pintle/ai";
import { readScenario, SCENARIOS, type Scenario } from "@pintle/simulator";
import { complain, printText } from "../cli/print.ts";
import { UsageError } from "../cli/usage-error.ts";
import { captureScenario } from "./simulate/capture.ts";
import { playOnStdio } from "./simulate/stdio-stage.ts";

interface SimulateCall {
  flags: { list?: true; print?: true; patience?: string; capture?: string };
  words: readonly string[];
}

/** `pintle simulate`: plays an agent from a script, so that a host can be tested without a model. */
export async function run({ flags, words }: SimulateCall): Promise<number> {
  if (flags.list !== undefined) return list();
  if (flags.capture !== undefined) return captureScenario(words, flags.capture);
  const [named] = words; // what hosts add for a real agent (`--mode rpc` and the like) is passed by
  if (named === undefined) {
    throw new UsageError("pintle simulate needs a file, or a name of pintle simulate --list");
  }
  const scenario = load(named);
  if (flags.print !== undefined) {
    await printText(`${JSON.stringify(scenario, null, 2)}\n`);
    return 0;
  }
  try {
    await playOnStdio(scenario, patienceOf(flags.patience));
    return 0;
  } catch (error) {
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
    throw new UsageError(`there is no scenario ${named}, neither as a file nor in pintle simulate --list`);
  try {
    return readScenario(JSON.parse(readFileSync(named, "utf8")));
  } catch (error) {
    throw new UsageError(`${named}: ${errorText(error)}`);
  }
}
