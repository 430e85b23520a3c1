import type { RpcCore } from "@pintle/client";
import type { Highlighting } from "./code/highlighting.ts";
import type { ShellCommands } from "./conversation/shell-commands.ts";
import type { PromptEditor } from "./editor/prompt-editor.ts";
import type { SessionLibrary } from "./engine/engine.ts";
import type { Feed } from "./feed/feed.ts";
import type { Fold, Folds } from "./feed/folds.ts";
import type { ImageDrawer } from "./images/image-drawer.ts";
import type { PastedImages } from "./images/pasted-images.ts";
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
 * What features are given. A feature is a function of this, in a file of its own under features/, with a line in
 * features/features.ts. It may
 * - add items to the `feed`;
 * - ask a question: `await app.questions.show((done) => component, { signal })`; it never takes keys that were meant for a message;
 * - put lines between feed and editor, or below the editor: `app.widgets.set(key, lines)`;
 * - put a part into the status line: `app.status.set(key, text)`;
 * - bind an action of keys/actions.ts: `app.keys.on("pickModel", () => …)`;
 * - add a slash command of the terminal: `app.commands.add({ name, description, run })`;
 * - fold something: `app.folds.add(title, text)` as the fold of an item, which ctrl+o shows in full;
 * - hear of every session: `app.onSession((session) => session.on(…))`, which is called again when another one takes its place.
 */
export interface App {
  readonly theme: Theme;
  readonly options: TerminalOptions;
  readonly feed: Feed;
  /** What was shown in short and can be shown in full. */
  readonly folds: Folds;
  /** Shows it in full where it stands. False: it has scrolled away, or the window was changed since. */
  unfold(fold: Fold): boolean;
  readonly highlighting: Highlighting;
  readonly questions: QuestionSlot;
  /** What the user has set for the terminal itself. */
  preferences: Preferences;
  /** Whether the window has the focus; undefined if the terminal does not report it. */
  readonly hasFocus: boolean | undefined;
  readonly answerTimes: AnswerTimes;
  readonly editor: PromptEditor;
  readonly images: ImageDrawer;
  /** Images from the clipboard, for messages that name them. */
  readonly pastedImages: PastedImages;
  readonly widgets: WidgetSlots;
  readonly status: StatusLine;
  readonly keys: KeyBindings;
  readonly commands: LocalCommands;
  readonly shell: ShellCommands;
  /** The session that takes commands; undefined until the engine is ready, and while it is gone. */
  readonly session: RpcCore | undefined;
  onSession(listener: (session: RpcCore) => void): void;
  /** Called when the session takes commands: at the start, and after a loss. One listener after the other, in order. */
  onReady(listener: (session: RpcCore) => void | Promise<void>): void;
  /** Called behind those of `onReady`: the history is shown, and messages of the user may go to the session. */
  onOpen(listener: (session: RpcCore) => void): void;
  /** Called when the engine or the connection to it is gone. */
  onLost(listener: () => void): void;
  /** Called when the program ends; the lines are printed below the conversation. */
  onLeave(listener: () => readonly string[]): void;
  /** The stored sessions; undefined until the engine has started. */
  readonly sessions: SessionLibrary | undefined;
  /** Rows of the window. */
  readonly rows: number;
  /** Another session in the place of this one; without an id a new one. */
  openSession(id?: string): Promise<void>;
  /** Called when a question is asked that the user has not opened. */
  onQuestion(listener: () => void): void;
  /** A line of the terminal itself in the feed. */
  say(text: string, level?: Level): void;
  /** What a failed promise has to say goes to the feed. */
  report(error: unknown): void;
  /** Something outside of the feed has changed. */
  redraw(): void;
  /** Gives the terminal to another program until the promise settles. */
  lend<T>(work: () => Promise<T>): Promise<T>;
  /** Of the window. */
  setTitle(title: string): void;
  /** Copies to the clipboard: with a program of this machine, else through the terminal, also over ssh. Not every terminal does it. */
  copy(text: string): Promise<void>;
  /** Writes a sequence that changes nothing on the screen. */
  write(sequence: string): void;
  /** Another editor, for a question. */
  createEditor(): PromptEditor;
  /** Stops this process as ctrl+z does in other programs. */
  suspend(): void;
  quit(): void;
}

export interface WidgetSlots {
  /** No lines: it goes away. */
  set(key: string, lines: WidgetLines | undefined, place?: "above" | "below"): void;
  readonly above: Component;
  readonly below: Component;
}

export type Feature = (app: App) => void;
