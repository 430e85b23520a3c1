import { expect, test } from "bun:test";
import { QuestionSlot } from "../../src/screen/question-slot.ts";

const component = (name: string) => ({ render: () => [name], invalidate: () => {} });

test("questions are shown one after the other; one that is taken back makes room for the next", async () => {
  const shown: (string | undefined)[] = [];
  const slot = new QuestionSlot((current) => shown.push(current?.render(80)[0]));
  const controller = new AbortController();
  const answers: ((value: number | undefined) => void)[] = [];
  const ask = (name: string, signal?: AbortSignal) =>
    slot.show<number>(
      (done) => {
        answers.push(done);
        return component(name);
      },
      signal ? { signal } : {},
    );
  const first = ask("first", controller.signal);
  const second = ask("second");
  const third = ask("third", AbortSignal.abort());
  expect(slot.render(80)).toEqual(["first"]);
  controller.abort();
  expect(slot.render(80)).toEqual(["second"]);
  answers[1]?.(2);
  expect(await Promise.all([first, second, third])).toEqual([undefined, 2, undefined]);
  expect(shown).toEqual(["first", "second", undefined]);
});
