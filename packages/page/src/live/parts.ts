import type { LivePart } from "./app.ts";
import { branches } from "./branches/branches.ts";
import { composer } from "./composer/composer.ts";
import { conversation } from "./conversation/conversation.ts";
import { jobs } from "./jobs/jobs.ts";
import { palette } from "./pickers/palette.ts";
import { pickers } from "./pickers/pickers.ts";
import { questions } from "./questions/questions.ts";
import { sessions } from "./sessions/sessions.ts";
import { announcer } from "./shell/announcer.ts";
import { banner } from "./shell/banner.ts";
import { bar } from "./shell/bar.ts";
import { diffMode } from "./shell/diff-mode.ts";
import { meter } from "./shell/meter.ts";
import { startView } from "./start/start-view.ts";

/** The parts, in the order in which they are added to the layout. */
export const PARTS: readonly LivePart[] = [
  diffMode,
  bar,
  banner,
  sessions,
  branches,
  conversation,
  jobs,
  composer,
  questions,
  pickers,
  meter,
  announcer,
  startView,
  palette,
];
