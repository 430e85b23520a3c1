import { afterEach, expect, test } from "bun:test";
import { user } from "./support/messages.ts";
import { startChild, stopChildren } from "./support/start-child.ts";
import { testStore } from "./support/stores.ts";

afterEach(stopChildren);

test("a process that is killed while it writes loses nothing that it had stored", async () => {
  const KILLS = 12;
  let stored = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const { store, home, notices } = testStore();
    const child = startChild("flood", home);
    const { file } = (await child.hear()) as { file: string };
    const ids: unknown[] = [];
    for (let id = await child.hear(); id !== undefined; id = await child.hear()) {
      ids.push(id);
      if (ids.length === 20 + kill * 37) void child.kill(); // its earlier output is still read
    }
    await child.kill();

    const session = await store.open(file);
    const loaded = session.entries().map(({ id }) => id);
    expect(loaded.slice(0, ids.length)).toEqual(ids as string[]);
    expect(loaded.length - ids.length).toBeLessThanOrEqual(1); // stored, but not reported yet
    const { messages } = session.buildContext();
    expect(JSON.stringify(messages)).not.toMatch(/image unavailable|blob:/);
    session.appendMessage(user("on we go"));
    session.close();
    const again = await store.open(file, { access: "read" });
    expect(again.buildContext().messages).toHaveLength(messages.length + 1);
    expect(notices.filter(({ level }) => level === "error")).toEqual([]);
    stored += ids.length;
  }
  expect(stored).toBeGreaterThan(KILLS * 20);
});
