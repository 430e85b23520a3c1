import { describe, expect, test } from "bun:test";
import { type CachedAnswer, startCachingAnthropic } from "../../../ai/test/support/cache/caching-server.ts";
import * as anthropic from "../../../ai/test/support/protocols/anthropic-messages/samples.ts";
import { startRpc } from "../support/scenarios/rpc-child.ts";
import { VENDOR, vendorPlaceOn } from "../support/scenarios/vendor-place.ts";

const says = (text: string) => anthropic.answer("end_turn", anthropic.textBlock(0, text));
const LONG = "a long text with many words in it ".repeat(700);
const SUMMARY = "## Goal\nto be short";
const QUESTION = "This is not part of the task.";

const text = (message: { content: { text?: string }[] } | undefined) => message?.content.at(-1)?.text ?? "";

/** Sends some long prompts, then requests a compaction. `summary` answers the summary requests. */
async function compact(summary: CachedAnswer[], ...flags: string[]) {
  const server = await startCachingAnthropic([...Array(6).fill(says("fine")), ...summary, says("well")]);
  await using vendor = vendorPlaceOn(server);
  await using rpc = await startRpc([...VENDOR, "--thinking", "off", ...flags], vendor.place);
  for (const word of ["one", "two", "three", "four", "five", "six"])
    await rpc.prompt(`${word} of the prompts: ${LONG}`);
  const { data, error } = await rpc.call("compact", { customInstructions: "names of files" });
  await rpc.prompt("go on");
  const requests = server.requests.slice(6).map(({ body }) => body);
  return {
    result: data,
    error,
    requests,
    first: server.requests[0]?.body,
    readings: server.readings,
    frames: rpc.frames,
  };
}

describe("a summary is requested", () => {
  test("at the end of the conversation, which is read from the cache, when that is cheaper", async () => {
    const { result, requests, first, readings } = await compact([says(SUMMARY)]);
    const [asked, next] = requests;
    expect(requests).toHaveLength(2);
    expect([asked.tools, asked.tool_choice, asked.thinking]).toEqual([first.tools, undefined, first.thinking]);
    expect(asked.system).toEqual(first.system);
    expect(asked.messages.map(text).map((words: string) => words.slice(0, 5))).toEqual(
      ["one o", "two o", "three", "four ", "five ", "six o"].flatMap((words) => [words, "fine"]).concat("This "),
    );
    const question = text(asked.messages.at(-1));
    expect(question).toStartWith(QUESTION);
    expect(question).toContain("Additional focus: names of files");
    // It begins with the whole newest request, which was cached then.
    expect(readings[6]?.read).toBe(readings[5]?.total as number);
    expect(result.summary).toStartWith(SUMMARY);
    expect(result.details.usage.cacheRead).toBe(readings[6]?.read);
    expect(JSON.stringify(next.messages)).not.toContain(QUESTION);
    expect(JSON.stringify(next.messages)).toContain("to be short");
  });

  test("and names the kept messages by the beginning of the first", async () => {
    const { result, requests } = await compact([says(SUMMARY)], "--set", "compaction.keepRecentTokens=9000");
    expect(text(requests[0].messages.at(-1))).toContain("<kept>\n[User]: five of the prompts: a long text");
    expect(JSON.stringify(requests[1].messages)).toContain("five of the prompts");
    expect(JSON.stringify(requests[1].messages)).not.toContain("four of the prompts");
    expect(result.summary).toStartWith(SUMMARY);
  });

  test.each([
    [
      "calls a tool",
      anthropic.answer("tool_use", anthropic.textBlock(0, "I look."), anthropic.toolStart(1, "t1", "ls")),
    ],
    ["returns no text", anthropic.answer("end_turn")],
  ])("in a separate request when the model %s instead", async (_name, useless) => {
    const { result, requests } = await compact([useless, says(SUMMARY)]);
    expect(requests).toHaveLength(3);
    expect(text(requests[0].messages.at(-1))).toStartWith(QUESTION);
    expect(requests[1].tools).toBeUndefined();
    expect(text(requests[1].messages.at(-1))).toStartWith("<conversation>");
    expect(result.summary).toStartWith(SUMMARY);
  });
});
