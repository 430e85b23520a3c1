import { expect, test } from "bun:test";
import type { ServedSession } from "@pintle/client/core";
import { groupSessions } from "../../../src/live/sessions/session-groups.ts";
import { placeName } from "../../../src/live/sessions/session-rows.ts";

const NOW = new Date(2026, 2, 10, 9).getTime();
const daysAgo = (days: number, hour = 8) => new Date(2026, 2, 10 - days, hour).toISOString();
const session = (sessionId: string, updatedAt: string, cwd = "/srv/app"): ServedSession => ({
  sessionId,
  cwd,
  updatedAt,
  createdAt: updatedAt,
  messageCount: 1,
  status: "stored",
});
const grouped = (...sessions: ServedSession[]) =>
  groupSessions(sessions, { roots: ["/srv"], now: NOW }).map(({ heading, sessions: own }) => [
    heading,
    own.map(({ sessionId }) => sessionId).join(""),
  ]);

test("sessions are grouped by calendar days", () => {
  const days = [0, 1, 2, 7, 8, 30, 31, 400].map((day, at) => session("abcdefgh"[at] ?? "", daysAgo(day)));
  expect(grouped(...days, session("i", daysAgo(1, 23)), session("j", "no date"))).toEqual([
    ["Today", "a"],
    ["Yesterday", "bi"],
    ["Previous 7 days", "cd"],
    ["Previous 30 days", "ef"],
    ["Older", "ghj"],
  ]);
});

test("a clock that is ahead does not make a day of its own", () => {
  expect(grouped(session("a", daysAgo(-1)))).toEqual([["Today", "a"]]);
});

test("several projects have groups of their own, in the order of their newest sessions", () => {
  const sessions = [session("a", daysAgo(0)), session("b", daysAgo(0), "/srv/lib"), session("c", daysAgo(0))];
  expect(grouped(...sessions, session("d", daysAgo(1), "/srv/lib"))).toEqual([
    ["Today · app", "ac"],
    ["Today · lib", "b"],
    ["Yesterday · lib", "d"],
  ]);
});

test.each([
  [{ cwd: "/srv/app/" }, "app"],
  [{ cwd: "/srv/app", gitBranch: "feature/x" }, "app · feature/x"],
  [{ cwd: "/" }, "/"],
])("the place of %j is %p", (place, text) => expect(placeName(place)).toBe(text));
