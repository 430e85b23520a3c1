import { describe, expect, test } from "bun:test";
import { breaksSinceRelease } from "../../scripts/release/released-wire.mjs";
import { findBreaks } from "../../scripts/release/wire-changes.mjs";

const object = (type, properties = {}, required = []) => ({
  type: "object",
  required: ["type", ...required],
  properties: { type: { type: "string", const: type }, ...properties },
});
const text = { type: "string" };
const ref = (name) => ({ $ref: `#/$defs/${name}` });

/** A protocol of one command with a mode and a list, and one event with a message. */
function protocol() {
  return {
    $defs: {
      HostFrame: { anyOf: [ref("Command")] },
      Command: { anyOf: [ref("Say"), ref("Stop")] },
      Say: object(
        "say",
        {
          text,
          mode: { type: "string", enum: ["loud", "quiet"] },
          lines: { type: "array", items: { type: "integer" } },
          to: { anyOf: [{ type: "string" }, { type: "number" }] },
        },
        ["text"],
      ),
      Stop: object("stop"),
      ServerFrame: { anyOf: [ref("Said"), ref("Failed")] },
      Said: object("said", { message: ref("Message"), count: { type: "integer" } }, ["message"]),
      Failed: object("failed", { code: { type: "string", examples: ["busy", "gone"] } }),
      Message: object("message", { reason: { type: "string", enum: ["end", "abort"] }, content: ref("Content") }, [
        "content",
      ]),
      Content: { anyOf: [object("text", { text }), object("list", { of: { type: "array", items: ref("Content") } })] },
    },
  };
}

function breaksOf(change) {
  const newer = JSON.parse(JSON.stringify(protocol())); // nothing shared with the older one
  change(newer.$defs);
  return findBreaks(protocol(), newer);
}

test("an unchanged protocol breaks nothing", () => {
  expect(findBreaks(protocol(), protocol())).toEqual([]);
});

describe("what the host sends", () => {
  test.each([
    ["a command is removed", ($) => $.Command.anyOf.pop(), "Stop: is gone"],
    ["a parameter is removed", ($) => delete $.Say.properties.lines, "Say.lines: is gone"],
    ["a parameter becomes required", ($) => $.Say.required.push("mode"), "Say.mode: is now required"],
    [
      "a required parameter is added",
      ($) => {
        $.Stop.properties.why = text;
        $.Stop.required.push("why");
      },
      "Stop.why: is now required",
    ],
    ["a value is no longer accepted", ($) => $.Say.properties.mode.enum.pop(), 'Say.mode: "quiet" is gone'],
    ["a text must be one of some", ($) => ($.Say.properties.text.enum = ["hi"]), 'Say.text: only "hi" is accepted'],
    ["a type changes", ($) => ($.Say.properties.text = { type: "number" }), "Say.text: is number and was string"],
    ["one of several types goes", ($) => $.Say.properties.to.anyOf.pop(), "Say.to(number): is gone"],
    ["a text gets a pattern", ($) => ($.Say.properties.text.pattern = "^a"), "Say.text: pattern has changed"],
  ])("breaks when %s", (_, change, expected) => {
    expect(breaksOf(change)).toEqual([expected]);
  });

  test.each([
    ["a command is added", ($) => $.Command.anyOf.push(object("sing"))],
    ["an optional parameter is added", ($) => ($.Say.properties.tone = text)],
    ["a parameter becomes optional", ($) => ($.Say.required = ["type"])],
    ["another value is accepted", ($) => $.Say.properties.mode.enum.push("whisper")],
    ["another type is accepted", ($) => $.Say.properties.to.anyOf.push({ type: "boolean" })],
    ["any number is accepted", ($) => ($.Say.properties.lines.items = { type: "number" })],
    ["anything is accepted", ($) => ($.Say.properties.text = {})],
    ["only descriptions change", ($) => ($.Say.description = "new")],
    [
      "a definition has another name",
      ($) => {
        $.Halt = $.Stop;
        $.Command.anyOf[1] = ref("Halt");
      },
    ],
  ])("stays whole when %s", (_, change) => {
    expect(breaksOf(change)).toEqual([]);
  });
});

describe("what pintle sends", () => {
  test.each([
    ["an event is removed", ($) => $.ServerFrame.anyOf.shift(), "Said: is gone"],
    ["a field is removed", ($) => delete $.Said.properties.count, "Said.count: is gone"],
    ["a field may be missing", ($) => $.Said.required.pop(), "Said.message: may now be missing"],
    [
      "a value is added",
      ($) => $.Message.properties.reason.enum.push("limit"),
      'Message.reason: "limit" is new and unknown to old hosts',
    ],
    ["a value is removed", ($) => $.Message.properties.reason.enum.pop(), 'Message.reason: "abort" is gone'],
    [
      "the values become open",
      ($) => delete $.Message.properties.reason.enum,
      'Message.reason: was one of "end", "abort" and is now unrestricted',
    ],
    ["an error code is removed", ($) => $.Failed.properties.code.examples.pop(), 'Failed.code: "gone" is gone'],
    ["a type widens", ($) => ($.Said.properties.count = { type: "number" }), "Said.count: is number and was integer"],
    [
      "a kind of content is added",
      ($) => $.Content.anyOf.push(object("image")),
      "Content(image): is new and unknown to old hosts",
    ],
    [
      "a nested type changes",
      ($) => ($.Content.anyOf[0].properties.text = { type: "array" }),
      "Content(text).text: is array and was string",
    ],
  ])("breaks when %s", (_, change, expected) => {
    expect(breaksOf(change)).toEqual([expected]);
  });

  test.each([
    ["an event is added", ($) => $.ServerFrame.anyOf.push(object("sung"))],
    ["a field is added", ($) => ($.Said.properties.at = text)],
    ["a field is always there", ($) => $.Said.required.push("count")],
    ["an error code is added", ($) => $.Failed.properties.code.examples.push("late")],
  ])("stays whole when %s", (_, change) => {
    expect(breaksOf(change)).toEqual([]);
  });
});

test("the protocol breaks no host of the last release", () => {
  // A break needs another protocolVersion. For a change of something that was never released:
  // node scripts/release.mjs --renew-wire (docs/versions.md).
  expect(breaksSinceRelease()).toEqual([]);
});
