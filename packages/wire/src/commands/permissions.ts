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
    summary: "Selects the preset, from the next tool call.",
    params: () => Type.Object({ mode: oneOf(PERMISSION_MODES) }),
    result: noResult,
    lane: "control",
  }),
  set_sandbox_mode: row({
    summary:
      "Selects where the model's commands run, from the next one and for this session; `auto` follows the preset. `sandbox_status` reports it.",
    params: () => Type.Object({ mode: oneOf(SANDBOX_MODES) }),
    result: noResult,
    lane: "control",
  }),
};
