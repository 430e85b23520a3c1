import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Type } from "typebox";
import type { ExtensionAPI, ExtensionFactory } from "../../../src/extensibility/api/extension-types.ts";
import type { SystemPromptOptions } from "../../../src/resources/system-prompt/prompt-options.ts";
import { type Harness, startExtensions } from "../../support/extensibility/extensions/harness.ts";
import { example, hasExamples } from "../../support/extensibility/extensions/pi-examples.ts";
import { freshPlace } from "../../support/session/test-session.ts";
import { where } from "../../support/where.ts";

const SKILL = "---\nname: pdf\ndescription: Makes PDFs\n---\nUse the script.";
const said = (count: number) => Array.from({ length: count }, () => [{ text: "ok" }]);
const prompts = ({ requests }: Harness) => requests.map(({ context }) => context.systemPrompt ?? "");

function placeWith(files: Record<string, string>) {
  const place = freshPlace();
  for (const [name, text] of Object.entries(files)) {
    const path = join(place.cwd, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return place;
}

const gate: ExtensionFactory = (pi) =>
  pi.registerTool({
    name: "gate",
    description: "d",
    parameters: Type.Object({}),
    promptSnippet: "Opens\nthe gate",
    promptGuidelines: ["Close the gate behind you.", "Close the gate behind you."],
    execute: async () => ({ content: [{ type: "text", text: "open" }] }),
  });

describe("the system prompt and the tools of extensions", () => {
  test("includes the description and guidelines of active tools, from the next call on", async () => {
    let pi: ExtensionAPI | undefined;
    const keep: ExtensionFactory = (given) => {
      pi = given;
    };
    await using harness = await startExtensions(said(4), {
      inline: [gate, keep],
      settings: { cache: { lateTools: "append" } },
    });
    await harness.prompt("one");
    await harness.prompt("two");
    const all = pi!.getActiveTools();
    pi!.setActiveTools(["read", "gate"]);
    await harness.prompt("three");
    pi!.setActiveTools(all.filter((name) => name !== "gate"));
    await harness.prompt("four");
    const [one, two, three, four] = prompts(harness) as [string, string, string, string];
    expect(two).toBe(one);
    expect(one).toContain("\n- gate: Opens the gate\n");
    expect(one).toContain("git and anything no other tool does");
    expect(one.split("Close the gate behind you.")).toHaveLength(2);
    expect(three).toContain("Further tools:\n- gate: Opens the gate\n\n");
    expect(three).not.toContain("bash");
    expect(four).not.toContain("gate");
  });

  test("stays identical until tools, skills or the directory change", async () => {
    let pi: ExtensionAPI | undefined;
    await using harness = await startExtensions(said(5), {
      inline: [
        gate,
        (given) => {
          pi = given;
          given.on("before_agent_start", () => undefined);
          given.on("context", ({ messages }) => ({ messages }));
        },
      ],
    });
    const { session } = harness;
    await harness.prompt("one");
    session.conversation.rename("other");
    session.models.setLevel("high");
    await session.models.discoverAndSet("acme", "small");
    await harness.prompt("two");
    pi!.setActiveTools(pi!.getActiveTools());
    pi!.registerCommand("x", { handler() {} });
    pi!.appendEntry("note", {});
    writeFileSync(join(harness.cwd, "AGENTS.md"), "CHANGED");
    await harness.prompt("three");
    await session.changes.newSession();
    await harness.prompt("four");
    expect(new Set(prompts(harness)).size).toBe(1);
  });

  test("a tool that replaces a built-in one provides its own description", async () => {
    await using harness = await startExtensions(said(1), {
      inline: [
        (pi) =>
          pi.registerTool({
            name: "read",
            description: "d",
            parameters: Type.Object({}),
            promptSnippet: "Reads elsewhere",
            execute: async () => ({ content: [] }),
          }),
      ],
    });
    await harness.prompt("go");
    expect(prompts(harness)[0]).toContain("- read: Reads elsewhere\n");
  });
});

describe("systemPromptOptions", () => {
  test("are the current values that the prompt was built from", async () => {
    const place = placeWith({ ".git/HEAD": "", "AGENTS.md": "CONTEXT", ".pintle/skills/pdf/SKILL.md": SKILL });
    const seen: SystemPromptOptions[] = [];
    const texts: string[] = [];
    let api: ExtensionAPI | undefined;
    await using harness = await startExtensions(said(2), {
      place,
      settings: { cache: { lateTools: "append" } },
      inline: [
        gate,
        (pi) => {
          api = pi;
          pi.on("input", ({ text }) => (text === "fewer" ? void api!.setActiveTools(["gate"]) : undefined));
          pi.on("before_agent_start", ({ systemPromptOptions, systemPrompt }) => {
            seen.push(structuredClone(systemPromptOptions));
            texts.push(systemPrompt);
            systemPromptOptions.skills.length = 0;
          });
        },
      ],
    });
    await harness.prompt("go");
    await harness.prompt("fewer");
    const [first, second] = seen;
    expect(first).toMatchObject({
      cwd: harness.cwd,
      contextFiles: [{ path: join(harness.cwd, "AGENTS.md"), content: "CONTEXT" }],
      skills: [{ name: "pdf", filePath: join(harness.cwd, ".pintle/skills/pdf/SKILL.md") }],
      toolSnippets: { gate: "Opens the gate" },
      promptGuidelines: expect.arrayContaining(["Close the gate behind you."]),
    });
    expect(first!.selectedTools).toEqual(expect.arrayContaining(["read", "gate"]));
    expect(second).toMatchObject({ selectedTools: ["gate", "resolve"], toolSnippets: { gate: "Opens the gate" } });
    expect(second!.skills).toHaveLength(1);
    expect(prompts(harness)[1]).not.toContain("- bash: ");
    expect(texts).toEqual(prompts(harness));
  });

  test("handlers change sections, guidelines and tools, each seeing the changes of the previous one", async () => {
    const seen: string[] = [];
    await using harness = await startExtensions(said(2), {
      inline: [
        gate,
        (pi) => {
          pi.on("before_agent_start", ({ prompt, systemPromptOptions: options }) => {
            options.sections.house_rules = " Be kind. ";
            options.promptGuidelines.push("Whisper.");
            if (prompt === "fewer") options.selectedTools = options.selectedTools.filter((name) => name !== "gate");
            Object.assign(options.sections, { "no tag": "x", number: 5, empty: " " });
          });
          pi.on("before_agent_start", ({ systemPrompt }) => void seen.push(systemPrompt));
        },
      ],
    });
    await harness.prompt("go");
    await harness.prompt("fewer");
    const end = "\n\n- Whisper.\n\n<house_rules>\nBe kind.\n</house_rules>";
    const [first, second] = prompts(harness);
    expect([first, second].every((prompt) => prompt?.endsWith(end))).toBe(true);
    expect(first).toContain("- gate: Opens the gate");
    expect(second).not.toContain("gate");
    expect(seen[0]).toBe(first!);
    expect(harness.session.tooling.registry.active().map(({ name }) => name)).not.toContain("gate");
    expect(harness.host.faults).toEqual([]);
  });

  test("forceSystemPrompt replaces the prompt of the run; options of the wrong type have no effect", async () => {
    await using harness = await startExtensions(said(2), {
      inline: [
        (pi) =>
          pi.on("before_agent_start", ({ prompt, systemPromptOptions: options }) => {
            if (prompt === "force") options.forceSystemPrompt = "FORCED";
            else
              Object.assign(options, { sections: "x", promptGuidelines: 7, selectedTools: null, forceSystemPrompt: 1 });
          }),
      ],
    });
    await harness.prompt("force");
    await harness.prompt("spoil");
    const [first, second] = prompts(harness);
    expect(first).toBe("FORCED");
    expect(second).toStartWith("You are pintle");
    expect(harness.session.tooling.registry.active().map(({ name }) => name)).toContain("read");
    expect(harness.host.faults).toEqual([]);
  });

  test("the event reports whether a prompt or a message of an extension starts the run", async () => {
    const seen: unknown[] = [];
    let api: ExtensionAPI | undefined;
    await using harness = await startExtensions(said(2), {
      inline: [
        (pi) => {
          api = pi;
          pi.on("before_agent_start", ({ messageType, prompt, message }) => {
            seen.push([messageType, prompt, message?.customType]);
          });
        },
      ],
    });
    await harness.prompt("go");
    const settled = new Promise((resolve) => api!.on("agent_settled", resolve));
    api!.sendMessage({ customType: "alarm", content: "It rings.", display: true }, { triggerTurn: true });
    await settled;
    expect(seen).toEqual([
      ["user", "go", undefined],
      ["custom", "It rings.", "alarm"],
    ]);
  });

  where(hasExamples, "needs pi's examples from the npm registry").test(
    "pi's prompt-customizer finds tools, skills and the text that the user appends",
    async () => {
      const place = placeWith({ ".pintle/skills/pdf/SKILL.md": SKILL, ".pintle/APPEND_SYSTEM.md": "APPENDED" });
      await using harness = await startExtensions(said(1), { place, files: [example("prompt-customizer")] });
      await harness.prompt("go");
      const [prompt] = prompts(harness);
      for (const text of ["`read` tool", "`bash` tool", "`edit` tool", "`write` tool", "Available skills: pdf"])
        expect(prompt).toContain(text);
      expect(prompt!.split("APPENDED")).toHaveLength(3);
    },
  );
});

describe("resources from resources_discover", () => {
  where(hasExamples, "needs pi's examples from the npm registry").test(
    "pi's dynamic-resources adds a skill and a template",
    async () => {
      await using harness = await startExtensions(said(3), { files: [example("dynamic-resources")] });
      const folder = dirname(example("dynamic-resources"));
      const commands = await harness.session.commands.list();
      expect(commands.map(({ name, source, path, from }) => [name, source, path, from])).toEqual([
        ["skill:dynamic-resources", "skill", join(folder, "SKILL.md"), { scope: "temporary", origin: "extension" }],
        ["dynamic", "file", join(folder, "dynamic.md"), { scope: "temporary", origin: "extension" }],
      ]);
      await harness.prompt("go");
      await harness.prompt("/skill:dynamic-resources now");
      await harness.prompt("/dynamic");
      expect(prompts(harness)[0]).toContain("<name>dynamic-resources</name>");
      const sent = harness.requests.map(({ context }) => JSON.stringify(context.messages.at(-1)));
      expect(sent[1]).toContain("User: now");
      expect(sent[2]).not.toContain("/dynamic");
      expect(harness.host.faults).toEqual([]);
    },
  );

  test("runs the handlers once, and keeps the other results when one fails", async () => {
    let asked = 0;
    const place = placeWith({ "more/x/SKILL.md": SKILL });
    await using harness = await startExtensions(said(2), {
      place,
      inline: [
        (pi) =>
          pi.on("resources_discover", () => {
            throw new Error("no luck");
          }),
        (pi) =>
          pi.on("resources_discover", () => {
            asked += 1;
            return { skillPaths: ["more", "no-such"] };
          }),
      ],
    });
    await harness.prompt("one");
    await harness.prompt("two");
    expect([asked, prompts(harness).map((text) => text.includes("<name>pdf</name>"))]).toEqual([1, [true, true]]);
    expect(harness.host.faults.map(({ error }) => error)).toEqual(["no luck"]);
    const notices = harness.events.filter((event) => event.type === "notice");
    expect(notices).toMatchObject([{ message: expect.stringMatching(/no-such: no such file or folder$/) }]);
  });
});
