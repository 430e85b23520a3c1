// A tool that delegates tasks to other agents in parallel: each is another pintle with its own conversation and
// read-only tools.
//   pintle --extension examples/extensions/subagents -p 'call delegate {"tasks":["what files are here","search pintle in ."]}'
// The model's context stays small: of everything that the others read, it gets only their last answers.
import type { ExtensionFactory } from "pintle";
import { runSubagent } from "./run-subagent.ts";

const MAX_TASKS = 4;

const extension: ExtensionFactory = (pi) => {
  const { Type } = pi.typebox;

  pi.registerTool({
    name: "delegate",
    label: "Delegate",
    description:
      "Gives tasks to agents that work side by side, read files and search. They know nothing but their task.",
    promptSnippet: "have several questions about the code answered side by side",
    parameters: Type.Object({ tasks: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: MAX_TASKS }) }),
    async execute(_toolCallId, { tasks }, signal, onUpdate, { cwd, model }) {
      const states = tasks.map(() => "starting");
      const show = (index: number, state: string) => {
        states[index] = state;
        const lines = tasks.map((task, at) => `${task}: ${states[at]}`);
        onUpdate?.({ content: [{ type: "text", text: lines.join("\n") }] });
      };
      const answers = await Promise.all(
        tasks.map(async (task, index) => {
          const progress = (state: string) => show(index, state);
          const outcome = await runSubagent(task, { cwd, model, signal, progress });
          progress("done");
          return { task, ...outcome };
        }),
      );
      const text = answers.map((answer) => `# ${answer.task}\n\n${answer.text}`).join("\n\n");
      return { content: [{ type: "text", text }], details: { answers } };
    },
  });
};

export default extension;
