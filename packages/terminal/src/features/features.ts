import type { Feature } from "../app.ts";
import { approvals } from "./approvals.ts";
import { completing } from "./completing.ts";
import { conversation } from "./conversation.ts";
import { dialogs } from "./dialogs.ts";
import { expanding } from "./expanding.ts";
import { externalEditor } from "./external-editor.ts";
import { help } from "./help.ts";
import { keySettings } from "./key-settings.ts";
import { leaving } from "./leaving.ts";
import { login } from "./login.ts";
import { mcpServers } from "./mcp-servers.ts";
import { models } from "./models.ts";
import { opening } from "./opening.ts";
import { pastingImages } from "./pasting-images.ts";
import { permissionModes } from "./permission-modes.ts";
import { previews } from "./previews.ts";
import { running } from "./running.ts";
import { sending } from "./sending.ts";
import { sessionStatus } from "./session-status.ts";
import { sessions } from "./sessions.ts";
import { trust } from "./trust.ts";

/** In the order in which they are installed and told that the session is ready; a later one that binds the same action wins. */
export const FEATURES: readonly Feature[] = [
  keySettings,
  sessionStatus,
  conversation,
  completing,
  approvals,
  previews,
  trust,
  dialogs,
  mcpServers,
  models,
  permissionModes,
  sessions,
  login,
  opening,
  sending,
  running,
  expanding,
  externalEditor,
  pastingImages,
  leaving,
  help,
];
