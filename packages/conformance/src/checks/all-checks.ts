import type { Check } from "../check.ts";
import { abortChecks } from "./aborts.ts";
import { approvalChecks } from "./approvals.ts";
import { bashChecks } from "./bash.ts";
import { chunkChecks } from "./chunks.ts";
import { dialogChecks } from "./dialogs.ts";
import { framingChecks } from "./framing.ts";
import { hostToolChecks } from "./host-tools.ts";
import { hostUriChecks } from "./host-uris.ts";
import { idChecks } from "./ids.ts";
import { malformedChecks } from "./malformed.ts";
import { previewChecks } from "./previews.ts";
import { queueChecks } from "./queues.ts";
import { runChecks } from "./runs.ts";
import { sessionChecks } from "./sessions.ts";
import { stateChecks } from "./state.ts";
import { toolChecks } from "./tools.ts";
import { trustChecks } from "./trust.ts";
import { updateChecks } from "./updates.ts";

/** In the order of the report. */
export const CHECKS: readonly Check[] = [
  ...framingChecks,
  ...chunkChecks,
  ...idChecks,
  ...malformedChecks,
  ...runChecks,
  ...updateChecks,
  ...toolChecks,
  ...queueChecks,
  ...abortChecks,
  ...hostToolChecks,
  ...hostUriChecks,
  ...dialogChecks,
  ...approvalChecks,
  ...previewChecks,
  ...trustChecks,
  ...stateChecks,
  ...sessionChecks,
  ...bashChecks,
];
