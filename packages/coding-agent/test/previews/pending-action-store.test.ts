import { expect, test } from "bun:test";
import fc from "fast-check";
import type { PendingActionInput } from "../../src/previews/pending-action.ts";
import { PendingActionStore } from "../../src/previews/pending-action-store.ts";

const action = (label: string): PendingActionInput => ({
  label,
  sourceToolName: "t",
  apply: async () => ({ content: [] }),
});

test("what is staged must have a label and something to apply", () => {
  const store = new PendingActionStore();
  expect(() => store.push({ ...action("x"), label: " " })).toThrow(TypeError);
  expect(() => store.push({ ...action("x"), label: 3 as never })).toThrow(TypeError);
  expect(() => store.push({ ...action("x"), apply: undefined as never })).toThrow(TypeError);
  expect(store.hasPending).toBe(false);
});

test("the stack has a limit, and room again after a decision", () => {
  const store = new PendingActionStore();
  for (let count = 0; count < 32; count += 1) store.push(action(`${count}`));
  expect(() => store.push(action("one too many"))).toThrow("32 actions are already pending");
  store.pop();
  expect(store.push(action("fits")).id).toBe("pa_33");
});

test("methods of the user's own object keep their this", async () => {
  class Rename {
    label = "rename";
    sourceToolName = "t";
    files = ["a"];
    async apply() {
      return { content: [{ type: "text" as const, text: this.files.join() }] };
    }
    async reject() {
      return { content: [{ type: "text" as const, text: `kept ${this.files.join()}` }] };
    }
  }
  const store = new PendingActionStore();
  const pushed = store.push(new Rename());
  expect((await pushed.apply("")).content[0]).toEqual({ type: "text", text: "a" });
  expect((await pushed.reject?.(""))?.content[0]).toEqual({ type: "text", text: "kept a" });
});

test("any order of push, pop and take behaves like a list with an end", () => {
  const step = fc.oneof(
    fc.constant({ do: "push" as const }),
    fc.constant({ do: "pop" as const }),
    fc.record({ do: fc.constant("take" as const), at: fc.nat(40) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const store = new PendingActionStore(() => 7);
      const model: string[] = [];
      let count = 0;
      for (const one of steps) {
        if (one.do === "push" && model.length < 32) {
          count += 1;
          model.push(store.push(action(`a${count}`)).id);
        } else if (one.do === "pop") {
          expect(store.pop()?.id).toBe(model.pop() as string);
        } else if (one.do === "take") {
          const id = `pa_${one.at}`;
          const at = model.indexOf(id);
          expect(store.take(id)?.id ?? null).toBe(at === -1 ? null : id);
          if (at !== -1) model.splice(at, 1);
        }
        expect(store.list().map(({ id }) => id)).toEqual(model.toReversed());
        expect([store.count, store.hasPending, store.peek()?.id ?? null]).toEqual([
          model.length,
          model.length > 0,
          model.at(-1) ?? null,
        ]);
      }
    }),
  );
});
