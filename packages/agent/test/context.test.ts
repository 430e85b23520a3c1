import { describe, expect, test } from "bun:test";
import { buildContext } from "../src/context.ts";
import type { AgentMessage } from "../src/messages.ts";
import { syntheticResult } from "../src/tool-result.ts";
import { assistant, call, result, text, user } from "./support/messages.ts";

const synthetic = (id: string, source: "aborted" | "error" | "length" | "skipped", executed = false) =>
  result(id, "made up", { isError: true, details: syntheticResult("made up", source, executed).details });
const note = expect.objectContaining({
  role: "developer",
  content: expect.stringContaining("may be partial") as string,
}) as never;
const error = { stopReason: "error", errorMessage: "boom" } as const;
const aborted = { stopReason: "aborted", errorMessage: "Request was aborted" } as const;

describe("unsuccessful answers", () => {
  const rows: [what: string, before: AgentMessage[], after: unknown[]][] = [
    ["a failed one leaves", [user("a"), assistant([text("x")], error)], [user("a")]],
    [
      "a failed one leaves with the results made up for it",
      [user("a"), assistant([call("c")], error), synthetic("c", "error"), assistant([text("ok")])],
      [user("a"), assistant([text("ok")])],
    ],
    [
      "an aborted one keeps its text and loses thinking and calls that never ran",
      [
        assistant([{ type: "thinking", thinking: "hm" }, text("so far"), call("c")], aborted),
        synthetic("c", "aborted"),
      ],
      [assistant([text("so far")], aborted)],
    ],
    [
      "an aborted one keeps a call that really ran",
      [assistant([text("x"), call("c"), call("d")], aborted), result("c"), synthetic("d", "aborted")],
      [assistant([text("x"), call("c")], aborted), result("c")],
    ],
    [
      "an aborted one of which nothing is left leaves",
      [user("a"), assistant([{ type: "thinking", thinking: "hm" }, text("")], aborted), user("b")],
      [user("a\n\nb")],
    ],
    [
      "one that was cut keeps its calls with their results, so that the model sees why they did not run",
      [assistant([call("c")], { stopReason: "length" }), synthetic("c", "length")],
      [assistant([call("c")], { stopReason: "length" }), synthetic("c", "length")],
    ],
    [
      "skipped calls stay with their results",
      [assistant([call("c")]), synthetic("c", "skipped"), user("stop")],
      [assistant([call("c")]), synthetic("c", "skipped"), user("stop")],
    ],
    [
      "an id of a failed answer used again by a good one",
      [assistant([call("c")], error), synthetic("c", "error"), assistant([call("c")]), result("c")],
      [assistant([call("c")]), result("c")],
    ],
    [
      "an id of a good answer used again by a failed one",
      [assistant([call("c")]), result("c"), assistant([call("c")], error), synthetic("c", "error")],
      [assistant([call("c")]), result("c")],
    ],
    [
      "what was made up for a failed answer does not answer an older call with its id",
      [assistant([call("c")]), assistant([call("c")], error), synthetic("c", "error")],
      [
        assistant([call("c")]),
        expect.objectContaining({ content: [{ type: "text", text: expect.stringContaining("no result") }] }),
      ],
    ],
    [
      "found by the property test: of two results for an aborted call the first counts, here as everywhere",
      [assistant([text("x"), call("c")], aborted), synthetic("c", "aborted"), result("c")],
      [assistant([text("x")], aborted)],
    ],
    [
      "found by the property test: an aborted answer that uses an id twice keeps the call that ran, with its result",
      [assistant([call("c"), call("c")], aborted), synthetic("c", "aborted"), result("c")],
      [assistant([call("c")], aborted), result("c")],
    ],
    [
      "a message between a failed answer and its results stays",
      [assistant([call("c")], error), user("x"), synthetic("c", "error")],
      [user("x")],
    ],
  ];
  for (const [what, before, after] of rows)
    test(what, async () => expect(await buildContext(before)).toEqual(after as never));
});

