import { expect, test } from "bun:test";
import fc from "fast-check";
import { MessageQueue } from "../src/message-queue.ts";
import { user } from "./support/messages.ts";

const hidden = { role: "custom", customType: "note", content: "hidden", display: false, timestamp: 1 } as const;
const shown = { ...hidden, content: "shown", display: true } as const;

test("one-at-a-time takes one message per poll, all takes everything, in order", () => {
  const queue = new MessageQueue();
  for (const text of ["a", "b", "c"]) queue.steer(user(text));
  for (const text of ["d", "e"]) queue.followUp(user(text));
  expect(queue.takeSteering()).toEqual([user("a")]);
  queue.steeringMode = "all";
  expect(queue.takeSteering()).toEqual([user("b"), user("c")]);
  expect(queue.takeSteering()).toEqual([]);
  queue.followUpMode = "all";
  expect(queue.takeFollowUp()).toEqual([user("d"), user("e")]);
});

test("counts and listings show what a person wrote or can see, in all three queues", () => {
  const queue = new MessageQueue();
  queue.steer(user("a"));
  queue.steer(hidden);
  queue.followUp(shown);
  queue.withNextPrompt(user("later"));
  queue.withNextPrompt(hidden);
  expect(queue.count).toBe(3);
  expect(queue.texts("steering")).toEqual(["a"]);
  expect(queue.texts("followUp")).toEqual(["shown"]);
  expect(queue.texts("nextTurn")).toEqual(["later"]);
});

test("a hidden note is delivered like any other message", () => {
  const queue = new MessageQueue();
  queue.steer(hidden);
  expect([queue.hasSteering, queue.isEmpty, queue.count]).toEqual([true, false, 0]);
  expect(queue.takeSteering()).toEqual([hidden]);
});

test("messages for the next prompt do not keep a run going", () => {
  const queue = new MessageQueue();
  queue.withNextPrompt(user("later"));
  expect(queue.isEmpty).toBe(true);
  expect(queue.takeNextTurn()).toEqual([user("later")]);
});

test("equal strings and images without text are different messages", () => {
  const queue = new MessageQueue();
  const picture = {
    role: "user",
    content: [{ type: "image", data: "aGk=", mimeType: "image/png" }],
    timestamp: 1,
  } as const;
  const [first, second] = [user("same"), user("same")];
  queue.steer(first);
  queue.steer(second);
  queue.steer({ ...picture, content: [...picture.content] });
  expect(queue.texts("steering")).toEqual(["same", "same", ""]);
  expect(queue.takeSteering()[0]).toBe(first);
  expect(queue.takeSteering()[0]).toBe(second);
  expect(queue.count).toBe(1);
});

test("the text of blocks is the concatenation of their text", () => {
  const queue = new MessageQueue();
  queue.steer({
    role: "user",
    content: [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    timestamp: 1,
  });
  expect(queue.texts("steering")).toEqual(["ab"]);
});

test("clear empties the named queues and returns their content, as one change", () => {
  const queue = new MessageQueue();
  queue.steer(user("a"));
  queue.followUp(user("b"));
  queue.withNextPrompt(user("c"));
  const seen: [string[], string[]][] = [];
  queue.subscribe(() => seen.push([queue.texts("steering"), queue.texts("followUp")]));
  expect(queue.clear("steering", "followUp")).toEqual({ steering: [user("a")], followUp: [user("b")], nextTurn: [] });
  expect(seen).toEqual([[[], []]]);
  expect(queue.count).toBe(1);
  queue.clear("steering");
  expect(seen).toHaveLength(1); // nothing has changed
});

test("messages that were taken and not delivered return to the head", () => {
  const queue = new MessageQueue();
  queue.steeringMode = "all";
  for (const text of ["a", "b"]) queue.steer(user(text));
  const taken = queue.takeSteering();
  queue.steer(user("c"));
  queue.putBack("steering", taken);
  expect(queue.texts("steering")).toEqual(["a", "b", "c"]);
});

test("listeners are notified of every change once, and of nothing after they left", () => {
  const queue = new MessageQueue();
  let changes = 0;
  const leave = queue.subscribe(() => {
    changes += 1;
  });
  queue.steer(user("a"));
  queue.takeFollowUp(); // nothing there
  queue.putBack("steering", []);
  queue.takeSteering();
  expect(changes).toBe(2);
  leave();
  queue.steer(user("b"));
  expect(changes).toBe(2);
});

test("a listener that throws blocks neither the message nor the other listeners", () => {
  const queue = new MessageQueue();
  let isTold = false;
  queue.subscribe(() => {
    throw new Error("broken");
  });
  queue.subscribe(() => {
    isTold = true;
  });
  queue.steer(user("a"));
  expect(isTold).toBe(true);
  expect(queue.takeSteering()).toEqual([user("a")]);
});

test("a listener that leaves or joins during a notification disturbs no other", () => {
  const queue = new MessageQueue();
  const told: string[] = [];
  const leave = queue.subscribe(() => {
    told.push("first");
    leave();
    queue.subscribe(() => told.push("late"));
  });
  queue.subscribe(() => told.push("second"));
  queue.steer(user("a"));
  expect(told).toEqual(["first", "second"]);
});

test("an id identifies one message as long as it is in a queue, whatever happens to others", () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constantFrom("steer" as const, "followUp" as const), isHidden: fc.boolean() }),
    fc.record({ kind: fc.constant("take" as const) }),
    fc.record({ kind: fc.constant("putBack" as const) }),
    fc.record({ kind: fc.constant("remove" as const), at: fc.nat(5) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const queue = new MessageQueue();
      const byId = new Map<string, string>();
      let taken: ReturnType<MessageQueue["takeSteering"]> = [];
      for (const [index, one] of steps.entries()) {
        if (one.kind === "take") taken = queue.takeSteering();
        else if (one.kind === "putBack") queue.putBack("steering", taken.splice(0));
        else if (one.kind === "remove") {
          const ids = [...queue.ids("steering"), ...queue.ids("followUp")];
          const id = ids[one.at] ?? "none";
          expect(queue.remove(id)?.text).toBe(byId.get(id));
          expect(queue.remove(id)).toBeUndefined();
        } else queue[one.kind](one.isHidden ? { ...hidden } : user(`text ${index}`));
        for (const name of ["steering", "followUp"] as const) {
          const texts = queue.texts(name);
          for (const [place, id] of queue.ids(name).entries()) {
            expect(byId.get(id) ?? texts[place]).toBe(texts[place]);
            byId.set(id, texts[place] as string);
          }
        }
      }
    }),
  );
});
