// Every scenario of the playground, without a browser: its frames are as declared, and the copied test can be played again.
import { expect, test } from "bun:test";
import { checkHostFrame, checkServerFrame } from "../../packages/coding-agent/test/support/protocol-checker.ts";
import { readScenario } from "../../packages/simulator/src/index.ts";
import { PlaygroundConversation, type Question } from "../../scripts/site/playground/conversation.ts";
import { PLAYGROUND_SCENARIOS, type PlaygroundScenario } from "../../scripts/site/playground/scenarios.ts";

interface Talk {
  conversation: PlaygroundConversation;
  until(condition: (conversation: PlaygroundConversation) => boolean): Promise<void>;
}

async function begin(scenario: PlaygroundScenario): Promise<Talk> {
  const waiting: { condition: (conversation: PlaygroundConversation) => boolean; met(): void }[] = [];
  const look = () => {
    for (const { condition, met } of waiting) if (condition(conversation)) met();
  };
  const conversation = new PlaygroundConversation(scenario, { frame: () => queueMicrotask(look), changed: look });
  await conversation.start();
  return {
    conversation,
    until: (condition) =>
      new Promise((resolve) => {
        waiting.push({ condition, met: resolve });
        look();
      }),
  };
}

const types = ({ lines }: PlaygroundConversation) => lines.map(({ text }) => JSON.parse(text).type);
const hasEnded = (conversation: PlaygroundConversation) => types(conversation).includes("agent_settled");
const PROMPT = (message: string) => JSON.stringify({ id: "you-1", type: "prompt", message });
const pick = ({ question }: PlaygroundConversation, label: string) => {
  const { answers, answer } = question as Question;
  answer(answers[label]);
};

/** What a person does in each scenario after the prompt, and the answer at the end. */
const ACTS: Record<string, { act(talk: Talk): Promise<void> | void; answer: string }> = {
  Prompt: { act: () => {}, answer: "Hello from the simulator." },
  Steering: {
    act: async ({ conversation, until }) => {
      await until(({ answer }) => answer.includes("three"));
      conversation.send(JSON.stringify({ id: "you-2", type: "steer", message: "Stop at three." }));
    },
    answer: "I stopped, as you asked.",
  },
  "Host tool": {
    act: async ({ conversation, until }) => {
      await until(({ question }) => question?.text === "Tool: weather");
      pick(conversation, "4 °C and rain");
    },
    answer: "The host has told me. Take a coat.",
  },
  Approval: {
    act: async ({ conversation, until }) => {
      await until(({ question }) => question?.text === "Approval: bash npm test");
      pick(conversation, "Allow once");
    },
    answer: "That is how it went.",
  },
  Preview: {
    act: async ({ conversation, until }) => {
      await until(({ question }) => question?.text === "Preview: Edit src/day.ts");
      pick(conversation, "Apply");
    },
    answer: "The change is decided.",
  },
  Dialog: {
    act: async ({ conversation, until }) => {
      await until(({ question }) => question?.text === "Which colour?");
      pick(conversation, "blue");
    },
    answer: "It is painted.",
  },
  "Crash and resume": {
    act: async ({ conversation, until }) => {
      await until(({ ended }) => ended !== undefined);
      expect([conversation.hasNext, conversation.ended]).toEqual([
        true,
        "The agent has exited with code 3: simulated fault",
      ]);
      await conversation.start();
      conversation.send(JSON.stringify({ id: "you-2", type: "continue_run" }));
    },
    answer: "finish the work.",
  },
};

test.each(PLAYGROUND_SCENARIOS.map((scenario) => [scenario.name, scenario] as const))("%s", async (name, scenario) => {
  const talk = await begin(scenario);
  const { conversation } = talk;
  conversation.send(PROMPT(scenario.prompt));
  const { act, answer } = ACTS[name]!;
  await act(talk);
  await talk.until(hasEnded);
  expect(conversation.answer).toBe(answer);
  const faults = conversation.lines.flatMap(({ way, text }) => {
    const frame = JSON.parse(text);
    const isFailure = frame.type === "response" && frame.success === false;
    const found = isFailure ? [] : way === "host" ? checkHostFrame(frame) : checkServerFrame(frame);
    return found.map((fault) => `${frame.type}: ${fault}`);
  });
  expect(faults).toEqual([]);

  const source = conversation.toTest();
  const json = /^const scenario = (\{.*?^\});$/ms.exec(source)?.[1] ?? "";
  expect(readScenario(JSON.parse(json)).steps.length).toBeGreaterThan(5);
  expect(source).toContain(JSON.stringify(scenario.prompt));
});

test("what is not a frame is sent as it is, and answered", async () => {
  const { conversation, until } = await begin(PLAYGROUND_SCENARIOS[0]!);
  conversation.send("hello");
  await until(({ lines }) => lines.at(-1)?.text.includes("Failed to parse command") === true);
  expect(conversation.ended).toBeUndefined();
});
