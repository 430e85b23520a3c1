import { RpcClosedError, type RpcCore } from "@pintle/client";
import type { App, Level, Preferences } from "./app.ts";
import { Highlighting } from "./code/highlighting.ts";
import { ShellCommands } from "./conversation/shell-commands.ts";
import { PromptEditor } from "./editor/prompt-editor.ts";
import type { Engine, SessionLibrary } from "./engine/engine.ts";
import { Feed } from "./feed/feed.ts";
import { type Fold, Folds } from "./feed/folds.ts";
import { noticeItem } from "./feed/notice.ts";
import { ImageDrawer } from "./images/image-drawer.ts";
import { PastedImages } from "./images/pasted-images.ts";
import { RunningJobs } from "./jobs/running-jobs.ts";
import { EditorKeys } from "./keys/editor-keys.ts";
import type { KeyBindings } from "./keys/key-bindings.ts";
import { LocalCommands } from "./local-commands.ts";
import type { TerminalOptions } from "./options.ts";
import { copyByProgram } from "./screen/clipboard-programs.ts";
import { InlineScreen } from "./screen/inline-screen.ts";
import { Keyboard } from "./screen/keyboard.ts";
import type { QuestionSlot } from "./screen/question-slot.ts";
import { TerminalDevice } from "./screen/terminal-device.ts";
import { terminalFeatures } from "./screen/terminal-features.ts";
import { controlTheme, type Theme, type ThemeControl } from "./screen/theme.ts";
import { Widgets } from "./screen/widgets.ts";
import { StatusLine } from "./status/status-line.ts";
import { errorText } from "./text/error-text.ts";
import { shownText } from "./text/shown-text.ts";
import { truncated } from "./text/width.ts";
import { AnswerTimes } from "./tools/answer-times.ts";

type SessionListener = (session: RpcCore) => void;
type ReadyListener = (session: RpcCore) => void | Promise<void>;

const FEED_FRAME_MS = 30;
/** How long a window's size must be stable. tmux reports changes up to a quarter of a second late. */
const SETTLE_MS = 50;
const TMUX_SETTLE_MS = 300;
/** After this time, a lone escape is the escape key. Over ssh, the parts of a sequence may arrive separately. */
const ESCAPE_MS = 25;
const SSH_ESCAPE_MS = 100;
/** After this many crashes within a minute, the engine is not restarted. */
const MAX_LOSSES = 3;
const MINUTE_MS = 60_000;

