import { describe, expect, test } from "bun:test";
import { createTheme } from "../../src/screen/theme.ts";
import { StatusLine } from "../../src/status/status-line.ts";
import { widthOf } from "../../src/text/width.ts";

function line() {
  const theme = createTheme({});
  const status = new StatusLine(theme, () => undefined);
  status.set("model", "claude-opus-with-a-long-name", { weight: 10 });
  status.set("context", "12% of 200k", { weight: 20 });
  status.set("preset", "full", { weight: 40, isPinned: true, style: theme.failure });
  status.set("hint", "? for help", { weight: 90 });
  return status;
}

describe("the status line", () => {
  test("shows every part in order if there is room", () => {
    expect(Bun.stripANSI(line().render(80)[0]!)).toBe("claude-opus-with-a-long-name · 12% of 200k · full · ? for help");
  });

  test.each([40, 30, 12, 4])("keeps the pinned part and its colour at %d columns", (width) => {
    const [shown = ""] = line().render(width);
    expect(shown).toContain("\u001b[31mfull");
    expect(widthOf(shown)).toBeLessThanOrEqual(width);
  });
});
