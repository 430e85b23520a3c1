import { basename } from "node:path";
import type { BriefSessionState } from "@pintle/client";
import type { App, Feature } from "../app.ts";
import { finishedItem } from "../feed/feed-item.ts";
import { gitBranch } from "../status/git-branch.ts";
import { shownText } from "../text/shown-text.ts";
import { truncated, widthOf } from "../text/width.ts";

/** Shows two lines when the first session opens: what runs where, with which model and permissions, and where help is. */
export const banner: Feature = (app) => {
  let isShown = false;
  app.onReady(async (session) => {
    if (isShown) return;
    isShown = true;
    const state = await session.getState({ brief: true });
    app.feed.add(finishedItem((width) => bannerLines(app, state, width)));
  });
};

function bannerLines({ options, theme }: App, { model, permissionMode }: BriefSessionState, width: number): string[] {
  const { version, cwd, env, attach } = options;
  const branch = attach ? undefined : gitBranch(cwd);
  const place = attach ? `attached to ${attach.place}` : shortDirectory(cwd, env.HOME);
  const isFull = permissionMode === "full";
  const preset = isFull ? theme.bold(theme.failure(permissionMode)) : permissionMode;
  const line = (parts: readonly string[]) => parts.join(theme.dim(" · "));
  const name = theme.heading("pintle");
  const where = [shownText(place), ...(branch === undefined ? [] : [theme.accent(shownText(branch))])];
  const whole = line([`${name} ${theme.dim(version)}`, ...where]);
  // In a narrow window only the last folder fits.
  const short = line([name, shownText(attach ? place : basename(cwd)), ...where.slice(1)]);
  const about = line([model ? shownText(model.id) : "no model", preset, theme.dim("? shows keys and commands")]);
  return [truncated(widthOf(whole) <= width ? whole : short, width), truncated(about, width)];
}

function shortDirectory(cwd: string, home: string | undefined): string {
  if (!home || (cwd !== home && !cwd.startsWith(`${home}/`))) return cwd;
  return `~${cwd.slice(home.length)}`;
}
