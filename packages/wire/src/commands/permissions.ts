import { Type } from "@pintle/ai/type";
import { ref, uncheckedList } from "../named-types.ts";
import { oneOf, PERMISSION_MODES, SANDBOX_MODES } from "../words.ts";
import { noParams, noResult, row } from "./row.ts";

/** What tool calls may do. */
export const permissionCommands = {
  set_policy: row({
    summary: "Replace the host's own rules: the strongest layer.",
    params: () => Type.Object({ rules: uncheckedList("PermissionRule") }),
    result: noResult,
    lane: "ordered",
  }),
  get_policy: row({
    summary: "The preset and all rules with the layer they belong to, the strongest first.",
    params: noParams,
    result: () =>
      Type.Object({
        mode: oneOf(PERMISSION_MODES),
        rules: Type.Array(ref("PolicyRule")),
      }),
    lane: "read",
  }),
  set_permission_mode: row({
    summary: "Choose the preset, for the next tool call on.",
    params: () => Type.Object({ mode: oneOf(PERMISSION_MODES) }),
    result: noResult,
    lane: "control",
  }),
  set_sandbox_mode: row({
    summary:
      "Choose where the model's commands run, for the next one on and for this session; `auto` follows the preset. `sandbox_status` tells it.",
    params: () => Type.Object({ mode: oneOf(SANDBOX_MODES) }),
    result: noResult,
    lane: "control",
  }),
};
