import { expect, test } from "bun:test";
import { toPromptText } from "../../../src/mcp/prompts/prompt-messages.ts";

const settings = { get: (key: string) => (key === "images.blockImages" ? false : 50_000) } as never;
const context = { settings, takesImages: () => true, newSpillPath: async () => "/nowhere" };

test("keeps images next to the text, and labels assistant messages", async () => {
  const messages = [
    { role: "user", content: { type: "image", data: "AAAA", mimeType: "image/png" } },
    { role: "assistant", content: [{ type: "text", text: "A dot." }] },
    { role: "user", content: { type: "text", text: "Why?" } },
  ];
  expect(await toPromptText({ messages }, context)).toEqual({
    text: "Assistant:\nA dot.\nWhy?",
    images: [{ type: "image", data: "AAAA", mimeType: "image/png" }],
  });
});

test("rejects an empty prompt", async () => {
  const failures = await Promise.allSettled([toPromptText({}, context), toPromptText({ messages: [3] }, context)]);
  expect(failures.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});
