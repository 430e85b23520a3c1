import type { QUESTIONS, UiRequestFrame } from "@pintle/wire";
import type { Environment } from "../../../config/keys/environment.ts";
import { noUi, toText } from "../../../extensibility/ui/no-ui.ts";
import type { DialogOptions, ExtensionUi } from "../../../extensibility/ui/ui.ts";
import type { AskHost, HostFields } from "../../../session/host-question.ts";
import type { HostCapabilities } from "./host-capabilities.ts";
import type { PendingCalls } from "./pending-calls.ts";
import { isStrings, toOptionalText, toOptions, toTimeout } from "./ui-fields.ts";

export interface ExtensionUiParts {
  ask: AskHost;
  pending: Pick<PendingCalls, "nextId">;
  send(frame: UiRequestFrame): void;
  capabilities: HostCapabilities;
  emitsTitle: boolean;
}

const NOTIFY_TYPES: readonly unknown[] = ["info", "warning", "error"];
const PLACEMENTS: readonly unknown[] = ["aboveEditor", "belowEditor"];

/** The fields of a request, apart from type and id. */
type UiFields = UiRequestFrame extends infer R ? (R extends UiRequestFrame ? Omit<R, "type" | "id"> : never) : never;
type DialogFields = Extract<UiFields, { method: (typeof QUESTIONS.dialog.methods)[number] }>;

/**
 * The user interface of extensions, shown by the host. Converts all fields to the protocol's types, because extensions are
 * not type-checked and some hosts disconnect if a field has the wrong type. Dialogs end when `scope` fires.
 */
export function createExtensionUi(parts: ExtensionUiParts, scope?: AbortSignal): ExtensionUi {
  const { pending, capabilities } = parts;
  const send = (fields: UiFields, id = pending.nextId("ui")) =>
    parts.send({ type: "extension_ui_request", id, ...fields } as UiRequestFrame);

  /** Returns the host's answer, or undefined if there is none. */
  const ask = async (fields: DialogFields, defaultText: string, options?: DialogOptions) => {
    const timeout = toTimeout(options?.timeout);
    const end = await parts.ask("dialog", {
      fields: () => (timeout === undefined || fields.method === "editor" ? fields : { ...fields, timeout }),
      about: { method: fields.method, title: fields.title },
      signals: [options?.signal, scope, capabilities.withoutUi],
      timeoutMs: timeout,
      default: defaultText,
    });
    if (end.id === undefined) return undefined;
    const answer = end.by === "host" ? end.answer : undefined;
    if (end.by === "timeout" || (answer?.cancelled === true && answer.timedOut === true)) options?.onTimeout?.();
    return answer?.cancelled === true ? undefined : answer;
  };

  const setEditorText = (text: string) => send({ method: "set_editor_text", text: toText(text) });
  return {
    ...noUi,
    async select(title, options, dialog) {
      const fields = { method: "select" as const, title: toText(title), ...toOptions(options) };
      return textAnswer(await ask(fields, "nothing is chosen", dialog));
    },
    async confirm(title, message, dialog) {
      const fields = { method: "confirm" as const, title: toText(title), message: toText(message) };
      return (await ask(fields, "not confirmed", dialog))?.confirmed === true;
    },
    async input(title, placeholder, dialog) {
      const fields = { method: "input" as const, title: toText(title), ...toOptionalText({ placeholder }) };
      return textAnswer(await ask(fields, "no text", dialog));
    },
    async editor(title, prefill, dialog) {
      const promptStyle = dialog?.promptStyle === true && { promptStyle: true };
      const fields = {
        method: "editor" as const,
        title: toText(title),
        ...toOptionalText({ prefill }),
        ...promptStyle,
      };
      return textAnswer(await ask(fields, "no text", dialog));
    },
    notify: (message, notifyType) =>
      send({
        method: "notify",
        message: toText(message),
        ...(notifyType !== undefined && NOTIFY_TYPES.includes(notifyType) && { notifyType }),
      }),
    setStatus: (statusKey, statusText) =>
      send({ method: "setStatus", statusKey: toText(statusKey), ...toOptionalText({ statusText }) }),
    setWidget(widgetKey, content, options) {
      const widgetLines = content ?? undefined;
      if (widgetLines !== undefined && !isStrings(widgetLines)) return; // a component, for terminals only
      const widgetPlacement = options?.placement;
      send({
        method: "setWidget",
        widgetKey: toText(widgetKey),
        ...(widgetLines && { widgetLines }),
        ...(widgetPlacement !== undefined && PLACEMENTS.includes(widgetPlacement) && { widgetPlacement }),
      });
    },
    setTitle(title) {
      if (parts.emitsTitle) send({ method: "setTitle", title: toText(title) });
    },
    setEditorText,
    pasteToEditor: setEditorText,
    setTheme: () => ({ success: false, error: "Theme changes are not supported in RPC mode" }),
  };
}

/** Sends the title only to hosts that request it. */
export function emitsTitle(env: Environment): boolean {
  return [env.PI_RPC_EMIT_TITLE, env.PINTLE_RPC_EMIT_TITLE].some((value) =>
    ["1", "true", "yes", "on"].includes(value?.trim().toLowerCase() ?? ""),
  );
}

function textAnswer(answer: HostFields | undefined): string | undefined {
  return typeof answer?.value === "string" ? answer.value : undefined;
}
