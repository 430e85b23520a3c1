// A reviewer for CI: reads a diff from stdin, prints its findings as JSON, and fails the job if one of them is severe.
import { text } from "node:stream/consumers";
import { run, tool } from "@pintle/client";

const owner = tool({
  name: "owner",
  description: "Returns the team that owns a file",
  readOnly: true,
  schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  execute: ({ path }) => (path.startsWith("packages/") ? path.split("/")[1] : "core"),
});

const result = await run(
  `Review this diff. Report defects only, each with the team that owns the file.\n\n${await text(process.stdin)}`,
  {
    model: process.env.MODEL, // without it, the model of your settings
    permissions: "plan", // the reviewer changes nothing
    noSession: true,
    tools: [owner],
    budget: { costUsd: 0.5, turns: 20 },
    timeoutMs: 600_000,
    outputSchema: {
      type: "object",
      properties: {
        summary: { type: "string" },
        findings: {
          type: "array",
          items: {
            type: "object",
            properties: {
              file: { type: "string" },
              line: { type: "integer" },
              severity: { enum: ["low", "high"] },
              message: { type: "string" },
              owner: { type: "string" },
            },
            required: ["file", "line", "severity", "message", "owner"],
          },
        },
      },
      required: ["summary", "findings"],
    },
  },
);

for (const { tool, reason } of result.denials) console.error(`denied: ${tool}: ${reason}`);
if (result.status !== "completed") {
  console.error(`The review failed (${result.endedBy}): ${result.error?.message ?? "no reason given"}`);
  process.exit(2);
}
console.log(JSON.stringify({ ...result.output, cost: result.cost }));
process.exitCode = result.output.findings.some(({ severity }) => severity === "high") ? 1 : 0;
