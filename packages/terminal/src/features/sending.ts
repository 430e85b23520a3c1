import type { RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { PromptHistory } from "../editor/prompt-history.ts";
import { attachedImages } from "../images/attached-images.ts";
import type { Meaning } from "../local-commands.ts";

type Queue = "steer" | "followUp";

/** Sends the editor's text: as a prompt, into the queue of the active run, or as a command. */
export const sending: Feature = (app) => {
  const history = new PromptHistory(app.options.homeDirectory);
  const waiting: { text: string; queue: Queue }[] = [];
  let open: RpcCore | undefined;
  const deliver = (session: RpcCore, text: string, queue: Queue) => {
    if (text.startsWith("!")) app.shell.run(session, text);
    else prompt(app, session, text, queue);
  };
  /**
   * Messages that wait for the session's list of commands, because an unknown command must not become a paid prompt. Later
   * messages keep their order.
   */
  const undecided: { text: string; queue: Queue }[] = [];
  const send = (text: string, queue: Queue) => {
    if (text.trim() === "") return;
    app.editor.addToHistory(text);
    history.add(text).catch((error) => app.report(error));
    submit(text, queue);
  };
  app.commands.onListed(() => {
    for (const { text, queue } of undecided.splice(0)) submit(text, queue);
  });
  const submit = (text: string, queue: Queue) => {
    const meaning = app.commands.meaningOf(text);
    if (meaning.kind === "local") {
      app.commands.run(meaning.name, meaning.rest).catch((error) => app.report(error));
    } else if (meaning.kind === "undecided" || undecided.length > 0) undecided.push({ text, queue });
    else if (meaning.kind === "unknown") refuse(app, text, meaning);
    else if (open) deliver(open, meaning.text, queue);
    else waiting.push({ text: meaning.text, queue });
  };
  app.onLost(() => {
    open = undefined;
  });
  app.editor.onSubmit = (text) => send(text, "steer");
  app.keys.on("followUp", () => {
    if (app.editor.isEmpty) return false;
    send(app.editor.takeText(), "followUp");
    return true;
  });
  history.read().then(
    (texts) => {
      for (const text of texts) app.editor.addToHistory(text);
    },
    (error) => app.report(error),
  );
  let isFirst = true;
  app.onOpen((session) => {
    const start = async () => {
      const prompts = isFirst ? app.options.prompts : [];
      isFirst = false;
      for (const { text, images } of prompts) {
        await session.prompt(text, { images, streamingBehavior: "followUp" }).catch((error) => app.report(error));
      }
      open = session;
      for (const { text, queue } of waiting.splice(0)) deliver(session, text, queue);
    };
    start().catch((error) => app.report(error));
  });
};

/** Refuses an unknown command, which would become a paid prompt. The text returns to the editor. */
function refuse(app: App, text: string, { name, nearest }: Extract<Meaning, { kind: "unknown" }>): void {
  const advice = nearest === undefined ? "/help lists the commands." : `did you mean /${nearest}?`;
  app.say(`There is no command /${name}: ${advice} A leading space sends it as a message.`, "warning");
  if (app.editor.isEmpty) app.editor.setText(text);
}

/** Sends a prompt. If it is refused, the text returns to the editor, unless the user has typed something else. */
function prompt(app: App, session: RpcCore, text: string, queue: Queue): void {
  const send = async () => {
    const images = await attachedImages(text, app.options.cwd, app.pastedImages);
    await session.prompt(text, { streamingBehavior: queue, ...(images.length > 0 && { images }) });
  };
  send().catch((error) => {
    app.report(error);
    if (app.editor.isEmpty) app.editor.setText(text);
  });
}
