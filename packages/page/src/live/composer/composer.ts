import { h, replaceChildren } from "../../dom.ts";
import type { LivePart } from "../app.ts";
import { jobsLine, promoteButton } from "../jobs/jobs.ts";
import type { OpenSession } from "../state/open-session.ts";
import { createAttachments } from "./attachments.ts";
import { createCompletion } from "./completion.ts";
import { keepDraft, readDraft } from "./drafts.ts";
import { PAGE_COMMANDS, readPageCommand } from "./page-commands.ts";
import { queueList } from "./queue.ts";
import { readShellLine } from "./shell-line.ts";
import { todoPanel } from "./todo-panel.ts";

/** How a message is delivered during a run. */
type Way = "steer" | "followUp";

/** The message field, the queued messages, and the tasks. */
export const composer: LivePart = (app) => {
  const { layout, session, say } = app;
  const field = h("textarea", {
    id: "composer",
    class: "field",
    rows: 1,
    autocomplete: "off",
    spellcheck: "true",
    enterkeyhint: "enter",
    "aria-autocomplete": "list",
    "aria-controls": "completion",
    "aria-haspopup": "listbox",
    "aria-label": "Message",
    placeholder: "Ask for something, / for commands, @ for files, ! for the shell",
  });
  const attachments = createAttachments(say);
  const completion = createCompletion(field, () => session.value);
  const picker = h("input", {
    type: "file",
    multiple: true,
    class: "unseen",
    tabindex: -1,
    "aria-label": "Files to attach",
    onchange: () => {
      attach(picker.files ?? []);
      picker.value = "";
    },
  });
  const button = (label: string, className: string, act: () => void, text: string) =>
    h("button", { type: "button", class: className, "aria-label": label, title: label, onclick: act }, text);
  const attachButton = button("Attach files", "quiet-button", () => picker.click(), "+");
  const stopButton = button("Stop (Esc)", "stop-button", stop, "Stop");
  const laterButton = button(
    "Then: send when the run has ended (Alt+Enter)",
    "later-button",
    () => send("followUp"),
    "Then",
  );
  const sendButton = h("button", { class: "main-button send-button", title: "Enter" }, "Send");
  const above = h("div", { class: "above-field" });
  const form = h(
    "form",
    {
      class: "composer",
      onsubmit: (event: Event) => {
        event.preventDefault();
        send("steer");
      },
    },
    completion.element,
    attachments.element,
    field,
    h(
      "div",
      { class: "composer-buttons" },
      attachButton,
      picker,
      h("span", { class: "gap" }),
      promoteButton(app),
      stopButton,
      laterButton,
      sendButton,
    ),
  );
  layout.composer.append(above, form);
  const isRunning = () => session.value?.facts.activity.value.isRunning ?? false;
  app.actions.push(
    { label: "Stop the run", isOffered: isRunning, act: stop },
    ...Object.entries(PAGE_COMMANDS)
      .filter(([, { hint }]) => hint?.startsWith("<") !== true)
      .map(([name, { description, run: runCommand }]) => ({
        label: `${description} (/${name})`,
        isOffered: () => session.value !== undefined,
        act: () => {
          const open = session.value;
          if (open) runCommand(app, open, "");
        },
      })),
  );

  function attach(files: Iterable<File>): void {
    app.act("Reading the file", () => attachments.add(files));
  }

  function stop(): void {
    const open = session.value;
    if (!open) return;
    const isRunning = open.facts.activity.value.isRunning;
    // Another host's command has a button of its own.
    if (open.shell.hasOwn || (open.shell.isAtWork && !isRunning)) {
      app.act("Stopping the command", () => open.shell.stop());
    } else if (isRunning) app.act("Stopping", () => open.rpc.abort());
  }

  function run(text: string, line: NonNullable<ReturnType<typeof readShellLine>>): void {
    if (!attachments.isEmpty) {
      say("Files cannot be sent with a command: remove them first");
      return;
    }
    setText("");
    completion.close();
    app.act("The command", async () => {
      try {
        const open = session.value ?? (await app.openSession({}));
        if (open) await open.shell.run(line.command, line.isHidden);
        else putBack(text);
      } catch (error) {
        putBack(text);
        throw error;
      }
    });
  }

  function send(way: Way): void {
    const text = field.value.trim();
    if (text === "" && attachments.isEmpty) return;
    const open = session.value;
    const own = open && readPageCommand(text);
    if (own) {
      setText("");
      completion.close();
      own.command.run(app, open, own.rest);
      return;
    }
    const line = readShellLine(text);
    if (line) {
      run(text, line);
      return;
    }
    const { images, text: files } = attachments.take();
    const message = [text, files].filter((part) => part !== "").join("\n\n");
    setText("");
    completion.close();
    app.act("Sending the message", async () => {
      try {
        const receiver = session.value ?? (await app.openSession({}));
        if (receiver) await receiver.outbox.deliver(message, () => deliver(receiver, message, { way, images }));
        else putBack(message);
      } catch (error) {
        putBack(message);
        throw error;
      }
    });
  }

  /** Restores a message that was not delivered, unless the user has typed something else. */
  function putBack(message: string): void {
    if (field.value === "") setText(message);
  }

  function setText(text: string): void {
    field.value = text;
    keepDraft(session.value?.id, text);
    showButtons();
  }

  function showButtons(): void {
    const isRunning = session.value?.facts.activity.value.isRunning ?? false;
    stopButton.hidden = !isRunning;
    laterButton.hidden = !isRunning;
    const isCommand = readShellLine(field.value) !== undefined;
    form.classList.toggle("is-command", isCommand);
    replaceChildren(sendButton, isCommand ? "Run" : isRunning ? "Steer" : "Send");
    sendButton.title = isRunning && !isCommand ? "Delivered at the next opportunity (Enter)" : "Enter";
  }

  field.addEventListener("input", () => {
    keepDraft(session.value?.id, field.value);
    showButtons();
    completion.look();
  });
  field.addEventListener("click", () => completion.look());
  field.addEventListener("blur", () => completion.close());
  field.addEventListener("keydown", (event) => {
    if (event.isComposing || completion.key(event)) return;
    if (event.key === "Escape") stop();
    if (event.key !== "Enter" || event.shiftKey) return;
    const way: Way = event.altKey || event.ctrlKey || event.metaKey ? "followUp" : "steer";
    if (way === "steer" && isTouch()) return; // on a phone, Enter starts a new line
    event.preventDefault();
    send(way);
  });
  field.addEventListener("paste", (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    attach(files);
  });
  acceptDrops(attach);

  session.watch((open) => {
    replaceChildren(above, open && [todoPanel(open), jobsLine(app, open), queueList(app, open)]);
    setText(readDraft(open?.id));
    open?.facts.activity.watch(showButtons, open.signal);
    if (!isTouch()) field.focus();
  });
};

async function deliver(
  { rpc, facts }: OpenSession,
  message: string,
  { way, images }: { way: Way; images: NonNullable<Parameters<OpenSession["rpc"]["prompt"]>[1]>["images"] & object },
): Promise<void> {
  const options = images.length > 0 ? { images } : {};
  // A run may end or start while this is in flight: as a prompt it is accepted either way.
  await rpc.prompt(message, facts.activity.value.isRunning ? { ...options, streamingBehavior: way } : options);
}

function isTouch(): boolean {
  return matchMedia("(pointer: coarse)").matches;
}

/** Anywhere on the page. */
function acceptDrops(attach: (files: Iterable<File>) => void): void {
  const show = (isOver: boolean) => document.body.classList.toggle("is-dropping", isOver);
  document.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    show(true);
  });
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) show(false);
  });
  document.addEventListener("drop", (event) => {
    show(false);
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    attach(files);
  });
}
