import { expect, test } from "bun:test";
import type { AgentMessage } from "@pintle/agent";
import fc from "fast-check";
import type { SessionManager } from "../src/session-manager.ts";
import { assistant, imageData, toolResult, user } from "./support/messages.ts";
import { stateOf, testStore } from "./support/stores.ts";

/** The operations on a session. `pick` chooses among existing entries. */
type Step = { name: string; pick: number; text: string };

const image = (seed: number) => ({ type: "image" as const, data: imageData(seed), mimeType: "image/png" });

const steps: Record<string, (session: SessionManager, step: Step, entryId: string | undefined) => unknown> = {
  user: (session, { text }) => session.appendMessage(user(text)),
  calls: (session, { text, pick }) => session.appendMessage(assistant(text, ["x", "y", "z"].slice(0, pick % 4))),
  result: (session, { pick, text }) =>
    session.appendMessage({ ...toolResult("xyz"[pick % 3] as string, text), details: { text } }),
  image: (session, { pick }) => session.appendMessage({ ...user(""), content: [image(pick % 3)] } as AgentMessage),
  excluded: (session, { text }) => session.appendMessage(assistant(text), { excludeFromContext: true }),
  customMessage: (session, { text, pick }) =>
    session.appendCustomMessage({
      role: "custom",
      customType: "c",
      content: pick % 2 ? text : [image(pick % 3)],
      display: true,
      details: { text },
      timestamp: pick,
    }),
  custom: (session, { text }) => session.appendCustom("state", { text }),
  prune: (session, _, entryId) => entryId && session.appendPrune({ ids: [entryId], prunedAt: 5 }),
  compaction: (session, { text }, entryId) =>
    session.appendCompaction({
      summary: text,
      tokensBefore: 1,
      ...(entryId !== undefined && { firstKeptEntryId: entryId }),
    }),
  branchSummary: (session, { text }, entryId) =>
    session.appendBranchSummary({ fromId: entryId ?? "root", summary: text }),
  model: (session, { pick }) =>
    session.appendModelChange({ provider: "p", modelId: `m${pick % 3}` }, ["default", "fallback"][pick % 2] as string),
  thinking: (session, { pick }) =>
    session.appendThinkingLevelChange((["off", "low", "xhigh"] as const)[pick % 3] as "off"),
  rules: (session, { pick }) => session.appendRuleInjection([`r${pick % 3}`]),
  label: (session, { text, pick }, entryId) => entryId && session.setLabel(entryId, pick % 3 ? text : undefined),
  name: (session, { text }) => text.trim() !== "" && session.setName(`n${text}`),
  leaf: (session, { pick }, entryId) => session.moveLeaf(pick % 5 === 0 ? null : (entryId ?? null)),
  sync: (session) => session.sync(),
};

/** Replaces the session with another one. */
const changes = ["reopen", "branch", "clone"];

test("whatever happened in a session, its file gives the same session", async () => {
  const step = fc.record({
    name: fc.constantFrom(...Object.keys(steps), ...Object.keys(steps), ...changes),
    pick: fc.nat(1000),
    text: fc.string({ unit: "binary", maxLength: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom("blob", "inline"), async (history, images) => {
      const { store, notices } = testStore({ images, fsync: "never" });
      let session = store.create();
      for (const each of history) {
        const entries = session.entries();
        const entryId = entries.length === 0 ? undefined : entries[each.pick % entries.length]?.id;
        if (!changes.includes(each.name)) {
          steps[each.name]?.(session, each, entryId);
          continue;
        }
        const next = await change(each, session);
        if (!next) continue;
        session.close();
        session = await next();
      }
      session.appendMessage(user("last"));
      session.close();
      const again = await store.open(session.sessionFile as string, { access: "read" });
      expect(stateOf(again)).toEqual(stateOf(session));
      expect(again.leafId).toBe(session.leafId);
      expect(JSON.stringify(again.buildContext())).toBe(JSON.stringify(session.buildContext()));
      expect(notices).toEqual([]);

      async function change(
        { name, pick }: Step,
        current: SessionManager,
      ): Promise<(() => Promise<SessionManager>) | undefined> {
        if (name === "reopen") {
          if ((await store.find(current.sessionId)).length === 0) return undefined; // nothing justified a file yet
          return () => store.open(current.sessionFile as string);
        }
        if (name === "clone" && current.leafId === null) return undefined;
        const messages = current.userMessages();
        if (name === "branch" && messages.length === 0) return undefined;
        const fork =
          name === "clone"
            ? current.clone()
            : current.branchBefore(messages[pick % messages.length]?.entryId as string);
        return async () => fork;
      }
    }),
    { numRuns: 300 },
  );
}, 120_000);
