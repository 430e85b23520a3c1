// Returns an answer that a program can use: the model has to pass it to a tool whose parameters are your JSON Schema.
//   pintle --extension examples/extensions/structured-answer.ts --mode json -p 'call give_answer {"sentiment":"good","score":0.9}'
// Another schema: --answer-schema=FILE. The host reads `result.details` of the call; invalid answers go back to the
// model.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { ExtensionFactory } from "pintle";

const TOOL = "give_answer";

const extension: ExtensionFactory = (pi) => {
  const { Type } = pi.typebox;
  pi.registerFlag("answer-schema", { type: "string", description: "file with the JSON Schema of the answer" });
  const SAMPLE = Type.Object({
    sentiment: Type.Enum(["good", "bad"]),
    score: Type.Number({ minimum: 0, maximum: 1 }),
  });

  pi.on("session_start", (_event, ctx) => {
    const path = pi.getFlag("answer-schema");
    pi.registerTool({
      name: TOOL,
      label: "Answer",
      description: "Gives the final answer. Call it exactly once, at the end.",
      promptGuidelines: [`Do not answer in prose. Work, then call ${TOOL} with the result.`],
      parameters: typeof path === "string" ? JSON.parse(readFileSync(resolve(ctx.cwd, path), "utf8")) : SAMPLE,
      // `terminate`: the model is not called again.
      execute: async (_toolCallId, answer) => ({
        content: [{ type: "text", text: JSON.stringify(answer) }],
        details: answer,
        terminate: true,
      }),
    });
  });
};

export default extension;
