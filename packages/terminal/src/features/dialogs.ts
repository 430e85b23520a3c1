import type { ExtensionUiRequest, QuestionContext, UiAnswer } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { askLine, choose } from "../questions/ask.ts";
import { askText } from "../questions/text-input.ts";
import { shownText } from "../text/shown-text.ts";

type Request = Exclude<ExtensionUiRequest, { method: "cancel" }>;
type Methods = {
  [M in Request["method"]]: (
    app: App,
    request: Extract<Request, { method: M }>,
    context: QuestionContext,
  ) => Promise<UiAnswer> | UiAnswer;
};

/** Shows the dialogs of extensions and the `ask` tool. */
export const dialogs: Feature = (app) => {
  app.onSession((session) => {
    session.onUiRequest((request, context) => answer(app, request, context));
  });
};

const line = (text: string) => shownText(text).replaceAll("\n", " ");

const METHODS: Methods = {
  /** Which option is safe is unknown, so the first row gives no answer. */
  select: async (app, { title, options, optionDetails = [] }, { signal }) => {
    const items = options.map((option, index) => ({
      value: String(index),
      label: line(option),
      ...(optionDetails[index]?.description && { description: line(optionDetails[index].description) }),
    }));
    const none = { value: "none", label: "no answer" };
    const value = await choose(app, { title: titleLines(app, title), items: [none, ...items], signal });
    return options[Number(value)];
  },
  confirm: async (app, { title, message }, { signal }) => {
    const items = [
      { value: "no", label: "no" },
      { value: "yes", label: "yes" },
    ];
    const value = await choose(app, {
      title: [...titleLines(app, title), ...shownText(message).split("\n")],
      items,
      signal,
    });
    return value === undefined ? undefined : { confirmed: value === "yes" };
  },
  input: async (app, { title, placeholder }, { signal }) =>
    askLine(app, { title: line(title), ...(placeholder !== undefined && { placeholder: line(placeholder) }), signal }),
  editor: (app, { title, prefill = "" }, { signal }) => askText(app, { title: line(title), prefill, signal }),
  notify: (app, { message, notifyType }) => {
    app.say(message, notifyType);
    return undefined;
  },
  setStatus: (app, { statusKey, statusText }) => {
    app.status.set(`extension ${statusKey}`, statusText && line(statusText), { weight: 70 });
    return undefined;
  },
  setWidget: (app, { widgetKey, widgetLines, widgetPlacement }) => {
    const place = widgetPlacement === "belowEditor" ? "below" : "above";
    app.widgets.set(`extension ${widgetKey}`, widgetLines?.map(line), place);
    return undefined;
  },
  setTitle: (app, { title }) => {
    app.setTitle(line(title));
    return undefined;
  },
  set_editor_text: (app, { text }) => {
    app.editor.setText(shownText(text));
    return undefined;
  },
};

function titleLines(app: App, title: string): string[] {
  return shownText(title).split("\n").map(app.theme.bold);
}

function answer(app: App, request: Request, context: QuestionContext): Promise<UiAnswer> | UiAnswer {
  // The table is keyed by method, so the handler fits the request.
  const method = METHODS[request.method] as (
    app: App,
    request: Request,
    context: QuestionContext,
  ) => Promise<UiAnswer> | UiAnswer;
  return method(app, request, context);
}
