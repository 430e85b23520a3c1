import { expect, test } from "bun:test";
import { seatbeltCommand, seatbeltProfile } from "../../src/sandbox/seatbelt.ts";

const places = [
  { path: '/Users/a/"quoted"', access: "write", isDirectory: true },
  { path: "/Users/a/.ssh", access: "hidden", isDirectory: true },
  { path: "/Users/a/w/.git/config", access: "read", isDirectory: false },
] as const;

test("a profile for macOS names each place, later ones after earlier ones", () => {
  const lines = seatbeltProfile({ places, network: "off" }).split("\n");
  const at = (line: string) => lines.indexOf(line);
  const order = [
    at("(deny file-write*)"),
    at('(allow file-write* (subpath "/Users/a/\\"quoted\\""))'),
    at('(deny file-read* file-write* (subpath "/Users/a/.ssh"))'),
    at('(deny file-write* (literal "/Users/a/w/.git/config"))'),
  ];
  expect(order).not.toContain(-1);
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(lines).toContain("(deny network*)");
});

test("with the network on there is no word of it", () => {
  expect(seatbeltProfile({ places, network: "on" })).not.toContain("network");
});

test("the command is run by the program of the system", () => {
  const [program, flag, , ...command] = seatbeltCommand({ places, network: "off", command: ["/bin/echo", "a"] });
  expect([program, flag, ...command]).toEqual(["/usr/bin/sandbox-exec", "-p", "/bin/echo", "a"]);
});
