import { expect, spyOn, test } from "bun:test";
import { logBug, logLine, maskSecrets } from "../../src/text/log.ts";

const TOKEN = `ghp_${"k7Qx2Zp9".repeat(5)}`;

function logged(write: () => void): string {
  const print = spyOn(console, "error").mockImplementation(() => {});
  try {
    write();
    return print.mock.calls.map((words) => words.join(" ")).join("\n");
  } finally {
    print.mockRestore();
  }
}

test("masks tokens in lines of the log", () => {
  expect(logged(() => logLine(`cannot clone with ${TOKEN}`))).toBe("pintle: cannot clone with [redacted]");
});

test("masks tokens in unexpected errors and their causes, and keeps the stack", () => {
  const text = logged(() =>
    logBug(new Error("outer", { cause: new Error(`DB_PASSWORD=k7Qx2Zp9`) }), "while closing: "),
  );
  expect(text).toStartWith("pintle: while closing: ");
  expect(text).toContain("DB_PASSWORD=[redacted]");
  expect(text).toContain("log.test.ts");
});

test("leaves ordinary messages alone", () => {
  const text = '/srv/app/settings.yml:12: maxTokens must be a number, not "4096 tokens"';
  expect(maskSecrets(text)).toBe(text);
});
