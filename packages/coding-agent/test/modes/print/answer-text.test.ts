import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import { answerTexts, joinTexts } from "../../../src/modes/print/answer-text.ts";

const said = (text: string, stopReason = "stop") =>
  ({ role: "assistant", content: [{ type: "text", text }], stopReason }) as unknown as AgentMessage;
const asked = { role: "user", content: "?", timestamp: 0 } as unknown as AgentMessage;

test("the answer is everything said in the run, except retried attempts", () => {
  const messages = [asked, said("One", "error"), said("One."), said("  ", "toolUse"), said("Two.")];
  expect(answerTexts(messages)).toEqual(["One.", "Two."]);
});

test("text before a failure that ended the run is part of it", () => {
  expect(answerTexts([asked, said("One.", "toolUse"), said("Tw", "error")])).toEqual(["One.", "Tw"]);
});

test.each([
  [[], ""],
  [["a"], "a\n"],
  [["a\n"], "a\n"],
  [["a\n\n\n", "  b\n\n"], "a\n\n  b\n"],
])("messages are paragraphs, and the text ends with one line feed: %j", (texts, whole) => {
  expect(joinTexts(texts)).toBe(whole);
});
