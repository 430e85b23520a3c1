import { expect, test } from "bun:test";
import fc from "fast-check";
import { propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { type TurnEngine, Turns } from "../../src/session/turns.ts";

type Told = Parameters<TurnEngine<number>["prompt"]>[1];

/** An engine under the test's control: one prompt at a time, and an abort ends it when the test lets it. */
class ScriptedEngine implements TurnEngine<number> {
  readonly begun: number[] = [];
  aborts = 0;
  current: { input: number; id: string; told: Told; isAccepted: boolean } | undefined;

  prompt(input: number, told: Told): void {
    expect(this.current).toBeUndefined(); // never two at once
    const id = `p${input}`;
    this.begun.push(input);
    told.begun(id);
    this.current = { input, id, told, isAccepted: false };
  }

  abort(): void {
    this.aborts += 1;
  }

  async beforeAnswer(): Promise<void> {
    this.current = undefined;
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant({ do: "add" as const }) },
    { weight: 2, arbitrary: fc.constant({ do: "cancel" as const }) },
    fc.record({ do: fc.constant("cancelOne" as const), which: fc.nat(20) }),
    { weight: 3, arbitrary: fc.constant({ do: "accept" as const }) },
    fc.constant({ do: "run" as const }),
    { weight: 3, arbitrary: fc.constant({ do: "end" as const }) },
    fc.constant({ do: "refuse" as const }),
    fc.constant({ do: "fail" as const }),
    fc.constant({ do: "lose" as const }),
    fc.constant({ do: "late" as const }),
    { weight: 2, arbitrary: fc.constant({ do: "settle" as const }) },
  ),
  { maxLength: 60 },
);

test("each prompt is answered once, in whatever state it is cancelled, ended or lost", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (script) => {
      const engine = new ScriptedEngine();
      const turns = new Turns<number>(engine);
      const answers: string[][] = [];
      const controllers: AbortController[] = [];
      const cancelled = new Set<number>();
      const open = () => answers.flatMap((given, index) => (given.length === 0 ? [index] : []));
      let isSettled = true;
      const settle = async () => {
        for (let round = 0; round < 10; round += 1) await Promise.resolve();
        isSettled = true;
      };
      for (const step of script) {
        const { current } = engine;
        if (step.do === "settle") await settle();
        else if (step.do === "add") {
          const index = answers.push([]) - 1;
          controllers.push(new AbortController());
          turns.add(index, controllers[index]!.signal).then(
            (stop) => answers[index]!.push(stop),
            () => answers[index]!.push("error"),
          );
        } else if (step.do === "cancel") {
          if (isSettled) for (const index of open()) cancelled.add(index);
          turns.cancel();
        } else if (step.do === "cancelOne") {
          const index = step.which % Math.max(1, answers.length);
          if (isSettled && open().includes(index)) cancelled.add(index);
          controllers[index]?.abort();
        } else if (step.do === "run") turns.runBegan();
        else if (step.do === "late")
          turns.ended("p0", { stop: "end_turn" }); // possibly for a turn that has ended
        else if (step.do === "lose") turns.lost({ error: new Error("gone") });
        else if (current && step.do === "accept" && !current.isAccepted) {
          const before = engine.aborts;
          current.isAccepted = true;
          const isCancelling = turns.isCancelling;
          current.told.accepted();
          if (isCancelling) expect(engine.aborts).toBe(before + 1); // the first abort may have arrived too early
        } else if (current && step.do === "end") turns.ended(current.id, { stop: "end_turn" });
        else if (current && (step.do === "refuse" || step.do === "fail")) current.told.failed(new Error(step.do));
        if (step.do !== "settle") isSettled = false;
        if (step.do === "add" || step.do === "end" || step.do === "lose") await settle();
      }
      for (let left = 0; left <= answers.length; left += 1) {
        await settle();
        if (engine.current) turns.ended(engine.current.id, { stop: "end_turn" });
      }
      await settle();
      expect(answers.map((given) => given.length)).toEqual(answers.map(() => 1));
      for (const index of cancelled) expect(answers[index]).toEqual(["cancelled"]);
      expect(turns.isActive).toBe(false);
      expect(engine.begun).toEqual([...engine.begun].sort((a, b) => a - b)); // in the order in which they arrived
    }),
    propertyRuns({ numRuns: 300, seed: 26 }),
  );
});
