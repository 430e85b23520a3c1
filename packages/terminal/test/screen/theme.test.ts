import { expect, test } from "bun:test";
import { notification } from "../../src/screen/notification.ts";
import { controlTheme } from "../../src/screen/theme.ts";

test("colours follow the reported background, the setting, and what the terminal can show", () => {
  const truecolor = { TERM: "xterm-256color", COLORTERM: "truecolor" };
  const { theme, use, onBackground } = controlTheme(truecolor);
  expect(theme.accent("x")).toBe("\u001b[36mx\u001b[39m"); // the terminal's own colours until it has answered
  expect(theme.row("added")("x")).toBe("x");
  onBackground("dark");
  expect(theme.accent("x")).toBe("\u001b[38;2;125;207;255mx\u001b[39m");
  expect(theme.row("added")("x")).toBe("\u001b[48;2;31;51;39m\u001b[Kx\u001b[49m");
  const onDark = theme.code("x");
  use("light");
  expect(theme.code("x")).not.toBe(onDark);
  use("contrast");
  expect(theme.dim("x")).toBe("x"); // nothing is faint
  expect(controlTheme({ ...truecolor, NO_COLOR: "1" }).theme.accent("x")).toBe("x");
  expect(controlTheme({ TERM: "xterm-256color", COLORFGBG: "0;15" }).theme.accent("x")).toContain("\u001b[38;5;");
});

test("a notification has the form that the terminal knows; tmux gets the bell", () => {
  expect(notification("text", "off", {})).toBe("");
  expect(notification("text", "bell", {})).toBe("\u0007");
  expect(notification("text", "desktop", { TERM: "xterm-kitty" })).toBe("\u001b]9;text\u0007");
  expect(notification("text", "desktop", { TERM: "foot" })).toBe("\u001b]777;notify;pintle;text\u0007");
  expect(notification("text", "desktop", { TMUX: "/tmp/x" })).toBe("\u0007");
});
