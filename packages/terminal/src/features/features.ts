import type { Feature } from "../app.ts";
import { activity } from "./activity.ts";
import { approvals } from "./approvals.ts";
import { banner } from "./banner.ts";
import { budgets } from "./budgets.ts";
import { completing } from "./completing.ts";
import { conversation } from "./conversation.ts";
import { copying } from "./copying.ts";
import { dialogs } from "./dialogs.ts";
import { expanding } from "./expanding.ts";
import { externalEditor } from "./external-editor.ts";
import { farewell } from "./farewell.ts";
import { help } from "./help.ts";
import { jobs } from "./jobs.ts";
import { leaving } from "./leaving.ts";
import { login } from "./login.ts";
import { mcpServers } from "./mcp-servers.ts";
import { models } from "./models.ts";
import { notifying } from "./notifying.ts";
import { opening } from "./opening.ts";
import { pastingImages } from "./pasting-images.ts";
import { permissionModes } from "./permission-modes.ts";
import { previews } from "./previews.ts";
import { projectPrompts } from "./project-prompts.ts";
import { promptSearch } from "./prompt-search.ts";
import { runResults } from "./run-results.ts";
import { running } from "./running.ts";
import { sending } from "./sending.ts";
import { sessionStatus } from "./session-status.ts";
import { sessions } from "./sessions.ts";
import { settingsList } from "./settings-list.ts";
import { subagents } from "./subagents.ts";
import { terminalSettings } from "./terminal-settings.ts";
import { todos } from "./todos.ts";
import { trust } from "./trust.ts";
import { undo } from "./undo.ts";
import { usage } from "./usage.ts";

/** The features, in the order of installation and of the ready notification. A later binding of the same action wins. */
export const FEATURES: readonly Feature[] = [
  terminalSettings,
  banner,
  activity,
  todos,
  jobs,
  subagents,
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
  undo,
  promptSearch,
  login,
  opening,
  sending,
  running,
  expanding,
  externalEditor,
  pastingImages,
  leaving,
  notifying,
  farewell,
  usage,
  settingsList,
  copying,
  projectPrompts,
  help,
];
