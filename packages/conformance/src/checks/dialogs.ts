import type { AgentProcess } from "../agent-process.ts";
import { group } from "../check.ts";
import { same } from "../failure.ts";
import type { Frame } from "../frame.ts";
import type { Trial } from "../trial.ts";

/** An extension in the style of this family: a slash command per dialog that reports the answer. */
const EXTENSION = `export default function (pi) {
  const command = (name, ask) => pi.registerCommand(name, {
    description: name,
    handler: async (_args, ctx) => ctx.ui.notify("answer:" + JSON.stringify((await ask(ctx.ui)) ?? null)),
  });
  command("check-select", (ui) => ui.select("Pick", ["red", "blue"]));
  command("check-confirm", (ui) => ui.confirm("Sure?", "Really"));
  command("check-input", (ui) => ui.input("Name", "yours"));
  command("check-short", (ui) => ui.select("Quick", ["a"], { timeout: 300 }));
}
`;

const isDialog = ({ type, method }: Frame) => type === "extension_ui_request" && method !== "notify";

async function startWithExtension(trial: Trial): Promise<AgentProcess> {
  return trial.start(["-e", trial.file("check-dialogs.ts", EXTENSION)]);
}

/** Runs the slash command, answers its dialog if there is an answer, and returns what the extension got. */
async function ask(agent: AgentProcess, command: string, answer?: object): Promise<{ request: Frame; got: unknown }> {
  const from = agent.mark();
  agent.send({ id: agent.nextId(), type: "prompt", message: `/${command}` });
  const request = await agent.until("extension_ui_request", isDialog, from);
  if (answer) agent.send({ type: "extension_ui_response", id: request.id, ...answer });
  const isAnswer = ({ method, message }: Frame) => method === "notify" && String(message).startsWith("answer:");
  const { message } = await agent.until("the extension's word", isAnswer, from);
  return { request, got: JSON.parse(String(message).slice("answer:".length)) };
}

export const dialogChecks = group("dialogs", "dialogs-of-extensions", [
  [
    "select",
    "`select` is a question with title and options; the extension gets the value.",
    async (trial) => {
      const agent = await startWithExtension(trial);
      const { request, got } = await ask(agent, "check-select", { value: "blue" });
      same([request.method, request.title, request.options], ["select", "Pick", ["red", "blue"]], "request");
      same(got, "blue", "what the extension got");
    },
    "dialogs",
  ],
  [
    "confirm",
    "`confirm` is answered with `confirmed`.",
    async (trial) => {
      const agent = await startWithExtension(trial);
      same((await ask(agent, "check-confirm", { confirmed: true })).got, true, "yes");
      same((await ask(agent, "check-confirm", { confirmed: false })).got, false, "no");
    },
    "dialogs",
  ],
  [
    "input",
    "`input` is answered with a string.",
    async (trial) => {
      const agent = await startWithExtension(trial);
      same((await ask(agent, "check-input", { value: "Ada" })).got, "Ada", "what the extension got");
    },
    "dialogs",
  ],
  [
    "cancelled",
    "`cancelled` closes a dialog: no value, and no to a confirmation.",
    async (trial) => {
      const agent = await startWithExtension(trial);
      same((await ask(agent, "check-select", { cancelled: true })).got, null, "select");
      same((await ask(agent, "check-confirm", { cancelled: true })).got, false, "confirm");
    },
    "dialogs",
  ],
  [
    "deadline",
    "A dialog with a deadline that gets no answer ends by itself.",
    async (trial) => {
      const agent = await startWithExtension(trial);
      same((await ask(agent, "check-short")).got, null, "what the extension got");
    },
    "dialogs",
  ],
]);
