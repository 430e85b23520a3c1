import type { Feature } from "../app.ts";
import { approvals } from "./approvals.ts";
import { budgets } from "./budgets.ts";
import { completing } from "./completing.ts";
import { conversation } from "./conversation.ts";
import { copying } from "./copying.ts";
import { dialogs } from "./dialogs.ts";
import { expanding } from "./expanding.ts";
import { externalEditor } from "./external-editor.ts";
import { farewell } from "./farewell.ts";
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
import { projectPrompts } from "./project-prompts.ts";
import { runResults } from "./run-results.ts";
import { running } from "./running.ts";
import { sending } from "./sending.ts";
import { sessionStatus } from "./session-status.ts";
import { sessions } from "./sessions.ts";
import { settingsList } from "./settings-list.ts";
import { trust } from "./trust.ts";
import { usage } from "./usage.ts";

/** In the order in which they are installed and told that the session is ready; a later one that binds the same action wins. */
export const FEATURES: readonly Feature[] = [
  keySettings,
  sessionStatus,
  conversation,
  runResults,
  completing,
  approvals,
  previews,
  budgets,
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
  farewell,
  usage,
  settingsList,
  copying,
  projectPrompts,
  help,
];
