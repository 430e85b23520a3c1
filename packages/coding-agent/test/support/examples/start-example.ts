import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { LoopbackServer, Respond } from "../../../../ai/test/support/loopback-server.ts";
import { repository } from "../program.ts";
import { CHAT, chatPlace } from "../scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../scenarios/rpc-child.ts";
import { type Machine, machine } from "../scenarios/stored-sessions.ts";

export interface ExampleSituation {
  /** The answers of a model server; without them, the offline model is used. */
  answers?: Respond[];
  args?: readonly string[];
  env?: Record<string, string>;
  /** Files of the project, by their path. */
  files?: Record<string, string>;
  settings?: object;
  /** Before the program starts. */
  prepare?(place: Machine): Promise<unknown> | unknown;
}

export interface ExampleRun extends AsyncDisposable {
  rpc: RpcChild;
  place: Machine;
  /** Of the scripted model. */
  requests: LoopbackServer["requests"];
  /** A file of the project. */
  file(path: string): string;
  /** Runs a command of the extension to its end. */
  command(message: string): Promise<void>;
  /** Waits for the dialog, answers it, and returns it. */
  answer(method: string, fields: object): Promise<Frame>;
  /** What was shown so far with this method. */
  shown(method: string): Frame[];
  /** Waits until matching content is shown with this method. */
  untilShown(method: string, fits?: (frame: Frame) => boolean): Promise<Frame>;
  /** Returns the last result of this tool: `[isError, text]`. */
  resultOf(toolName: string): [isError: boolean, text: string];
}

export const examplePath = (name: string) => join(repository, "examples/extensions", name);

const isShown = (method: string) => (frame: Frame) => frame.type === "extension_ui_request" && frame.method === method;

/** Starts the built program in RPC mode with one of examples/extensions. The example must not cause an `extension_error`. */
export async function startExample(name: string, situation: ExampleSituation = {}): Promise<ExampleRun> {
  const { answers, args = [], env = {}, files = {}, settings, prepare } = situation;
  const chat = answers && (await chatPlace(...answers));
  const place = chat?.place ?? machine();
  const write = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [path, text] of Object.entries(files)) write(join(place.cwd, path), text);
  if (settings) write(join(place.env.PINTLE_HOME as string, "settings.json"), JSON.stringify(settings));
  await prepare?.(place);
  const rpc = await startRpc([...(chat ? CHAT : []), "--extension", examplePath(name), ...args], {
    cwd: place.cwd,
    env: { ...place.env, ...env },
  });
  const run: ExampleRun = {
    rpc,
    place,
    requests: chat?.server.requests ?? [],
    file: (path) => join(place.cwd, path),
    async command(message) {
      const id = `command ${rpc.frames.length}`;
      rpc.send({ id, type: "prompt", message });
      await rpc.until((frame) => frame.type === "prompt_result" && frame.id === id);
    },
    async answer(method, fields) {
      const dialog = await rpc.until(isShown(method));
      rpc.send({ type: "extension_ui_response", id: dialog.id, ...fields });
      return dialog;
    },
    shown: (method) => rpc.frames.filter(isShown(method)),
    async untilShown(method, fits = () => true) {
      const found = () => run.shown(method).find(fits);
      return found() ?? rpc.until((frame) => isShown(method)(frame) && fits(frame));
    },
    resultOf(toolName) {
      const end = rpc.frames.findLast((frame) => frame.type === "tool_execution_end" && frame.toolName === toolName);
      if (!end) throw new Error(`${toolName} has no result`);
      return [end.isError, end.result.content.map((block: Frame) => block.text).join("")];
    },
    async [Symbol.asyncDispose]() {
      await rpc[Symbol.asyncDispose]();
      if (chat) await chat[Symbol.asyncDispose]();
      else place[Symbol.dispose]();
      const fault = rpc.frames.find(({ type }) => type === "extension_error");
      if (fault) throw new Error(`${name} reports a fault: ${JSON.stringify(fault)}`);
    },
  };
  return run;
}
