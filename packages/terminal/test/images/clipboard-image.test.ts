import { describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchPath } from "../../../../test/support/scratch-directory.mjs";
import { CHAT, type ChatPlace, chatPlace, says } from "../../../coding-agent/test/support/scenarios/chat-server.ts";
import { DOT, letSeeImages } from "../support/images.ts";
import { isReady, KEYS, TerminalRun } from "../support/terminal-run.ts";

const CTRL_V = "\u0016";
const NO_DESKTOP = { WAYLAND_DISPLAY: "", DISPLAY: "", KITTY_WINDOW_ID: "" };

/** Programs that read a clipboard, as installed on a desktop; each one is an sh script. */
function tools({ place }: ChatPlace, programs: Record<string, string>): { PATH: string } {
  const directory = scratchPath(place.cwd);
  writeFileSync(join(directory, "clip.png"), Buffer.from(DOT, "base64"));
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(directory, name), `#!/bin/sh\ncd "${directory}"\n${body}\n`);
    chmodSync(join(directory, name), 0o755);
  }
  return { PATH: `${directory}:/usr/bin:/bin` };
}

const DESKTOPS: readonly [string, Record<string, string>, Record<string, string>][] = [
  [
    "Wayland",
    { WAYLAND_DISPLAY: "wayland-0" },
    {
      "wl-paste":
        'case "$*" in *list-types*) printf "text/html\\nimage/png\\n";; *"--type image/png") cat clip.png;; *) exit 1;; esac',
    },
  ],
  [
    "X11",
    { DISPLAY: ":0" },
    {
      xclip:
        'case "$*" in *TARGETS*) printf "TARGETS\\nimage/png\\n";; *"-target image/png"*) cat clip.png;; *) exit 1;; esac',
    },
  ],
  ["kitty", { KITTY_WINDOW_ID: "1" }, { kitten: 'test "$1 $2" = "clipboard --get-clipboard" && cp clip.png "$3"' }],
];

describe("an image in the clipboard", () => {
  test.each(DESKTOPS)("of %s joins the message with ctrl+v", async (_, env, programs) => {
    await using chat = await chatPlace(says("I see."));
    letSeeImages(chat.place);
    const all = { ...NO_DESKTOP, ...tools(chat, programs), ...env };
    await using run = new TerminalRun(CHAT, chat.place, { env: { ...all, TERM_PROGRAM: "vscode" } });
    await isReady(run);
    run.type("what is ");
    await run.until((screen) => screen.screen().includes("what is"));
    run.type(CTRL_V);
    await run.until((screen) => screen.screen().some((line) => line.startsWith("what is [image #1]")));
    run.type(`there?${KEYS.enter}`);
    await run.sees("I see.");
    const sent = JSON.stringify(chat.server.requests.at(-1)?.body);
    expect(sent).toContain(`data:image/png;base64,${DOT}`);
    expect(sent).toContain("what is [image #1] there?");
  });

  test("that is not one, or cannot be read, is reported in one line", async () => {
    await using chat = await chatPlace();
    const text = tools(chat, { "wl-paste": 'printf "text/plain\\n"' });
    const cases = [
      [{ ...NO_DESKTOP, ...text, WAYLAND_DISPLAY: "w" }, "There is no image in the clipboard"],
      [{ ...NO_DESKTOP, ...tools(chat, {}), WAYLAND_DISPLAY: "w" }, "that takes wl-paste"],
      [NO_DESKTOP, "none was found here"],
    ] as const;
    for (const [env, said] of cases) {
      await using run = new TerminalRun(CHAT, chat.place, { env });
      await isReady(run);
      run.type(CTRL_V);
      await run.sees(said);
    }
  });
});
