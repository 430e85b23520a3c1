import { expect, test } from "bun:test";
import { join } from "node:path";
import { importFactory } from "../../../src/extensibility/loading/import-factory.ts";
import { consentedSources } from "../../../src/extensibility/sources/find-modules.ts";
import { moduleFolder } from "../../support/extensibility/module-folder.ts";

interface Source {
  realPath: string;
  scope: "project" | "user";
  mayLoad?(): boolean;
}

test("checks consent for a project's module when it is found and again when it is imported", async () => {
  using folder = moduleFolder();
  folder.write("theirs.ts", "export default () => 1;");
  folder.write("own.ts", "export default () => 2;");
  const sources: Source[] = [
    { realPath: join(folder.path, "theirs.ts"), scope: "project" },
    { realPath: join(folder.path, "own.ts"), scope: "user" },
  ];
  const changed = new Set<string>();
  const trust = { isStillTrusted: (path: string) => !changed.has(path) };
  const isProjects = ({ scope }: Source) => scope === "project";
  const [theirs, own] = consentedSources(sources, trust, isProjects) as [Source, Source];
  for (const { realPath } of sources) changed.add(realPath);
  expect(await importFactory(theirs).catch(({ message }: Error) => message)).toBe(
    "It has changed since it was approved",
  );
  expect((await importFactory(own))({})).toBe(2);
  expect(consentedSources(sources, trust, isProjects)).toEqual([own]);
});
