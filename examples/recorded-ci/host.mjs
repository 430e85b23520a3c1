// A small host: a help desk that lets pintle answer questions about its tickets. The host owns the tickets; the model
// reads them with a tool that runs here.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const PROMPT =
  "You answer questions about the tickets of a help desk, in one sentence. Look a ticket up before you speak of it.";

const LOOK_UP = {
  name: "look_up_ticket",
  description: "The state of a ticket",
  parameters: { type: "object", properties: { number: { type: "integer" } }, required: ["number"] },
};

export class HelpDesk {
  /** Numbers that the model has looked up. */
  lookedUp = [];
  #tickets;
  #child;
  #calls = new Map();
  #answer = "";
  #failure;
  #settled;

  /** `args` are additional arguments for pintle, such as `--replay <directory>`. */
  constructor(program, tickets, { args = [], env = process.env, cwd } = {}) {
    this.#tickets = tickets;
    const fixed = [
      "--mode",
      "rpc",
      "--no-session",
      "--no-builtin-tools",
      "--no-rules",
      "--thinking",
      "off",
      "--system-prompt",
      PROMPT,
    ];
    this.#child = spawn(program, [...fixed, ...args], { env, cwd, stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#receive(JSON.parse(line)));
    this.#child.on("exit", (code) => this.#fail(new Error(`pintle has ended with code ${code}`)));
  }

  async open() {
    await this.#call("set_host_tools", { tools: [LOOK_UP] });
  }

  /** Returns the answer to a question; all questions share one conversation. */
  async ask(question) {
    const settled = promiseWithHandles();
    this.#settled = settled;
    this.#failure = undefined;
    await this.#call("prompt", { message: question });
    await settled.promise;
    if (this.#failure !== undefined) throw new Error(this.#failure);
    return this.#answer;
  }

  close() {
    this.#child.removeAllListeners("exit");
    this.#child.stdin.end();
    return new Promise((resolve) => this.#child.once("exit", resolve));
  }

  #receive(frame) {
    if (frame.type === "response") this.#finishCall(frame);
    else if (frame.type === "host_tool_call") this.#lookUp(frame);
    else if (frame.type === "message_end" && frame.message.role === "assistant") {
      this.#failure = frame.message.errorMessage;
      this.#answer = frame.message.content.map((block) => block.text ?? "").join("");
    } else if (frame.type === "agent_settled") this.#settled?.resolve();
  }

  #lookUp({ id, arguments: { number } }) {
    this.lookedUp.push(number);
    const text = JSON.stringify(this.#tickets[number] ?? "no such ticket");
    this.#send({ type: "host_tool_result", id, result: { content: [{ type: "text", text }] } });
  }

  #call(type, fields) {
    const id = `call ${this.#calls.size + 1}`;
    const call = promiseWithHandles();
    this.#calls.set(id, call);
    this.#send({ id, type, ...fields });
    return call.promise;
  }

  #finishCall({ id, success, error, data }) {
    if (success) this.#calls.get(id)?.resolve(data);
    else this.#calls.get(id)?.reject(new Error(error));
  }

  #send(frame) {
    this.#child.stdin.write(`${JSON.stringify(frame)}\n`);
  }

  #fail(error) {
    for (const call of this.#calls.values()) call.reject(error);
    this.#settled?.reject(error);
  }
}

/** A promise with its resolvers; newer versions of Node have this built in. */
function promiseWithHandles() {
  const handles = {};
  handles.promise = new Promise((resolve, reject) => Object.assign(handles, { resolve, reject }));
  return handles;
}
