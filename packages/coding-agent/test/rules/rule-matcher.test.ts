import { describe, expect, test } from "bun:test";
import type { AssistantMessage, AssistantUpdateEvent } from "@pintle/ai";
import { scriptedModelInfo } from "@pintle/ai/testing";
import fc from "fast-check";
import { propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { MessageBuilder } from "../../../ai/src/message-builder.ts";
import { AssistantEventStream } from "../../../ai/src/stream-events.ts";
import { parseRule } from "../../src/rules/rule.ts";
import { RuleBook } from "../../src/rules/rule-book.ts";
import { toWatchedRule } from "../../src/rules/watched-rule.ts";

function bookOf(heads: Record<string, string>): RuleBook {
  const refuse = (warning: string) => {
    throw new Error(warning);
  };
  return new RuleBook(
    Object.entries(heads).map(
      ([name, head]) => toWatchedRule(parseRule({ name, path: name, text: `---\n${head}\n---\n` }, refuse), refuse)!,
    ),
  );
}

/** The events of one answer, as a provider's adapter emits them. */
function eventsOf(write: (out: MessageBuilder) => void): AssistantUpdateEvent[] {
  const stream = new AssistantEventStream();
  const out = new MessageBuilder(stream, scriptedModelInfo, { now: () => 0 });
  write(out);
  out.finish("stop");
  const events: AssistantUpdateEvent[] = [];
  for (let event = stream.take(); event; event = stream.take()) {
    if (event.type !== "start" && event.type !== "done" && event.type !== "error") events.push(event);
  }
  return events;
}

function callEvents(name: string, pieces: readonly string[]): AssistantUpdateEvent[] {
  return eventsOf((out) => {
    const index = out.startToolCall({ id: "c1", name });
    for (const piece of pieces) out.append(index, piece);
    out.end(index);
  });
}

/** The names found, each with the event that triggered it. */
function find(book: RuleBook, events: readonly AssistantUpdateEvent[]): string[] {
  const matcher = book.watch("/w")!;
  return events.flatMap((event, index) => matcher.read(event).map(({ rule }) => `${index} ${event.type} ${rule.name}`));
}

describe("a call whose file is named", () => {
  const book = bookOf({ ts: 'condition: \'"text":"x\'\nscope: "edit(*.ts)"' });

  test("after what matches: found when the name is complete", () => {
    const pieces = ['{"text":"x', ' and more of it","path":"a', '.ts","third":"', "and so on, and so on", '"}'];
    expect(find(book, callEvents("edit", pieces))).toEqual(["4 toolcall_delta ts"]);
  });

  test("last: found at the end, as the match is in the raw text alone", () => {
    expect(find(book, callEvents("edit", ['{"text":"x","path":', '"a.ts"}']))).toEqual(["3 toolcall_end ts"]);
  });

  test("otherwise, or in another tool: not found", () => {
    expect(find(book, callEvents("edit", ['{"text":"x","path":"a.js"}']))).toEqual([]);
    expect(find(book, callEvents("write", ['{"text":"x","path":"a.ts"}']))).toEqual([]);
  });

  test("the shorthand finds writes and edits of any content, also of none", () => {
    const any = bookOf({ rs: "condition: *.rs" });
    expect(find(any, callEvents("write", ['{"path":"src/a.rs"}']))).toEqual(["2 toolcall_end rs"]);
    expect(find(any, callEvents("edit", ['{"path":"/w/a.rs","content":"', 'long text, long text"}']))).toHaveLength(1);
    expect(find(any, callEvents("read", ['{"path":"a.rs"}']))).toEqual([]);
    expect(find(any, callEvents("write", ['{"path":"a.rst"}']))).toEqual([]);
  });
});

test("a rule is found once per block, whichever of its conditions match", () => {
  const book = bookOf({ r: "condition: [f, o, '[a-z]+$']" });
  const events = eventsOf((out) => {
    for (const piece of ["foo", "f"]) {
      const index = out.startText();
      out.append(index, piece);
      out.append(index, piece);
      out.end(index);
    }
  });
  expect(find(book, events)).toEqual(["1 text_delta r", "5 text_delta r"]);
});

test("distinguishes interleaved blocks", () => {
  const book = bookOf({ r: "condition: foo" });
  const events = eventsOf((out) => {
    const [a, b] = [out.startText(), out.startText()];
    for (const piece of ["f", "o"]) for (const index of [a, b]) out.append(index, piece);
    out.append(b, "o");
  });
  expect(find(book, events)).toEqual(["6 text_delta r"]);
});

test("finds the content of arguments that are cut anywhere", () => {
  const book = bookOf({ said: "condition: '^say \"no\"$'\nscope: tool" });
  const value = fc.oneof(fc.string(), fc.constantFrom('say "no"', 'a\nsay "no"\nb', 'say "no" not'));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { maxKeys: 4 }), fc.integer({ min: 1, max: 9 }), (args, size) => {
      const pieces = JSON.stringify(args).match(new RegExp(`[^]{1,${size}}`, "g"))!;
      const isExpected = Object.values(JSON.parse(JSON.stringify(args))).some((text) =>
        /^say "no"$/m.test(String(text)),
      );
      expect(find(book, callEvents("any", pieces)).length > 0).toBe(isExpected);
    }),
    propertyRuns({ numRuns: 300, seed: 7 }),
  );
});

test("tolerates arguments that are not JSON", () => {
  const book = bookOf({ r: "condition: foo" });
  expect(find(book, callEvents("x", ['{"a": "foo']))).toEqual(["1 toolcall_delta r"]);
  const empty: AssistantMessage["content"] = [];
  const events = eventsOf((out) => out.end(out.startText()));
  expect(
    find(
      book,
      events.map((event) => ({ ...event, partial: { ...event.partial, content: empty } })),
    ),
  ).toEqual([]);
});