/** Owns the parts of the screen, their layout and the life of the engine. */
export class Terminal implements App {
  readonly options: TerminalOptions;
  readonly theme: Theme;
  readonly feed = new Feed(() => this.#redrawSoon());
  readonly folds = new Folds();
  readonly highlighting = new Highlighting();
  readonly images: ImageDrawer;
  readonly pastedImages = new PastedImages();
  readonly widgets = new Widgets(() => this.redraw());
  readonly commands = new LocalCommands();
  readonly shell = new ShellCommands(this);
  readonly jobs = new RunningJobs(() => this.redraw());
  readonly questions: QuestionSlot;
  readonly answerTimes = new AnswerTimes();
  readonly keys: KeyBindings;
  readonly status: StatusLine;
  readonly editor: PromptEditor;
  readonly #editorKeys = new EditorKeys();
  readonly #device: TerminalDevice;
  readonly #keyboard: Keyboard;
  readonly #screen: InlineScreen;
  readonly #sessionListeners: SessionListener[] = [];
  readonly #readyListeners: ReadyListener[] = [];
  readonly #openListeners: SessionListener[] = [];
  readonly #lostListeners: (() => void)[] = [];
  readonly #questionListeners: (() => void)[] = [];
  readonly #leaveListeners: (() => readonly string[])[] = [];
  readonly #onQuit = Promise.withResolvers<void>();
  #engine: Engine | undefined;
  /** The current session, even while it does not accept commands. */
  #opened: RpcCore | undefined;
  #isReady = false;
  readonly #themes: ThemeControl;
  #preferences: Preferences = { theme: "auto", notify: "bell" };
  #losses: number[] = [];
  #feedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TerminalOptions) {
    this.options = options;
    this.#themes = controlTheme(options.env);
    this.theme = this.#themes.theme;
    const { graphics } = terminalFeatures(options.env);
    this.#device = new TerminalDevice({
      drawsImages: graphics !== undefined,
      escapeMs: options.env.SSH_CONNECTION ? SSH_ESCAPE_MS : ESCAPE_MS,
      onDrain: () => this.redraw(),
      onRead: (piece) => this.#keyboard.read(piece),
      onGone: () => this.quit(),
      onBackground: (background) => {
        this.#themes.onBackground(background);
        this.redraw();
      },
    });
    this.images = new ImageDrawer(() => graphics ?? (this.#device.hasSixel ? "sixel" : undefined), this.#device);
    this.#screen = new InlineScreen(
      this.#device,
      {
        takeFinished: (width) => this.feed.takeFinished(width),
        live: (width, height) => this.#layout(width, height),
        take: (data) => this.#keyboard.take(data),
      },
      {
        reflow: options.env.TERM_PROGRAM === "vscode" ? "xterm.js" : "same character",
        settleMs: options.env.TMUX ? TMUX_SETTLE_MS : SETTLE_MS,
        isReady: () => this.#device.isReady,
      },
    );
    this.status = new StatusLine(this.theme, () => this.redraw());
    this.editor = new PromptEditor(this.#screen, this.theme, this.#editorKeys);
    this.#keyboard = new Keyboard({
      editor: this.editor,
      editorKeys: this.#editorKeys,
      onFocus: (component) => this.#screen.setFocus(component),
      onChange: () => this.redraw(),
      onQuestion: () => {
        for (const listener of this.#questionListeners) listener();
      },
    });
    this.questions = this.#keyboard.questions;
    this.keys = this.#keyboard.bindings;
    this.#screen.setFocus(this.editor);
  }

  get session(): RpcCore | undefined {
    return this.#isReady ? this.#opened : undefined;
  }

  get preferences(): Preferences {
    return this.#preferences;
  }

  set preferences(preferences: Preferences) {
    this.#preferences = preferences;
    this.#themes.use(preferences.theme);
    this.redraw();
  }

  get hasFocus(): boolean | undefined {
    return this.#device.hasFocus;
  }

  unfold(fold: Fold): boolean {
    return this.feed.unfold(fold, (rows) => this.#screen.reclaim(rows));
  }

  onSession(listener: SessionListener): void {
    this.#sessionListeners.push(listener);
    if (this.#opened) listener(this.#opened);
  }

  onReady(listener: ReadyListener): void {
    this.#readyListeners.push(listener);
  }

  onOpen(listener: SessionListener): void {
    this.#openListeners.push(listener);
  }

  onLost(listener: () => void): void {
    this.#lostListeners.push(listener);
  }

  onQuestion(listener: () => void): void {
    this.#questionListeners.push(listener);
  }

  onLeave(listener: () => readonly string[]): void {
    this.#leaveListeners.push(listener);
  }

  get sessions(): SessionLibrary | undefined {
    return this.#engine;
  }

  get rows(): number {
    return this.#screen.rows;
  }

  async openSession(id?: string): Promise<void> {
    const left = this.#opened;
    await this.#engine?.open(id);
    if (this.#opened === left) return;
    this.#leave();
    this.#ready();
  }

  say(text: string, level: Level = "info"): void {
    this.feed.add(noticeItem(text, level, this.theme));
  }

  report(error: unknown): void {
    this.say(errorText(error), "error");
  }

  redraw(): void {
    this.#screen.requestRender();
  }

  /** Delays the frame, because deltas arrive faster than anyone can read. */
  #redrawSoon(): void {
    this.#feedTimer ??= setTimeout(() => {
      this.#feedTimer = undefined;
      this.redraw();
    }, FEED_FRAME_MS);
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#screen.leave();
    try {
      return await work();
    } finally {
      this.#comeBack();
    }
  }

  setTitle(title: string): void {
    this.#device.setTitle(title);
  }

  async copy(text: string): Promise<void> {
    const { env } = this.options;
    // Over ssh, the clipboard of this machine is not the user's.
    const program = env.SSH_CONNECTION ? undefined : await copyByProgram(text, env);
    if (program === undefined) this.#device.write(`\u001b]52;c;${Buffer.from(text).toString("base64")}\u0007`);
    this.say(
      program === undefined
        ? "Copied, if your terminal lets programs write to its clipboard (OSC 52)."
        : `Copied with ${program}.`,
    );
  }

  write(sequence: string): void {
    this.#device.write(sequence);
  }

  createEditor(): PromptEditor {
    return new PromptEditor(this.#screen, this.theme, this.#editorKeys);
  }

  suspend(): void {
    if (process.platform === "win32") return;
    this.#screen.leave();
    process.once("SIGCONT", () => this.#comeBack());
    process.kill(process.pid, "SIGTSTP");
  }

  /** Draws again after another program used the terminal. Its last keys must not answer a question. */
  #comeBack(): void {
    this.#keyboard.pressedElsewhere();
    this.#screen.start();
    this.#screen.redrawAll();
  }

  quit(): void {
    this.#onQuit.resolve();
  }

  /** Resolves with the exit code when the user or a signal ends the program. */
  async run(engine: Engine): Promise<number> {
    const { ending } = this.options;
    this.#screen.start();
    this.#screen.renderNow(); // show the editor before the engine has started
    const onEnding = () => this.quit();
    ending.addEventListener("abort", onEnding);
    if (ending.aborted) this.quit();
    const failure = this.#start(engine).then(
      () => undefined,
      (error: unknown) => error,
    );
    const startFailure = await Promise.race([
      this.#onQuit.promise,
      failure.then((error) => error ?? this.#onQuit.promise),
    ]);
    ending.removeEventListener("abort", onEnding);
    this.questions.closeAll();
    this.#screen.renderNow(); // keep the lines that are final by now
    this.#screen.leave();
    if (startFailure === undefined) this.#sayFarewell();
    await Promise.all([engine.stop(), this.#device.flush()]);
    return startFailure === undefined ? 0 : tellFailure(startFailure);
  }

  #sayFarewell(): void {
    const lines = this.#leaveListeners.flatMap((listener) => listener());
    if (lines.length > 0) this.#device.write(`\r\n${lines.map((line) => `${line}\r\n`).join("")}`);
  }

  async #start(engine: Engine): Promise<void> {
    this.#engine = engine;
    await engine.start({
      onSession: (session) => {
        this.#opened = session;
        for (const listener of this.#sessionListeners) listener(session);
      },
      onLost: (reason) => this.#lost(engine, reason),
      onNotice: (text) => this.say(text, "warning"),
    });
    this.#ready();
  }

  #ready(): void {
    const session = this.#opened;
    if (!session) return;
    const losses = this.#losses;
    this.#isReady = true;
    const tell = async () => {
      for (const listener of this.#readyListeners) await this.#attempt(() => listener(session));
      if (losses !== this.#losses) return; // the session was lost again
      for (const listener of this.#openListeners) listener(session);
      this.redraw();
    };
    tell().catch((error) => this.report(error));
  }

  /** Reports an error of one feature, so that the others still get the session. */
  async #attempt(work: () => void | Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.report(error);
    }
  }

  /** Closes questions and listeners that belong to the previous session. */
  #leave(): void {
    this.#isReady = false;
    this.questions.closeAll();
    for (const listener of this.#lostListeners) listener();
  }

  #lost(engine: Engine, reason: string): void {
    this.#leave();
    this.say(reason, "error");
    const now = performance.now();
    this.#losses = [...this.#losses.filter((at) => now - at < MINUTE_MS), now];
    if (this.#losses.length >= MAX_LOSSES) {
      this.say("The engine is not restarted again. Press ctrl+c twice to quit.", "error");
      return;
    }
    engine.resume().then(
      () => {
        this.say("The session continues.");
        this.#ready();
      },
      (error) => this.report(error),
    );
  }

  #layout(width: number, height: number): string[] {
    // Rendered first, because rendering a question may give it the keyboard focus.
    const question = this.questions.render(width);
    const { hasKeyboard } = this.questions;
    const isDrafting = !hasKeyboard || (this.questions.question !== undefined && !this.editor.isEmpty);
    const lower = [
      "",
      ...this.widgets.above.render(width),
      ...question,
      ...(this.questions.question ? [this.#hint(width, hasKeyboard)] : []),
      ...(isDrafting ? this.editor.render(width) : []),
      ...this.widgets.below.render(width),
      ...this.status.render(width),
    ];
    return [...this.feed.live(width, height - lower.length), ...lower];
  }

  #hint(width: number, hasKeyboard: boolean): string {
    const [key = ""] = this.keys.keysOf("answer");
    const hint = hasKeyboard ? this.theme.dim(`${key} returns to the message`) : this.theme.warning(`${key} answers`);
    return truncated(hint, width, "");
  }
}

/** Prints the engine's own message if there is one. Returns the exit code. */
function tellFailure(error: unknown): number {
  const said = error instanceof RpcClosedError ? error.stderr.trimEnd() : "";
  process.stderr.write(`${shownText(said === "" ? `pintle: ${errorText(error)}` : said)}\n`);
  return (error instanceof RpcClosedError && error.code) || 1;
}
