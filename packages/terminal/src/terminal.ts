import type { RpcCore } from "@pintle/client";
import type { App, Level } from "./app.ts";
import { PromptEditor } from "./editor/prompt-editor.ts";
import type { Engine } from "./engine/engine.ts";
import { Feed } from "./feed/feed.ts";
import { noticeItem } from "./feed/notice.ts";
import { KeyBindings } from "./keys/key-bindings.ts";
import { LocalCommands } from "./local-commands.ts";
import type { TerminalOptions } from "./options.ts";
import { InlineScreen } from "./screen/inline-screen.ts";
import { QuestionSlot } from "./screen/question-slot.ts";
import { TerminalDevice } from "./screen/terminal-device.ts";
import { createTheme, type Theme } from "./screen/theme.ts";
import { Widgets } from "./screen/widgets.ts";
import { StatusLine } from "./status/status-line.ts";

type SessionListener = (session: RpcCore) => void;

/** The parts of the screen and their layout, and the life of the engine behind them. */
export class Terminal implements App {
  readonly options: TerminalOptions;
  readonly theme: Theme;
  readonly feed = new Feed(() => this.redraw());
  readonly widgets = new Widgets(() => this.redraw());
  readonly commands = new LocalCommands();
  readonly questions: QuestionSlot;
  readonly keys: KeyBindings;
  readonly status: StatusLine;
  readonly editor: PromptEditor;
  readonly #device: TerminalDevice;
  readonly #screen: InlineScreen;
  readonly #sessionListeners: SessionListener[] = [];
  readonly #readyListeners: SessionListener[] = [];
  readonly #onQuit = Promise.withResolvers<void>();
  /** Also while it does not take commands. */
  #opened: RpcCore | undefined;
  #isReady = false;

  constructor(options: TerminalOptions) {
    this.options = options;
    this.theme = createTheme(options.env);
    this.#device = new TerminalDevice(
      () => this.redraw(),
      () => this.quit(),
    );
    this.#screen = new InlineScreen(
      this.#device,
      {
        takeFinished: (width) => this.feed.takeFinished(width),
        live: (width, height) => this.#layout(width, height),
      },
      {
        reflow: options.env.TERM_PROGRAM === "vscode" ? "xterm.js" : "same character",
        isReady: () => this.#device.isReady,
      },
    );
    this.status = new StatusLine(this.theme, () => this.redraw());
    this.editor = new PromptEditor(this.#screen, this.theme);
    this.questions = new QuestionSlot((component) => {
      this.#screen.setFocus(component ?? this.editor);
      this.redraw();
    });
    this.keys = new KeyBindings(() => this.questions.current !== undefined);
    this.#screen.addChild(this.editor);
    this.#screen.addInputListener((data) => (this.keys.handle(data) ? { consume: true } : undefined));
    this.#screen.setFocus(this.editor);
  }

  get session(): RpcCore | undefined {
    return this.#isReady ? this.#opened : undefined;
  }

  onSession(listener: SessionListener): void {
    this.#sessionListeners.push(listener);
    if (this.#opened) listener(this.#opened);
  }

  onReady(listener: SessionListener): void {
    this.#readyListeners.push(listener);
    if (this.session) listener(this.session);
  }

  say(text: string, level: Level = "info"): void {
    this.feed.add(noticeItem(text, level, this.theme));
  }

  report(error: unknown): void {
    this.say(error instanceof Error ? error.message : String(error), "error");
  }

  redraw(): void {
    this.#screen.requestRender();
  }

  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#screen.leave();
    try {
      return await work();
    } finally {
      this.#screen.start();
      this.#screen.requestRender(true);
    }
  }

  quit(): void {
    this.#onQuit.resolve();
  }

  /** Gives the exit code, when the user or a signal has ended it. */
  async run(engine: Engine): Promise<number> {
    const { ending } = this.options;
    this.#screen.start();
    this.#screen.renderNow(); // the prompt is there before the engine is
    const onEnding = () => this.quit();
    ending.addEventListener("abort", onEnding);
    if (ending.aborted) this.quit();
    // Its failures are told to the user.
    void this.#start(engine);
    await this.#onQuit.promise;
    ending.removeEventListener("abort", onEnding);
    this.questions.closeAll();
    this.#screen.leave();
    await engine.stop();
    return 0;
  }

  async #start(engine: Engine): Promise<void> {
    try {
      await engine.start({
        onSession: (session) => {
          this.#opened = session;
          for (const listener of this.#sessionListeners) listener(session);
        },
        onLost: (reason) => this.#lost(reason),
      });
      this.#ready();
    } catch (error) {
      this.report(error);
      this.say("There is no engine. Press ctrl+c twice to leave.", "error");
    }
  }

  #ready(): void {
    this.#isReady = true;
    if (this.#opened) for (const listener of this.#readyListeners) listener(this.#opened);
    this.redraw();
  }

  #lost(reason: string): void {
    this.#isReady = false;
    this.questions.closeAll();
    this.say(reason, "error");
    this.redraw();
  }

  #layout(width: number, height: number): string[] {
    const lower = [
      ...this.widgets.above.render(width),
      ...(this.questions.current ? this.questions.render(width) : this.editor.render(width)),
      ...this.widgets.below.render(width),
      ...this.status.render(width),
    ];
    return [...this.feed.live(width, height - lower.length), ...lower];
  }
}
