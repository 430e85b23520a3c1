import { Player, type Scenario } from "@pintle/simulator";
import { printText } from "../../cli/print.ts";
import { LineInput } from "../../modes/rpc/line-input.ts";
import { crash } from "./crash.ts";

/** Plays the scenario over this process's stdin and stdout. */
export async function playOnStdio(scenario: Scenario, patienceMs: number): Promise<void> {
  const player = new Player(scenario, { write: printText, crash, patienceMs });
  const input = new LineInput(Bun.stdin.stream());
  input.deliverTo({ onLine: (line) => player.receive(line), onOverlongLine: () => player.receive("") });
  input.ended.then(
    () => player.hostClosed(),
    () => player.hostClosed(),
  );
  await player.play();
}
