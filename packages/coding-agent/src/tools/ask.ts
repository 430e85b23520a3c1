import { Type } from "@pintle/ai/type";
import { declareTool } from "./define-tool.ts";
import { itemsOf, textField } from "./shared/headline.ts";

export interface AskDialogOptions {
  signal: AbortSignal;
  onTimeout?(): void;
}

/** Functions that ask the user. They resolve to undefined without an answer. */
export interface AskContext {
  select(title: string, options: readonly string[], dialog: AskDialogOptions): Promise<string | undefined>;
  input(title: string, placeholder: string | undefined, dialog: AskDialogOptions): Promise<string | undefined>;
}

const parameters = () =>
  Type.Object({
    questions: Type.Array(
      Type.Object({
        id: Type.String(),
        question: Type.String(),
        options: Type.Array(Type.Object({ label: Type.String() }), { minItems: 1 }),
        multi: Type.Optional(Type.Boolean()),
        recommended: Type.Optional(
          Type.Integer({ minimum: 0, description: "index to use if the user does not answer" }),
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
    "Ask the user about what you can neither find out nor decide, and wait. Offer likely answers; the user can always type another one.",
  parameters,
  concurrency: "exclusive",
  parameterNames: {
    items: {
      questions: {
        aliases: { text: "question", choices: "options", multi_select: "multi" },
        items: { options: { aliases: { text: "label", value: "label" } } },
      },
    },
  },
  unknownParameters: "note",
  interruptible: true,
  needsAnswers: true,
  headline: ({ questions }) => textField(itemsOf(questions)[0], "question"),
  load: () => import("./execute-ask.ts"),
});
