import type { AgentMessage, RpcCore } from "@pintle/client";
import type { App } from "../app.ts";
import { ToolRow } from "../tools/tool-row.ts";

/** Commands have no time limit; escape stops them. */
const NO_LIMIT_MS = 2 ** 31 - 1;
const TAIL_CHARACTERS = 4_000;

/** Runs the user's own commands (`!command`). Their output joins the conversation, except after `!!`. */
export class ShellCommands {
  readonly #app: App;
  /** Commands that are already on the screen when the session reports them. */
  readonly #own: string[] = [];

  constructor(app: App) {
    this.#app = app;
  }

  run(session: RpcCore, text: string): void {
    const excludeFromContext = text.startsWith("!!");
    const command = text.slice(excludeFromContext ? 2 : 1).trim();
    if (command === "") return;
    const { feed } = this.#app;
    const row = feed.add(new ToolRow("!", { command }, this.#app, () => 0));
    row.start({ command });
    this.#own.push(command);
    let tail = "";
    const stop = session.on("bash_execution_update", ({ delta }) => {
      tail = (tail + delta).slice(-TAIL_CHARACTERS);
      row.update(textResult(tail));
      feed.changed();
    });
    const follow = async () => {
      try {
        const result = await session.bash(command, { excludeFromContext, timeoutMs: NO_LIMIT_MS });
        const { output, exitCode, cancelled } = result;
        const end = cancelled ? "\nstopped" : exitCode ? `\nexit code ${exitCode}` : "";
        row.end({ ...textResult(`${output.trimEnd()}${end}`.trim()), isError: cancelled || exitCode !== 0 });
      } catch (error) {
        row.drop();
        throw error;
      } finally {
        stop();
        feed.changed();
      }
    };
    follow().catch((error) => this.#app.report(error));
  }

  /** Returns true once for each command that was started here. */
  takeOwn(message: AgentMessage): boolean {
    const at = message.role === "bashExecution" ? this.#own.indexOf(message.command) : -1;
    if (at !== -1) this.#own.splice(at, 1);
    return at !== -1;
  }
}

function textResult(text: string) {
  return { content: [{ type: "text" as const, text }] };
}
