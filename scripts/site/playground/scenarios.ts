import type { Scenario } from "../../../packages/simulator/src/index.ts";
import type { Frame, Step } from "../../../packages/simulator/src/scenario.ts";
import {
  ANSWERS,
  answer,
  answerBegins,
  answerEnds,
  delta,
  promptAccepted,
  ready,
  runBegins,
  runEnds,
  send,
  text,
} from "../../../packages/simulator/src/scenarios/frames.ts";

export interface PlaygroundScenario {
  name: string;
  /** What happens, and what to try. */
  about: string;
  /** The first message that the page offers. */
  prompt: string;
  /** Further frames to start from, by their label. */
  frames?: Record<string, Frame>;
  /** One per start of the agent; the second is used after a crash. */
  agents: Scenario[];
}

/** So long a reader can follow each part of an answer. */
const pause = { wait: 250 } as const;
const slowly = (...words: string[]): Step[] => words.flatMap((word) => [delta(word), pause]);
const ends = (words: string): Step[] => [...answerEnds(words), ...runEnds(answer([text(words)]))];
const speaks = (...words: string[]): Step[] => [...answerBegins, ...slowly(...words), ...ends(words.join(""))];

/** What the client sets up when it connects. */
const SET_UP: Record<string, Frame> = {
  ...ANSWERS,
  set_host_tools: { toolNames: ["weather"] },
  set_host_capabilities: { ui: true, trust: false, resolvePreviews: true, approvals: true, budgets: false },
};

function agent(name: string, ...steps: Step[]): Scenario {
  return { name, about: "", host: "", answers: SET_UP, steps };
}

/** An assistant message with one call, and the start of that call. */
function calls(call: { id: string; name: string; arguments: Frame }): Step[] {
  const message = answer([{ type: "toolCall", ...call }], "toolUse");
  return [
    send({ type: "message_start", message: answer([]), messageId: "msg-call" }),
    send({ type: "message_end", message, messageId: "msg-call" }),
    send({ type: "tool_execution_start", toolCallId: call.id, toolName: call.name, args: call.arguments }),
    pause,
  ];
}

function callEnds(call: { id: string; name: string; arguments: Frame }, result: string): Step[] {
  const message = answer([{ type: "toolCall", ...call }], "toolUse");
  return [
    send({
      type: "tool_execution_end",
      toolCallId: call.id,
      toolName: call.name,
      result: { content: [text(result)] },
      isError: false,
    }),
    send({ type: "turn_end", message, toolResults: [] }),
    send({ type: "turn_start" }),
  ];
}

const WEATHER = { id: "call-1", name: "weather", arguments: { city: "Ulm" } };
const COMMAND = { id: "call-1", name: "bash", arguments: { command: "npm test" } };
const EDIT = { id: "call-1", name: "edit", arguments: { path: "src/day.ts" } };
const DIFF = "--- a/src/day.ts\n+++ b/src/day.ts\n@@ -1 +1 @@\n-return days.sort()[0];\n+return Math.max(...days);\n";
const ACTION = {
  actionId: "preview-1",
  label: "Edit src/day.ts",
  sourceToolName: "edit",
  details: { diff: DIFF },
  files: ["src/day.ts"],
  createdAt: "$time",
};

