import { expect, test } from "bun:test";
import fc from "fast-check";
import { RepeatedCalls } from "../../../src/session/budgets/repeated-calls.ts";

/** A turn with these calls, each written as `tool` or `tool=result`. */
function add(calls: RepeatedCalls, turn: string) {
  const parts = turn.split(" ").map((part) => part.split("="));
  const content = parts.map(([name], index) => ({ type: "toolCall", id: `c${index}`, name, arguments: {} }));
  const results = parts.map(([, text = "same"], index) => ({
    role: "toolResult",
    toolCallId: `c${index}`,
    content: [{ type: "text", text }],
    details: { ms: Math.random() },
    isError: false,
  }));
  return calls.add({ content } as never, results as never);
}

const roundsOf = (...turns: string[]) => {
  const calls = new RepeatedCalls((tool) => tool === "wait");
  return turns.map((turn) => add(calls, turn).rounds);
};

test("counts identical calls with identical results, whatever their details", () => {
  expect(roundsOf("ls", "ls", "ls")).toEqual([1, 2, 3]);
});

test("a changed result, another call or a polling tool ends the streak", () => {
  expect(roundsOf("ls", "ls", "ls=new", "ls=new", "cat", "ls", "ls", "wait", "ls")).toEqual([
    1, 2, 1, 2, 1, 1, 2, 1, 1,
  ]);
});

test("counts rounds of cycles of two and three calls", () => {
  expect(roundsOf("a", "b", "a", "b", "a", "b")).toEqual([1, 1, 1, 2, 2, 3]);
  expect(roundsOf("a", "b", "c", "a", "b", "c", "a", "b", "c")).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 3]);
});

test("counts parallel calls of one turn, and repeated batches that are longer than a cycle", () => {
  expect(roundsOf("ls ls ls ls")).toEqual([4]);
  expect(roundsOf("a b c d e", "a b c d e", "a b c d e")).toEqual([1, 2, 3]);
});

test("names the tools of one round", () => {
  const calls = new RepeatedCalls(() => false);
  for (const turn of ["a", "b", "a"]) add(calls, turn);
  expect(add(calls, "b").tools).toEqual(["a", "b"]);
  calls.reset();
  for (const turn of ["a", "a"]) add(calls, turn);
  expect(add(calls, "a").tools).toEqual(["a"]);
});

test("gives the same count as a search through the whole history", () => {
  const repeats = (steps: readonly string[], period: number) => {
    let same = 0;
    while (same < steps.length - period && steps.at(-1 - same) === steps.at(-1 - same - period)) same += 1;
    return Math.floor(same / period) + 1;
  };
  fc.assert(
    fc.property(fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 40 }), (steps) => {
      const expected = Math.max(...[1, 2, 3].map((period) => repeats(steps, period)));
      expect(roundsOf(...steps).at(-1)).toBe(expected);
    }),
  );
});
