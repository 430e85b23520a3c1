import { expect, test } from "bun:test";
import { QuestionSlot, UNREAD_MS } from "../../src/screen/question-slot.ts";

const ENTER = "\r";
const ALONE = { isPasted: false, isAlone: true };
const PASTED = { isPasted: true, isAlone: false };
const component = (name: string, takesText = false, key = "") => ({
  render: () => [name],
  takesText,
  hasKey: (character: string) => character === key,
});

/** A slot whose clock, editor and event loop the test controls. */
function openSlot() {
  const focus: (string | undefined)[] = [];
  const settled: (() => void)[] = [];
  const answers: ((value: number | undefined) => void)[] = [];
  const world = { isFree: true, now: 0 };
  const slot = new QuestionSlot({
    onFocus: (current) => focus.push(current?.render(80)[0]),
    onChange: () => {},
    onQuestion: () => {},
    now: () => world.now,
    isKeyboardFree: () => world.isFree,
    afterPendingKeys: (done) => settled.push(done),
  });
  const ask = (name: string, options = {}, takesText = false, key = "") =>
    slot.show<number>((done) => {
      answers.push(done);
      return component(name, takesText, key);
    }, options);
  const settle = () => {
    for (const done of settled.splice(0)) done();
  };
  /** Shows a question as on the screen. */
  const draw = () => {
    settle();
    return slot.render(80);
  };
  return { slot, world, focus, answers, ask, settle, draw };
}

test("shows questions one after the other; a withdrawn one makes room for the next", async () => {
  const { answers, ask, draw } = openSlot();
  const controller = new AbortController();
  const first = ask("first", { signal: controller.signal });
  const second = ask("second");
  const third = ask("third", { signal: AbortSignal.abort() });
  expect(draw()).toEqual(["first"]);
  controller.abort();
  expect(draw()).toEqual(["second"]);
  answers[1]?.(2);
  expect(await Promise.all([first, second, third])).toEqual([undefined, 2, undefined]);
  expect(draw()).toEqual([]);
});

test("a question takes a free keyboard with the frame that shows it, not before", () => {
  const { slot, focus, ask, settle, draw } = openSlot();
  void ask("one");
  expect(slot.render(80)).toEqual([]);
  settle();
  expect(slot.hasKeyboard).toBe(false);
  expect(draw()).toEqual(["one"]);
  expect(slot.hasKeyboard).toBe(true);
  expect(focus.at(-1)).toBe("one");
});

test("keys that were pending when a question arrived leave the keyboard with the editor", () => {
  const { slot, world, ask, settle } = openSlot();
  void ask("one");
  expect(slot.admit(ENTER, ALONE)).toBe(true);
  expect(slot.toggle()).toBe(false);
  world.isFree = false; // the key was read
  settle();
  slot.render(80);
  expect([slot.question !== undefined, slot.hasKeyboard]).toEqual([true, false]);
  world.isFree = true; // it stays where it is until the user moves to the question
  slot.render(80);
  expect(slot.hasKeyboard).toBe(false);
});

test("a called question reads no key before it is shown with the keyboard", () => {
  const { slot, world, ask, draw } = openSlot();
  world.isFree = false;
  void ask("one");
  draw();
  expect(slot.toggle()).toBe(true);
  expect(slot.admit(ENTER, ALONE)).toBe(false);
  slot.render(80);
  expect(slot.admit(ENTER, ALONE)).toBe(true);
  slot.toggle();
  expect(slot.hasKeyboard).toBe(false);
});

test("text and pastes go to the message instead of a list", () => {
  const { slot, ask, draw } = openSlot();
  for (const [data, isPasted] of [
    ["a", false],
    ["7", false],
    ["\u001b[200~yes\r\u001b[201~", true],
    [ENTER, true],
    ["\u001b[121u", false],
  ] as const) {
    const closing = new AbortController();
    void ask("one", { signal: closing.signal });
    draw();
    expect(slot.hasKeyboard).toBe(true);
    expect(slot.admit(data, { isPasted, isAlone: !isPasted })).toBe(true);
    expect(slot.hasKeyboard).toBe(false);
    closing.abort();
  }
});

test("a line to type takes pasted text without the enter that was pasted with it", () => {
  const { slot, ask, draw } = openSlot();
  void ask("line", {}, true);
  draw();
  expect(slot.admit("a", PASTED)).toBe(true);
  expect(slot.admit(ENTER, PASTED)).toBe(false);
  expect(slot.admit(ENTER, ALONE)).toBe(true);
});

test("a picker that the user opens precedes all questions; afterwards the question waits to be called", async () => {
  const { slot, world, answers, ask, draw } = openSlot();
  void ask("question");
  draw();
  const picked = ask("picker", { isOpenedByUser: true });
  expect(slot.render(80)).toEqual(["picker"]);
  expect([slot.hasKeyboard, slot.question, slot.toggle()]).toEqual([true, undefined, false]);
  world.isFree = false; // the enter in the picker
  answers[1]?.(1);
  expect(await picked).toBe(1);
  expect(draw()).toEqual(["question"]);
  expect(slot.hasKeyboard).toBe(false);
});

test("a key of a list answers it by itself, and only when the user has seen the list or called it", () => {
  const { slot, world, ask, draw } = openSlot();
  const typed = { isPasted: true, isAlone: true };
  void ask("list", {}, false, "y");
  draw();
  expect(slot.hasKeyboard).toBe(true);
  world.now += UNREAD_MS - 1;
  expect([slot.admit("y", typed), slot.hasKeyboard]).toEqual([true, false]); // the first letter of a message
  slot.toggle();
  slot.render(80);
  expect([slot.admit("y", typed), slot.hasKeyboard]).toEqual([true, true]);
  expect([slot.admit("z", typed), slot.hasKeyboard]).toEqual([true, false]);
  slot.toggle();
  slot.render(80);
  expect([slot.admit("y", { isPasted: true, isAlone: false }), slot.hasKeyboard]).toEqual([true, false]);
});
