import { expect, test } from "bun:test";
import { inOrder } from "../../../src/tools/ast/scan.ts";

/** Work that ends when the test lets it. */
function controlled() {
  const begun: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<string>>();
  const work = (item: number) => {
    begun.push(item);
    const end = Promise.withResolvers<string>();
    ends.set(item, end);
    return end.promise;
  };
  return { begun, work, end: (item: number) => ends.get(item)?.resolve(`result ${item}`), ends };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));
const ITEMS = [0, 1, 2, 3, 4, 5, 6, 7];

test("later items are worked on while the first is not ready, as many as allowed", async () => {
  const { begun, work, end } = controlled();
  const results = inOrder(ITEMS, { parallel: 2, atMost: 4 }, work);
  const first = results.next();
  await turn();
  expect(begun).toEqual([0, 1]);
  for (const item of [1, 2, 3]) {
    end(item);
    await turn();
  }
  expect(begun).toEqual([0, 1, 2, 3]); // four have begun or are waiting to be taken
  end(0);
  expect((await first).value).toBe("result 0");
  expect((await results.next()).value).toBe("result 1");
  await turn();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  end(4);
  await results.return(undefined);
});

test("work that is no longer needed is not started", async () => {
  const { begun, work, end } = controlled();
  const results = inOrder(ITEMS, { parallel: 2, atMost: 8 }, work);
  const first = results.next();
  end(0);
  await first;
  await turn();
  expect(begun).toEqual([0, 1, 2]);
  const over = results.return(undefined);
  for (const item of [1, 2]) end(item);
  await over;
  expect(begun).toEqual([0, 1, 2]);
});

test("a failure is reported in its turn", async () => {
  const { work, end, ends } = controlled();
  const results = inOrder([0, 1], { parallel: 2, atMost: 2 }, work);
  const first = results.next();
  ends.get(1)?.reject(new Error("broken"));
  await turn();
  end(0);
  expect((await first).value).toBe("result 0");
  await expect(results.next()).rejects.toThrow("broken");
});

test("yields everything once and in order", async () => {
  const seen: number[] = [];
  for await (const item of inOrder(ITEMS, { parallel: 3, atMost: 5 }, async (item) => item)) seen.push(item);
  expect(seen).toEqual(ITEMS);
});
