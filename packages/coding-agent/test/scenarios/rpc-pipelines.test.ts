import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { PROPERTY_TIMEOUT_MS, propertyRuns } from "../../../agent/test/support/property-runs.ts";
import { CHAT, chatPlace } from "../support/scenarios/chat-server.ts";
import { type Frame, type RpcChild, startRpc } from "../support/scenarios/rpc-child.ts";

// A read shows the state after the ordered commands before it and before those after it, however many frames one write
// contains, even if the process has not yet loaded what the read returns.

/** Sends everything in one write; returns the responses in the order of arrival. */
async function pipeline(rpc: RpcChild, frames: readonly object[]): Promise<Frame[]> {
  const from = rpc.frames.length;
  const ids = frames.map((_, index) => `p${from}-${index}`);
  rpc.send(...frames.map((frame, index) => ({ id: ids[index], ...frame })));
  const open = new Set<unknown>(ids);
  await rpc.until((frame) => frame.type === "response" && open.delete(frame.id) && open.size === 0);
  return rpc.frames.slice(from).filter(({ type, id }) => type === "response" && ids.includes(id));
}

const STATE = { type: "get_state" };
const commandsOf = (frames: readonly Frame[]) => frames.map(({ command }) => command);

describe("the first reads of a process", () => {
  test("get_state shows the session and the modes before later commands, and is answered first", async () => {
    await using chat = await chatPlace();
    await using rpc = await startRpc(CHAT, chat.place);
    const { sessionId } = rpc.frames[0] as Frame;
    const answers = await pipeline(rpc, [
      STATE,
      { type: "set_steering_mode", mode: "all" },
      { type: "new_session" },
      STATE,
    ]);
    expect(commandsOf(answers)).toEqual(["get_state", "set_steering_mode", "new_session", "get_state"]);
    const [before, , , after] = answers;
    expect(before?.data).toMatchObject({ sessionId, steeringMode: "one-at-a-time" });
    expect(before?.data.systemPrompt).not.toBe("");
    expect(after?.data.steeringMode).toBe("all");
    expect(after?.data.sessionId).not.toBe(sessionId);
  });

  test("get_available_commands shows the session's commands before later changes", async () => {
    await using chat = await chatPlace();
    const { cwd } = chat.place;
    await Bun.write(`${cwd}/.pintle/prompts/here.md`, "Here");
    await using rpc = await startRpc(CHAT, chat.place);
    const answers = await pipeline(rpc, [
      { type: "get_available_commands" },
      { type: "get_commands" },
      { type: "new_session" },
    ]);
    expect(commandsOf(answers).at(-1)).toBe("new_session");
    for (const { data } of answers.slice(0, 2)) expect(data.commands.map(({ name }: Frame) => name)).toContain("here");
  });
});

/** What `get_state` returns about the commands below. */
interface Expected {
  session: number;
  steeringMode: string;
  sessionName: string | undefined;
  todos: string[];
}

type Write = { frame: object; apply(state: Expected): void };

const writes: fc.Arbitrary<Write> = fc.oneof(
  fc.constantFrom("all", "one-at-a-time").map((mode) => ({
    frame: { type: "set_steering_mode", mode },
    apply: (state: Expected) => {
      state.steeringMode = mode;
    },
  })),
  fc.string({ minLength: 1, maxLength: 5, unit: fc.constantFrom("a", "b", "c") }).map((name) => ({
    frame: { type: "set_session_name", name },
    apply: (state: Expected) => {
      state.sessionName = name;
    },
  })),
  fc.array(fc.constantFrom("x", "y", "z"), { maxLength: 3 }).map((todos) => ({
    frame: { type: "set_todos", phases: [{ name: "p", tasks: todos.map((content) => ({ content })) }] },
    apply: (state: Expected) => {
      state.todos = todos;
    },
  })),
  fc.constant({
    frame: { type: "new_session" },
    apply(state: Expected) {
      Object.assign(state, { session: state.session + 1, sessionName: undefined, todos: [] });
    },
  }),
);
const others = fc.constantFrom<object>(
  { type: "export_html", outputPath: "page.html" },
  { type: "bash", command: "true" },
  { type: "get_available_models" },
  { type: "get_available_commands" },
  { type: "get_messages" },
  { type: "abort" },
);
const steps = fc.array(
  fc.oneof(
    { arbitrary: writes, weight: 3 },
    { arbitrary: fc.constant("read" as const), weight: 3 },
    { arbitrary: others, weight: 1 },
  ),
  { minLength: 1, maxLength: 25 },
);

function told({ data }: Frame): Omit<Expected, "session"> {
  const { steeringMode, sessionName, todoPhases } = data;
  const todos = todoPhases.flatMap(({ tasks }: Frame) => tasks.map(({ content }: Frame) => content));
  return { steeringMode, sessionName, todos };
}

test(
  "random pipelines: every state matches its position, and writes are answered in order",
  async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (script, isWarm) => {
        await using chat = await chatPlace();
        await using rpc = await startRpc(CHAT, chat.place);
        if (isWarm) await rpc.call("get_state");
        const state: Expected = { session: 0, steeringMode: "one-at-a-time", sessionName: undefined, todos: [] };
        const expected: Expected[] = [];
        const frames = script.map((step) => {
          if (step === "read") {
            expected.push({ ...state });
            return STATE;
          }
          if (!("apply" in step)) return step;
          step.apply(state);
          return step.frame;
        });
        const answers = await pipeline(rpc, frames);
        const states = answers.filter(({ command }) => command === "get_state");
        expect(states.map(told)).toEqual(expected.map(({ session: _, ...rest }) => rest));
        // The same number means the same session, another number another one.
        const ids = states.map(({ data }) => data.sessionId as string);
        const numbers = [...new Set(expected.map(({ session }) => session))];
        expect(ids.map((id) => [...new Set(ids)].indexOf(id))).toEqual(
          expected.map(({ session }) => numbers.indexOf(session)),
        );
        const isWrite = (type: string) => /^(set_|new_session|export_html)/.test(type);
        expect(commandsOf(answers).filter(isWrite)).toEqual(
          frames.map((frame) => (frame as { type: string }).type).filter(isWrite),
        );
      }),
      propertyRuns({ numRuns: 20, seed: 11 }),
    );
  },
  PROPERTY_TIMEOUT_MS,
);
