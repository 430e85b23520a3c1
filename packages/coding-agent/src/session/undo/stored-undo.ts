import { homedir } from "node:os";
import { SessionError } from "@pintle/storage";
import type { AgentSessionEvent } from "@pintle/wire";
import { homeDirectory } from "../../config/home-dir.ts";
import { Settings } from "../../config/settings/settings.ts";
import { OpenConversation } from "../conversation/open-conversation.ts";
import { workingDirectory } from "../conversation/working-directory.ts";
import { openStoredSessions, type StorePlace } from "../opening/open-stored.ts";
import { resolveSessionPath } from "../opening/session-choice.ts";
import { ChangeLock } from "../runs/change-lock.ts";
import { SessionUndo } from "./session-undo.ts";

export interface StoredUndo extends Disposable {
  sessionId: string;
  undo: SessionUndo;
}

/**
 * Opens the undo of a stored session without a model, tools or anything from the project. `name` is the path, name or beginning
 * of the id of a session; without it, the newest one of the directory is opened. Throws if a process has the session open.
 */
export async function openStoredUndo(place: StorePlace, name: string | undefined): Promise<StoredUndo> {
  const { cwd, env, report = () => {} } = place;
  const home = homeDirectory(env);
  const store = openStoredSessions({ ...place, mayWrite: true });
  const path = name === undefined ? await newestIn(cwd, store) : await resolveSessionPath(store, name, cwd);
  const manager = await store.open(path);
  try {
    // In another directory the recorded paths would not be those of the session.
    const { problem } = workingDirectory(manager.header.cwd, cwd);
    if (problem !== undefined) throw new SessionError("not_found", problem.replace(/ Working in .*$/s, ""));
    const emit = (event: AgentSessionEvent) => {
      if (event.type === "notice") report(event.message);
    };
    const conversation = new OpenConversation({ store, manager, cwd, emit });
    conversation.requireWritable();
    const undo = new SessionUndo({
      settings: Settings.create(cwd, home, { report: () => {} }), // problems were reported when the store was opened
      home,
      userHome: env.HOME || homedir(),
      conversation,
      changeLock: new ChangeLock(),
      isRunning: () => false,
      scratch: () => Promise.reject(new Error("A stored session has no temporary directory")),
      hasBackground: () => false,
      kindOf: async () => undefined,
      now: Date.now,
      emit,
    });
    return {
      sessionId: manager.sessionId,
      undo,
      [Symbol.dispose]: () => {
        undo.leave();
        manager.sync();
        manager.close();
      },
    };
  } catch (error) {
    manager.close();
    throw error;
  }
}

async function newestIn(cwd: string, store: ReturnType<typeof openStoredSessions>): Promise<string> {
  const { sessions } = await store.page({ cwd, limit: 1 });
  const [newest] = sessions;
  if (!newest) throw new SessionError("not_found", "No session in this directory; --session names one of another");
  return newest.path;
}
