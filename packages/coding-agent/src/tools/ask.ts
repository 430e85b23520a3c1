import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import { itemsOf, textField } from "./shared/headline.ts";

export interface AskDialogOptions {
  signal: AbortSignal;
  onTimeout(): void;
}

/** Who can put a question to the user. An answer that does not come is undefined. */
export interface AskContext {
  select(title: string, options: readonly string[], dialog: AskDialogOptions): Promise<string | undefined>;
  input(title: string, placeholder: string | undefined, dialog: AskDialogOptions): Promise<string | undefined>;
}

const parameters = () =>
  Type.Object({
    questions: Type.Array(
      Type.Object({
        id: Type.String({ description: "short name of the question" }),
        question: Type.String(),
        options: Type.Array(Type.Object({ label: Type.String() }), { minItems: 1 }),
        multi: Type.Optional(Type.Boolean({ description: "several options may be chosen" })),
        recommended: Type.Optional(
          Type.Integer({ minimum: 0, description: "index of the option to take when nobody answers" }),
        ),
      }),
      { minItems: 1 },
    ),
  });

export type AskParameters = ReturnType<typeof parameters>;

export const askTool = declareTool({
  name: "ask",
  label: "Ask",
  description:
    "Ask the user one or more questions and wait for the answers. Only for decisions that you cannot make yourself; offer the likely answers as options. The user can always answer in own words.",
  promptSnippet: "Ask the user and wait for the answer",
  promptGuidelines: ["Ask the user only what you can neither find out nor decide."],
  parameters,
  concurrency: "exclusive",
  interruptible: true,
  needsAnswers: true,
  headline: ({ questions }) => textField(itemsOf(questions)[0], "question"),
  load: () => import("./ask/execute-ask.ts"),
});
