import type { RecordedLine } from "../../../packages/simulator/src/index.ts";
import { isFrame, PlaygroundConversation, readJson } from "./conversation.ts";
import { PLAYGROUND_SCENARIOS, type PlaygroundScenario } from "./scenarios.ts";

// The interactive part of the playground page: pick a scenario, send frames, watch both sides.

/** The meaning of each type of frame, and of each command's response; the build takes it from the reference. */
const MEANINGS = (globalThis as { pintleMeanings?: Record<string, string> }).pintleMeanings ?? {};

function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function button(label: string, act: () => void, attributes: Record<string, string> = {}): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", act);
  return made;
}

const place = document.getElementById("playground");
if (place) showPlayground(place);

function showPlayground(place: HTMLElement): void {
  let conversation: PlaygroundConversation | undefined;
  let scenario = PLAYGROUND_SCENARIOS[0] as PlaygroundScenario;
  const picker = element("select", { id: "scenario" });
  for (const { name } of PLAYGROUND_SCENARIOS) picker.append(element("option", {}, name));
  const about = element("p", { class: "pg-about" });
  const editor = element("textarea", { id: "frame", rows: "5", spellcheck: "false" });
  const templates = element("div", { class: "pg-row", role: "group", "aria-label": "Frames to start from" });
  const problem = element("p", { class: "pg-problem", role: "alert" });
  const answer = element("p", { class: "pg-answer" });
  const question = element("div", { class: "pg-question", role: "status" });
  const log = element("ol", { class: "pg-log", "aria-label": "Frames", tabindex: "0" });
  const copied = element("span", { role: "status" });
  const sendButton = button("Send the frame", sendFrame, { class: "main" });
  const copyButton = button("Copy as a test", copyTest);

  function choose(): void {
    scenario = PLAYGROUND_SCENARIOS[picker.selectedIndex] as PlaygroundScenario;
    about.textContent = scenario.about;
    const prompt = { id: "you-1", type: "prompt", message: scenario.prompt };
    const frames = { prompt, ...scenario.frames, "get the state": { id: "you-3", type: "get_state" } };
    templates.replaceChildren(
      ...Object.entries(frames).map(([label, frame]) =>
        button(label, () => {
          editor.value = JSON.stringify(frame, null, 1).replace(/\n */g, " ");
          editor.focus();
        }),
      ),
    );
    editor.value = JSON.stringify(prompt, null, 1).replace(/\n */g, " ");
    begin();
  }

  function begin(): void {
    log.replaceChildren();
    const started = new PlaygroundConversation(scenario, {
      frame: (line) => started === conversation && addLine(line),
      changed: () => started === conversation && show(),
    });
    conversation = started;
    startAgent();
  }

  function startAgent(): void {
    conversation?.start().catch((error: unknown) => {
      problem.textContent = error instanceof Error ? error.message : String(error);
    });
    show();
  }

  function sendFrame(): void {
    const frame = readJson(editor.value);
    problem.textContent = isFrame(frame)
      ? ""
      : "This is not one JSON object. It is sent as it is, so that you can see what an agent answers.";
    conversation?.send(isFrame(frame) ? JSON.stringify(frame) : editor.value.replaceAll("\n", " "));
  }

  async function copyTest(): Promise<void> {
    if (!conversation) return;
    const isCopied = await navigator.clipboard?.writeText(conversation.toTest()).then(
      () => true,
      () => false,
    );
    copied.textContent = isCopied ? "Copied. Save it as conversation.test.mjs." : "Your browser does not allow it.";
  }

  function show(): void {
    if (!conversation) return;
    const { answer: text, question: asked, ended, hasNext } = conversation;
    answer.textContent = text === "" ? "No answer yet." : text;
    sendButton.disabled = ended !== undefined;
    if (ended !== undefined)
      question.replaceChildren(
        element("strong", {}, ended),
        ...(hasNext ? [button("Start it again", startAgent, { class: "main" })] : []),
      );
    else if (asked)
      question.replaceChildren(
        element("strong", {}, asked.text),
        ...Object.entries(asked.answers).map(([label, value]) => button(label, () => asked.answer(value))),
      );
    else question.replaceChildren();
  }

  function addLine({ way, text }: RecordedLine): void {
    const frame = readJson(text);
    const type = isFrame(frame) ? String(frame.type) : "not a frame";
    const name = isFrame(frame) && type === "response" ? `response to ${String(frame.command)}` : type;
    const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
    log.append(
      element(
        "li",
        { class: `pg-frame of-${way}` },
        element(
          "details",
          {},
          element(
            "summary",
            {},
            element("span", { class: "pg-way" }, way === "host" ? "host →" : "← agent"),
            element("code", {}, name),
            element("span", { class: "pg-meaning" }, meaningOf(frame, type)),
          ),
          element(
            "pre",
            { tabindex: "0" },
            element("code", {}, isFrame(frame) ? JSON.stringify(frame, null, 2) : text),
          ),
        ),
      ),
    );
    if (isAtEnd) log.scrollTop = log.scrollHeight;
  }

  place.replaceChildren(
    element(
      "div",
      { class: "pg-row" },
      element("label", { for: "scenario" }, "Scenario"),
      picker,
      button("Start over", begin),
      copyButton,
      copied,
    ),
    about,
    element("label", { for: "frame" }, "A frame of the host, as JSON"),
    editor,
    element("div", { class: "pg-row" }, sendButton, templates),
    problem,
    question,
    element("h3", {}, "The answer, as the client puts it together"),
    answer,
    element("h3", {}, "Every frame of both sides"),
    log,
  );
  picker.addEventListener("change", choose);
  choose();
}

function meaningOf(frame: unknown, type: string): string {
  if (!isFrame(frame)) return "";
  if (type !== "response") return MEANINGS[type] ?? "";
  return frame.success === false ? `It failed: ${String(frame.error)}` : "The command succeeded.";
}
