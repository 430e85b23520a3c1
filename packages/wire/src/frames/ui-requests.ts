import { Type } from "@pintle/ai/type";
import type { TProperties } from "typebox";
import { oneOf } from "../words.ts";

const timeout = () => Type.Optional(Type.Integer({ description: "ms; informative, the server enforces the deadline" }));

function uiRequest<M extends string, P extends TProperties>(method: M, fields: P) {
  return Type.Object({
    type: Type.Literal("extension_ui_request"),
    id: Type.String(),
    method: Type.Literal(method),
    ...fields,
  });
}

/** The methods of `extension_ui_request` that ask; the others inform. */
export const DIALOG_METHODS = ["select", "confirm", "input", "editor"] as const;

export const uiRequests = () =>
  Type.Union([
    uiRequest("select", {
      title: Type.String(),
      options: Type.Array(Type.String()),
      optionDetails: Type.Optional(Type.Array(Type.Object({ description: Type.Optional(Type.String()) }))),
      timeout: timeout(),
    }),
    uiRequest("confirm", { title: Type.String(), message: Type.String(), timeout: timeout() }),
    uiRequest("input", { title: Type.String(), placeholder: Type.Optional(Type.String()), timeout: timeout() }),
    uiRequest("editor", {
      title: Type.String(),
      prefill: Type.Optional(Type.String()),
      promptStyle: Type.Optional(Type.Boolean()),
    }),
    uiRequest("cancel", {
      targetId: Type.String({ description: "id of a dialog that is no longer needed" }),
      reason: Type.Optional(Type.String({ description: "`answered`: another host of the session was first" })),
    }),
    uiRequest("notify", {
      message: Type.String(),
      notifyType: Type.Optional(
        oneOf(["info", "warning", "error"], {
          description: "absent means info",
        }),
      ),
    }),
    uiRequest("setStatus", {
      statusKey: Type.String(),
      statusText: Type.Optional(Type.String({ description: "absent means clear" })),
    }),
    uiRequest("setWidget", {
      widgetKey: Type.String(),
      widgetLines: Type.Optional(Type.Array(Type.String(), { description: "absent means clear" })),
      widgetPlacement: Type.Optional(oneOf(["aboveEditor", "belowEditor"])),
    }),
    uiRequest("setTitle", { title: Type.String() }),
    uiRequest("set_editor_text", { text: Type.String() }),
  ]);
