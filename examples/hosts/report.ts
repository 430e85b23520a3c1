import { run, tool } from "@pintle/client";
import { Type } from "typebox";

const owner = tool({ name: "owner", description: "Team that owns a file", readOnly: true,
  schema: Type.Object({ path: Type.String() }), execute: async ({ path }) => `${path}: core team` });
const result = await run("Report the worst defect in src/ and its owner.", {
  tools: [owner], permissions: "ask", budget: { costUsd: 0.5, turns: 20 }, noSession: true,
  onApproval: async ({ request }) => (request.kind === "read" ? "allow_once" : "deny"),
  outputSchema: Type.Object({ file: Type.String(), line: Type.Integer(), owner: Type.String() }) });
if (result.status !== "completed") throw new Error(`${result.endedBy}: ${result.error?.message}`);
console.log(result.output.file, result.output.line, result.output.owner, result.cost);
