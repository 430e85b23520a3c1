import type { RpcCore } from "@pintle/client";
import type { Highlighting } from "./code/highlighting.ts";
import type { ShellCommands } from "./conversation/shell-commands.ts";
import type { PromptEditor } from "./editor/prompt-editor.ts";
import type { SessionLibrary } from "./engine/engine.ts";
import type { Feed } from "./feed/feed.ts";
import type { Fold, Folds } from "./feed/folds.ts";
import type { ImageDrawer } from "./images/image-drawer.ts";
import type { PastedImages } from "./images/pasted-images.ts";
import type { RunningJobs } from "./jobs/running-jobs.ts";
import type { KeyBindings } from "./keys/key-bindings.ts";
import type { LocalCommands } from "./local-commands.ts";
import type { TerminalOptions } from "./options.ts";
import type { Component } from "./screen/component.ts";
import type { NotifyWay } from "./screen/notification.ts";
import type { QuestionSlot } from "./screen/question-slot.ts";
import type { Theme, ThemeName } from "./screen/theme.ts";
import type { WidgetLines } from "./screen/widgets.ts";
import type { StatusLine } from "./status/status-line.ts";
import type { AnswerTimes } from "./tools/answer-times.ts";

export interface Preferences {
  theme: ThemeName;
  notify: NotifyWay;
}

export type Level = "info" | "warning" | "error";

/**
 * The API for features. A feature is a function of `App` in its own file under features/, listed in features/features.ts. It can
 * - add items to the `feed`;
 * - ask a question: `await app.questions.show((done) => component, { signal })`; it never takes keys meant for a message;
 * - put lines between feed and editor, or below the editor: `app.widgets.set(key, lines)`;
 * - put a part into the status line: `app.status.set(key, text)`;
 * - bind an action of keys/actions.ts: `app.keys.on("pickModel", () => …)`;
 * - add a slash command of the terminal: `app.commands.add({ name, description, run })`;
 * - fold something: `app.folds.add(title, text)` as the fold of an item, which ctrl+o shows in full;
 * - follow every session: `app.onSession((session) => session.on(…))`, which is called again for the next session.
 */
export interface App {
  readonly theme: Theme;
  readonly options: TerminalOptions;
  readonly feed: Feed;
  /** Content that is shown folded and can be unfolded. */
  readonly folds: Folds;
  /** Unfolds content in place. Returns false if it has scrolled away or the window was resized since. */
  unfold(fold: Fold): boolean;
  readonly highlighting: Highlighting;
  readonly questions: QuestionSlot;
  /** The user's settings for the terminal itself. */
  preferences: Preferences;
  /** Whether the window has the focus; undefined if the terminal does not report it. */
  readonly hasFocus: boolean | undefined;
  readonly answerTimes: AnswerTimes;
  readonly editor: PromptEditor;
  readonly images: ImageDrawer;
  /** Images from the clipboard, for messages that contain their placeholders. */
  readonly pastedImages: PastedImages;
  readonly widgets: WidgetSlots;
  readonly status: StatusLine;
  readonly keys: KeyBindings;
  readonly commands: LocalCommands;
  readonly shell: ShellCommands;
  /** The background jobs of the session that are running. */
  readonly jobs: RunningJobs;
  /** The session that accepts commands; undefined until the engine is ready and after it was lost. */
  readonly session: RpcCore | undefined;
  onSession(listener: (session: RpcCore) => void): void;
  /** Called when the session accepts commands: at the start and after a loss. Listeners run one after the other. */
  onReady(listener: (session: RpcCore) => void | Promise<void>): void;
  /** Called after the listeners of `onReady`: the history is shown, and the user's messages can be sent. */
  onOpen(listener: (session: RpcCore) => void): void;
  /** Called when the engine or the connection to it is lost. */
  onLost(listener: () => void): void;
  /** Called when the program ends; the lines are printed below the conversation. */
  onLeave(listener: () => readonly string[]): void;
  /** The stored sessions; undefined until the engine has started. */
  readonly sessions: SessionLibrary | undefined;
  /** Rows of the window. */
  readonly rows: number;
  /** Opens another session instead of this one; without an id, a new one. */
  openSession(id?: string): Promise<void>;
  /** Called when a question is asked that the user has not opened. */
  onQuestion(listener: () => void): void;
  /** Adds a notice to the feed. */
  say(text: string, level?: Level): void;
  /** Adds an error's message to the feed. */
  report(error: unknown): void;
  /** Requests a frame after a change outside the feed. */
  redraw(): void;
  /** Lends the terminal to another program until the promise settles. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Sets the title of the window. */
  setTitle(title: string): void;
  /** Copies to the clipboard with a program or, for example over ssh, through the terminal, which may refuse it. */
  copy(text: string): Promise<void>;
  /** Writes a sequence that changes nothing on the screen. */
  write(sequence: string): void;
  /** Creates an editor for a question. */
  createEditor(): PromptEditor;
  /** Suspends this process, as ctrl+z does in other programs. */
  suspend(): void;
  quit(): void;
}

export interface WidgetSlots {
  /** Removes the widget if there are no lines. */
  set(key: string, lines: WidgetLines | undefined, place?: "above" | "below"): void;
  readonly above: Component;
  readonly below: Component;
}

export type Feature = (app: App) => void;