describe("the note about an interrupted turn", () => {
  const ran = assistant([call("c"), call("d")]);
  const stopped = synthetic("c", "aborted", true);
  const rows: [what: string, before: AgentMessage[], after: unknown[]][] = [
    [
      "stands once behind the results of the turn",
      [ran, stopped, synthetic("d", "aborted", true), user("x")],
      [ran, stopped, synthetic("d", "aborted", true), note, user("x")],
    ],
    [
      "stands there whichever call was interrupted",
      [ran, stopped, result("d"), user("x")],
      [ran, stopped, result("d"), note, user("x")],
    ],
    ["stands at the end, when the run is continued", [ran, stopped, result("d")], [ran, stopped, result("d"), note]],
    [
      "stands behind results that had to be moved",
      [ran, user("x"), result("d"), stopped, user("y")],
      [ran, stopped, result("d"), note, user("x\n\ny")],
    ],
    [
      "is not there when nothing had started",
      [ran, synthetic("c", "aborted"), synthetic("d", "aborted")],
      [ran, synthetic("c", "aborted"), synthetic("d", "aborted")],
    ],
    [
      "is not there when the user only steered",
      [ran, synthetic("c", "skipped", true), result("d")],
      [ran, synthetic("c", "skipped", true), result("d")],
    ],
    [
      "concerns its own turn only",
      [ran, stopped, result("d"), assistant([call("e")]), result("e"), user("x")],
      [ran, stopped, result("d"), note, assistant([call("e")]), result("e"), user("x")],
    ],
  ];
  for (const [what, before, after] of rows) {
    test(what, async () => {
      const built = await buildContext(before);
      expect(built).toEqual(after as never);
      expect(await buildContext(built)).toEqual(built);
    });
  }
});

describe("adjacent user messages", () => {
  const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
  const rows: [what: string, before: AgentMessage[], after: unknown[]][] = [
    [
      "with only text become one, which keeps the first one's time",
      [user("a", 1), user("b", 2), user("c", 3)],
      [user("a\n\nb\n\nc", 1)],
    ],
    [
      "count whatever role they had before",
      [
        user("a"),
        { role: "custom", customType: "x", content: [{ type: "text", text: "b" }], display: false, timestamp: 2 },
      ],
      [user("a\n\nb")],
    ],
    [
      "with a picture stay apart",
      [user("a"), { role: "user", content: [image], timestamp: 2 }, user("b")],
      [user("a"), { role: "user", content: [image], timestamp: 2 }, user("b")],
    ],
    [
      "around a developer note stay apart",
      [user("a"), { role: "developer", content: "n", timestamp: 2 }, user("b")],
      [user("a"), { role: "developer", content: "n", timestamp: 2 }, user("b")],
    ],
    [
      "are joined after wedged messages have moved",
      [assistant([call("c")]), user("a"), result("c"), user("b")],
      [assistant([call("c")]), result("c"), user("a\n\nb")],
    ],
    [
      "a single one stays as it is",
      [{ role: "user", content: [{ type: "text", text: "a" }], timestamp: 1 }],
      [{ role: "user", content: [{ type: "text", text: "a" }], timestamp: 1 }],
    ],
  ];
  for (const [what, before, after] of rows)
    test(what, async () => expect(await buildContext(before)).toEqual(after as never));
});

test("the transform sees the conversation without failed answers and before conversion", async () => {
  const custom = { role: "custom", customType: "x", content: "c", display: true, timestamp: 2 } as const;
  const failed = assistant([text("no")], error);
  let seen: AgentMessage[] = [];
  const built = await buildContext([user("a"), failed, custom], async (messages) => {
    seen = messages;
    return [...messages, user("added")];
  });
  expect(seen).toEqual([user("a"), custom]);
  expect(built).toEqual([user("a\n\nc\n\nadded")]);
});

test("stored messages stay unchanged, whatever the transform does to its list", async () => {
  const stored = Object.freeze([user("a"), assistant([text("x"), call("c")], aborted), user("b")]) as AgentMessage[];
  const before = JSON.stringify(stored);
  await buildContext(stored, async (messages) => {
    messages.length = 0;
    return messages;
  });
  await buildContext(stored);
  expect(JSON.stringify(stored)).toBe(before);
});
