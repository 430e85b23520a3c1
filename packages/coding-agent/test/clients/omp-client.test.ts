import { describe, expect, test } from "bun:test";
import { delimiter } from "node:path";
import { ompClient } from "../support/clients/client-classes.ts";
import { testIfCan, withClient } from "../support/clients/client-tests.ts";
import { type Family, promptsAndWaits, promptToEnd, sharedScenarios } from "../support/clients/shared-scenarios.ts";
import { BUN_FOLDERS, type Event, startClient, textsOf } from "../support/clients/started-client.ts";
import { callsTools, chatPlace, heldAnswer, says } from "../support/scenarios/chat-server.ts";

// This client starts `bun` by name.
process.env.PATH = `${BUN_FOLDERS}${delimiter}${process.env.PATH}`;

// The client class of oh-my-pi, as published, drives the built program.

const CLIENT = "@oh-my-pi/pi-coding-agent";
const UTILS = "@oh-my-pi/pi-utils";

const VERSIONS = [
  {
    client: {
      name: CLIENT,
      version: "17.3.5",
      integrity: "sha512-LW1lOEmun2xkVPoQ9R5omT2ETY1Fl3FgTJHAySTqbedWOOxFbx5cz+deRBN4Z7N/82PofhngFS8dsLQC5FPyvw==",
    },
    utils: {
      name: UTILS,
      version: "17.3.5",
      integrity: "sha512-w6wQu4LRdCQPGh31qe7X0XNBPSz1n28zLoAW0jZGVR5ePsddEbO3743L/9QRqgDlPxwYWJnRH14SVqkBOBbJBg==",
    },
  },
  {
    client: {
      name: CLIENT,
      version: "18.2.3",
      integrity: "sha512-wc0JUWHoFiimpsn6JpC2aotZkB3gKzm7tunSAHcr1Kou8uVjt+WZIvGGcZMEFHIgEkX0NlNyHcbIL4NS/08n5Q==",
    },
    utils: {
      name: UTILS,
      version: "18.2.3",
      integrity: "sha512-xp2Xzl5Vsdw8BEKhsvgaLP59xOzkIycpHlwRdssmtmyQHM2/CqPsJH+wVx2wS0cBgWRtZq2nFehq/XDAMx/nwQ==",
    },
  },
  {
    client: {
      name: CLIENT,
      version: "18.3.4",
      integrity: "sha512-7lqUxRbpmS51vtOSul4jZ/VIvkpUUNTUz/I0QIU75itSzqwSs766CJ4/eH5Hl54QVI1/Gt/bSDrV/MC+Qf5neA==",
    },
    utils: {
      name: UTILS,
      version: "18.2.9", // not every mirror has that of 18.3.4
      integrity: "sha512-orBtXrDTdwCbo40udHQrAn1xvyvtrvn/4ddED/xI2F2mKjrkgbD2N88RYNuxDoNbtDbx6HgVjoKup7PxWS8G2A==",
    },
  },
];

const OMP: Family = {
  args: [],
  branch: "branch",
  getBranchMessages: "getBranchMessages",
  compactionEvents: [],
};

const weather = {
  name: "weather",
  description: "Weather of a city",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

for (const { client: published, utils } of VERSIONS) {
  const name = `oh-my-pi ${published.version}`;
  describe(name, async () => {
    await withClient(
      name,
      () => ompClient(published, utils),
      (client) => {
        sharedScenarios(client, OMP);

        test("promptAndWait ends with the run", () => promptsAndWaits(client, OMP));

        test("reads the prompt in parts and a whole run in its own dialect", async () => {
          const dialect = { ...OMP, args: ["--dialect", "omp"] };
          await using chat = await chatPlace();
          await using started = await startClient(client, chat, dialect);
          expect((await started.rpc.getState()).systemPrompt).toEqual([expect.any(String)]);
          await promptsAndWaits(client, dialect);
        });

        test("abort_and_prompt ends the old run and answers the new prompt", async () => {
          const held = heldAnswer();
          await using chat = await chatPlace(held.respond, says("instead"));
          await using started = await startClient(client, chat, OMP);
          const { rpc, events } = started;
          await rpc.prompt("long");
          await held.asked;
          await rpc.abortAndPrompt("short");
          expect(events.filter(({ type }) => type === "agent_end")).toHaveLength(1);
          await rpc.waitForIdle();
          expect(await rpc.getLastAssistantText()).toBe("instead");
        });

        test("host tools are set at the start, called and answered", async () => {
          await using chat = await chatPlace(
            callsTools({ name: "weather", args: { city: "Ulm" } }),
            says("It is sunny."),
          );
          const asked: Event[] = [];
          const tool = {
            ...weather,
            execute(args: Event, { sendUpdate }: { sendUpdate(text: string): void }) {
              asked.push(args);
              sendUpdate("looking");
              return "sunny";
            },
          };
          await using started = await startClient(client, chat, { ...OMP, customTools: [tool] });
          const { rpc, events } = started;
          await promptToEnd(rpc, "weather?");
          expect(asked).toEqual([{ city: "Ulm" }]);
          expect(textsOf(await rpc.getMessages(), "toolResult")).toEqual(["sunny"]);
          const update = events.find(({ type }) => type === "tool_execution_update");
          expect(update?.partialResult.content).toEqual([{ type: "text", text: "looking" }]);
        });

        test("an exception of a host tool is its result, and an abort reaches the tool", async () => {
          await using chat = await chatPlace(callsTools({ name: "weather", args: { city: "Ulm" } }), says("sorry"));
          await using started = await startClient(client, chat, OMP);
          const { rpc } = started;
          const fails = { ...weather, execute: () => Promise.reject(new Error("no network")) };
          expect(await rpc.setCustomTools([fails])).toEqual(["weather"]);
          await promptToEnd(rpc, "weather?");
          expect((await rpc.getMessages())[2]).toMatchObject({ isError: true, content: [{ text: "no network" }] });

          const called = Promise.withResolvers<AbortSignal>();
          const waits = {
            ...weather,
            execute: (_args: Event, { signal }: { signal: AbortSignal }) => {
              called.resolve(signal);
              return new Promise<never>(() => {});
            },
          };
          chat.server.respond(callsTools({ name: "weather", args: { city: "Ulm" } }), says("never"));
          await rpc.setCustomTools([waits]);
          await rpc.prompt("again");
          const signal = await called.promise;
          await rpc.abort();
          expect(signal.aborted).toBe(true);
          await rpc.setCustomTools([]);
        });

        testIfCan(client, "getMessagesPage")("messages by pages", async () => {
          await using chat = await chatPlace(says("one"));
          await using started = await startClient(client, chat, OMP);
          await promptToEnd(started.rpc, "first");
          const first = await started.rpc.getMessagesPage({ limit: 1 });
          expect({ ...first, nextCursor: typeof first.nextCursor }).toMatchObject({
            messages: [{ role: "user" }],
            totalMessages: 2,
            nextCursor: "string",
          });
          const second = await started.rpc.getMessagesPage({ limit: 1, cursor: first.nextCursor });
          expect(second.messages.map(({ role }: Event) => role)).toEqual(["assistant"]);
          expect(second.nextCursor).toBeUndefined();
        });

        testIfCan(client, "getAvailableCommands")("commands are a list", async () => {
          await using chat = await chatPlace();
          await using started = await startClient(client, chat, OMP);
          expect(await started.rpc.getAvailableCommands()).toEqual([]);
        });
      },
    );
  });
}
