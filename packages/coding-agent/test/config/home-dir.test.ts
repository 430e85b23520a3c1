import { expect, test } from "bun:test";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { homeDirectory } from "../../src/config/home-dir.ts";

test.each([
  ["PINTLE_HOME wins", { PINTLE_HOME: "/data/pintle", HOME: "/home/u" }, "/data/pintle"],
  ["a relative PINTLE_HOME is made absolute", { PINTLE_HOME: "here" }, resolve("here")],
  ["else ~/.pintle", { HOME: "/home/u" }, "/home/u/.pintle"],
  ["an empty PINTLE_HOME counts as unset", { PINTLE_HOME: "", HOME: "/home/u" }, "/home/u/.pintle"],
  ["without HOME the system knows", {}, join(homedir(), ".pintle")],
])("%s", (_name, env, expected) => {
  expect(homeDirectory(env)).toBe(expected);
});
