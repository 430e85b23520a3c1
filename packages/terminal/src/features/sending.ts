import type { RpcCore } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { PromptHistory } from "../editor/prompt-history.ts";
import { attachedImages } from "../images/attached-images.ts";

type Queue = "steer" | "followUp";

/** What is written in the editor goes to the session: as a prompt, into the queue of the active run, or as a command. */
export const sending: Feature = (app) => {
  const history = new PromptHistory(app.options.homeDirectory);
  const waiting: { text: string; queue: Queue }[] = [];
  let open: RpcCore | undefined;
  const deliver = (session: RpcCore, text: string, queue: Queue) => {
    if (text.startsWith("!")) app.shell.run(session, text);
    else prompt(app, session, text, queue);
  };
  const send = (text: string, queue: Queue) => {
    if (text.trim() === "") return;
    app.editor.addToHistory(text);
    history.add(text).catch((error) => app.report(error));
    if (isHandledHere(app, text)) return;
    if (open) deliver(open, text, queue);
    else waiting.push({ text, queue });
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

function isHandledHere(app: App, text: string): boolean {
  const local = app.commands.find(text);
  if (!local) return false;
  app.commands.run(local.name, local.rest).catch((error) => app.report(error));
  return true;
}

/** A text that was refused goes back into the editor, unless something else was written there meanwhile. */
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
