import { describe, expect, test } from "bun:test";
import type { ProviderMessage } from "@pintle/ai";
import { toProviderRole } from "../src/context-roles.ts";
import type { AgentMessage } from "../src/messages.ts";
import { assistant, call, result, user } from "./support/messages.ts";

const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
const bash = {
  role: "bashExecution",
  command: "ls",
  output: "a\nb",
  exitCode: 0,
  cancelled: false,
  truncated: false,
  timestamp: 4,
} as const;

describe("every role becomes one that providers support", () => {
  const rows: [what: string, message: AgentMessage, converted: [ProviderMessage?]][] = [
    ["user", user("hi"), [user("hi")]],
    [
      "developer",
      { role: "developer", content: "note", timestamp: 2 },
      [{ role: "developer", content: "note", timestamp: 2 }],
    ],
    ["assistant", assistant([call("a")]), [assistant([call("a")])]],
    ["toolResult", result("a"), [result("a")]],
    [
      "custom, text and pictures alike, without what only hosts see",
      {
        role: "custom",
        customType: "c",
        content: [{ type: "text", text: "x" }, image],
        display: true,
        details: { secret: 1 },
        timestamp: 3,
      },
      [{ role: "user", content: [{ type: "text", text: "x" }, image], timestamp: 3 }],
    ],
    ["bashExecution", bash, [user("The user ran `ls`\n```\na\nb\n```", 4)]],
    [
      "bashExecution that failed",
      { ...bash, exitCode: 2 },
      [user("The user ran `ls`\n```\na\nb\n```\nIt exited with code 2.", 4)],
    ],
    ["bashExecution without output", { ...bash, output: "" }, [user("The user ran `ls`\n```\n(no output)\n```", 4)]],
    [
      "bashExecution that was cancelled and cut",
      { role: "bashExecution", command: "ls", output: "a", cancelled: true, truncated: true, timestamp: 4 },
      [user("The user ran `ls`\n```\na\n```\nThe command was cancelled.\nOnly the end of the output is shown.", 4)],
    ],
    ["bashExecution that is none of the model's business", { ...bash, excludeFromContext: true }, []],
    [
      "branchSummary",
      { role: "branchSummary", summary: "went left", fromId: "e1", timestamp: 5 },
      [
        user(
          "The conversation took another branch for a while. Summary of that branch:\n\n<summary>\nwent left\n</summary>",
          5,
        ),
      ],
    ],
    [
      "compactionSummary",
      { role: "compactionSummary", summary: "long story", shortSummary: "story", tokensBefore: 9, timestamp: 6 },
      [user("The conversation so far, summarized:\n\n<summary>\nlong story\n</summary>", 6)],
    ],
    [
      "fileMention",
      {
        role: "fileMention",
        files: [
          { path: "a.ts", content: "let a" },
          { path: "b.bin", content: "", skippedReason: "tooLarge" },
          { path: "c.png", content: "", image },
        ],
        timestamp: 7,
      },
      [
        {
          role: "user",
          content: [
            { type: "text", text: '<file name="a.ts">\nlet a\n</file>' },
            { type: "text", text: '<file name="b.bin">\n[file too large]\n</file>' },
            { type: "text", text: '<file name="c.png"></file>' },
            image,
          ],
          timestamp: 7,
        },
      ],
    ],
    ["a role of another program's file", { role: "hookMessage", content: "x", timestamp: 8 } as never, []],
  ];
  for (const [what, message, [converted]] of rows)
    test(what, () => expect(toProviderRole(message)).toEqual(converted as never));
});