export const PLAYGROUND_SCENARIOS: readonly PlaygroundScenario[] = [
  {
    name: "Prompt",
    about:
      "A prompt starts a run. The answer arrives in parts, and `prompt_result` ends it. Send a second prompt to see it fail: this agent answers one.",
    prompt: "Say hello",
    agents: [
      agent("prompt", ready(), ...promptAccepted, ...runBegins, ...speaks("Hello ", "from ", "the ", "simulator.")),
    ],
  },
  {
    name: "Steering",
    about:
      "The answer continues until you steer it. Send `steer` while it runs: the message is queued, delivered at the next turn, and the answer changes.",
    prompt: "Count to a hundred",
    frames: { "steer the run": { id: "you-2", type: "steer", message: "Stop at three." } },
    agents: [
      agent(
        "steering",
        ready(),
        ...promptAccepted,
        ...runBegins,
        ...answerBegins,
        ...slowly("One, ", "two, ", "three, "),
        { expect: { type: "steer" }, as: "steer", withinMs: 600_000 },
        { respond: "steer" },
        send({ type: "queue_update", steering: ["$steer.message"], followUp: [] }),
        pause,
        ...answerEnds("One, two, three, "),
        send({ type: "queue_update", steering: [], followUp: [] }),
        send({ type: "turn_start" }),
        ...speaks("I stopped, ", "as you asked."),
      ),
    ],
  },
  {
    name: "Host tool",
    about: "The host offers a tool `weather`. The model calls it, the host runs it, and the answer uses the result.",
    prompt: "How is the weather in Ulm?",
    agents: [
      agent(
        "host-tool",
        ready(),
        ...promptAccepted,
        ...runBegins,
        ...calls(WEATHER),
        send({
          type: "host_tool_call",
          id: "host-1",
          toolCallId: WEATHER.id,
          toolName: WEATHER.name,
          arguments: WEATHER.arguments,
        }),
        { expect: { type: "host_tool_result", id: "host-1" }, as: "result", withinMs: 600_000 },
        ...callEnds(WEATHER, "the host's result"),
        ...speaks("The host ", "has told me. ", "Take a coat."),
      ),
    ],
  },
  {
    name: "Approval",
    about: "A command waits until the host allows or denies it. Without an answer it is denied when its time is over.",
    prompt: "Run the tests",
    agents: [
      agent(
        "approval",
        ready(),
        ...promptAccepted,
        ...runBegins,
        ...calls(COMMAND),
        send({
          type: "approval_request",
          id: "approval-1",
          reason: "the preset `ask`",
          default: "deny",
          request: {
            tool: "bash",
            kind: "execute",
            toolCallId: COMMAND.id,
            title: "bash npm test",
            origin: "builtin",
            command: { text: "npm test", cwd: "/project", programs: [["npm", "test"]] },
          },
          suggestedRules: [{ effect: "allow", tool: "bash", command: "npm test", project: "/project" }],
          expiresAt: 4_102_444_800_000,
        }),
        { expect: { type: "approval_response", id: "approval-1" }, as: "decision", withinMs: 600_000 },
        send({ type: "approval_resolved", toolCallId: COMMAND.id, decision: "$decision.decision", by: "host" }),
        ...callEnds(COMMAND, "The call ended as you decided."),
        ...speaks("That is ", "how it went."),
      ),
    ],
  },
  {
    name: "Preview",
    about: "A change is staged. The run waits until the host applies or discards it.",
    prompt: "Fix the warmest day",
    agents: [
      agent(
        "preview",
        ready(),
        ...promptAccepted,
        ...runBegins,
        ...calls(EDIT),
        send({ type: "pending_action_added", action: { ...ACTION, deadline: 4_102_444_800_000 } }),
        { expect: { type: "resolve_pending_action" }, as: "decision", withinMs: 600_000 },
        send({
          type: "pending_action_resolved",
          actionId: ACTION.actionId,
          action: "$decision.action",
          reason: "decided in the playground",
          by: "host",
          isError: false,
          text: "The change was handled.",
        }),
        {
          respond: "decision",
          data: {
            actionId: ACTION.actionId,
            action: "$decision.action",
            text: "The change was handled.",
            isError: false,
          },
        },
        ...callEnds(EDIT, "The change was handled."),
        ...speaks("The change ", "is decided."),
      ),
    ],
  },
  {
    name: "Dialog",
    about: "An extension asks the user to choose. The host shows the question and sends the answer.",
    prompt: "Paint the shed",
    agents: [
      agent(
        "dialog",
        ready(),
        ...promptAccepted,
        ...runBegins,
        send({
          type: "extension_ui_request",
          id: "ui-1",
          method: "select",
          title: "Which colour?",
          options: ["red", "blue"],
        }),
        { expect: { type: "extension_ui_response", id: "ui-1" }, withinMs: 600_000 },
        ...speaks("It is ", "painted."),
      ),
    ],
  },
  {
    name: "Crash and resume",
    about:
      "The agent dies in the middle of an answer. Start it again: the session is stored, and its last run is marked as interrupted.",
    prompt: "Refactor it",
    frames: { "continue the run": { id: "you-2", type: "continue_run" } },
    agents: [
      agent("crash", ready(), ...promptAccepted, ...runBegins, ...answerBegins, ...slowly("I was ", "about to"), {
        crash: { code: 3, stderr: "simulated fault" },
      }),
      {
        ...agent(
          "resumed",
          ready({ sessionFile: "/simulated/session.jsonl" }),
          { expect: { type: "continue_run" }, as: "again", withinMs: 600_000 },
          { respond: "again" },
          send({ type: "agent_start" }),
          send({ type: "turn_start" }),
          ...answerBegins,
          ...slowly("finish ", "the work."),
          ...answerEnds("finish the work."),
          send({ type: "agent_end", messages: [answer([text("finish the work.")])], stopReason: "stop" }),
          send({ type: "agent_settled", aborted: false }),
        ),
        answers: {
          ...SET_UP,
          get_state: {
            ...ANSWERS.get_state,
            interrupted: { cause: "lost", uncertain: [] },
            messageCount: 2,
          },
          get_messages: {
            messages: [
              { role: "user", content: [text("Refactor it")], timestamp: 1 },
              answer([text("I was about to")], "aborted"),
            ],
          },
        },
      },
    ],
  },
];
