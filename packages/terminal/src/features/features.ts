import type { Feature } from "../app.ts";
import { completing } from "./completing.ts";
import { conversation } from "./conversation.ts";
import { expanding } from "./expanding.ts";
import { externalEditor } from "./external-editor.ts";
import { help } from "./help.ts";
import { keySettings } from "./key-settings.ts";
import { leaving } from "./leaving.ts";
import { opening } from "./opening.ts";
import { running } from "./running.ts";
import { sending } from "./sending.ts";
import { sessionStatus } from "./session-status.ts";

/** In the order in which they are installed and told that the session is ready; a later one that binds the same action wins. */
export const FEATURES: readonly Feature[] = [
  keySettings,
  sessionStatus,
  conversation,
  completing,
  opening,
  sending,
  running,
  expanding,
  externalEditor,
  leaving,
  help,
];
