import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { InputOrder } from "../../../src/session/prompting/input-order.ts";

describe("InputOrder", () => {
  test("what needs no time is done at once while nothing is under way", () => {
    const order = new InputOrder();
    expect(order.add(() => "done")).toBe("done");
  });

  test("one that fails rejects its own call, and holds up no other", async () => {
    const order = new InputOrder();
    const failing = order.add(() => Promise.reject(new Error("no")));
    const next = order.add(() => "done");
    expect(await Promise.allSettled([failing, next])).toMatchObject([
      { status: "rejected", reason: new Error("no") },
      { status: "fulfilled", value: "done" },
    ]);
    await order.settled();
    expect(order.add(() => "at once again")).toBe("at once again");
  });

  test("whatever takes how long, work ends in the order in which it came", async () => {
    const work = fc.record({ turns: fc.nat(5), isSync: fc.boolean(), pause: fc.nat(3), fails: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(work, { maxLength: 20 }), async (works) => {
        const order = new InputOrder();
        const ended: number[] = [];
        const all: unknown[] = [];
        for (const [index, { turns, isSync, pause, fails }] of works.entries()) {
          const slowly = async () => {
            for (let turn = 0; turn < turns; turn += 1) await undefined;
            ended.push(index);
            if (fails) throw new Error("no");
          };
          all.push(order.add<unknown>(isSync ? () => ended.push(index) : slowly));
          for (let turn = 0; turn < pause; turn += 1) await undefined;
        }
        const last = Promise.allSettled(all);
        await order.settled();
        expect(ended).toEqual(works.map((_, index) => index));
        await last;
      }),
    );
  });
});
