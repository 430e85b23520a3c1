import { expect, test } from "bun:test";
import { ago, knownDirectories, sessionTitle, shortDirectory } from "../../../src/live/sessions/session-rows.ts";
import { fileName, shareLink } from "../../../src/live/sessions/share.ts";

test.each([
  [{ name: "Named", firstMessage: "x" }, "Named"],
  [{ name: "  ", firstMessage: "\n two \nlines" }, "two"],
  [{}, "New session"],
])("%j is called %p", (session, title) => {
  expect(sessionTitle(session)).toBe(title);
});

const NOW = Date.parse("2026-03-10T12:00:00Z");
test.each([
  ["2026-03-10T12:00:30Z", "now"], // the server's clock is ahead
  ["2026-03-10T11:59:30Z", "now"],
  ["2026-03-10T11:58:59Z", "1 min"],
  ["2026-03-10T11:00:00Z", "1 h"],
  ["2026-03-09T11:00:00Z", "1 day"],
  ["2026-03-04T12:00:00Z", "6 days"],
  ["2026-03-03T12:00:00Z", "2026-03-03"],
  ["no date", ""],
])("%p was %p ago", (at, text) => {
  expect(ago(at, NOW)).toBe(text);
});

test.each([
  ["/srv/project", "project"],
  ["/srv/project/a/b", "a/b"],
  ["/srv/project-two", "/srv/project-two"],
  ["/other", "/other"],
])("%p is shown as %p", (cwd, text) => {
  expect(shortDirectory(cwd, ["/srv/project"])).toBe(text);
});

test("everything is below a root that is the whole disk", () => {
  expect(shortDirectory("/srv/x", ["/"])).toBe("srv/x");
});

test("directories are offered once, the roots first", () => {
  expect(knownDirectories(["/a"], [{ cwd: "/a/b" }, { cwd: "/a" }, { cwd: "/a/b" }])).toEqual(["/a", "/a/b"]);
});

test.each([
  ["../../etc/passwd", "etc-passwd.html"],
  ["Größe: ½ <b>", "Größe-1-2-b.html"],
  ["\u202e", "session.html"],
  ["x".repeat(200), `${"x".repeat(60)}.html`],
])("a session named %j is kept as %p", (name, file) => {
  expect(fileName(name)).toBe(file);
});

test("a link has the session and no token", () => {
  const page = { origin: "https://agent.example", pathname: "/", hash: "#token=secret" };
  expect(shareLink("a b", page)).toBe("https://agent.example/#session=a+b");
});
