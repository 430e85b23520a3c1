import { expect, test } from "bun:test";
import { type PermissionSituation, permissionFacts } from "../../../src/session/permissions/permission-facts.ts";

const off = { mode: "off", network: "off", write: [] } as const;
const sandboxed = { ...off, mode: "workspace-write" } as const;
const facts = (situation: Partial<PermissionSituation>) =>
  permissionFacts({ mode: "full", isAnswered: true, sandbox: off, roots: [], ...situation });

test("says nothing where nothing is restricted", () => {
  expect(facts({})).toBe("");
});

test("plan mode is for investigation and ends with a plan, and nothing leaves its sandbox", () => {
  const text = facts({ mode: "plan", sandbox: { ...off, mode: "read-only" } });
  expect(text).toContain("investigate only");
  expect(text).toContain("End with a plan");
  expect(text).toEndWith("Commands run in a sandbox: they can write nowhere and have no network access.");
});

test("names where commands may write, the network, and what escalate is for", () => {
  const text = facts({ mode: "workspace", sandbox: { ...sandboxed, write: ["~/.cache"] }, roots: ["/lib"] });
  expect(text).toStartWith(
    "You may change files in the working directory and /lib; changes elsewhere need the user's approval",
  );
  expect(text).toContain("can write only to the working directory, /lib, the temporary directories and ~/.cache");
  expect(text).toContain("have no network access");
  expect(text).toContain("escalate: true");
  expect(facts({ sandbox: { ...sandboxed, network: "on" } })).toContain("have network access");
  expect(facts({ sandbox: { ...sandboxed, network: [] } })).toContain("have no network access");
  expect(facts({ sandbox: { ...sandboxed, network: ["a.example", "*.b.example:8443"] } })).toContain(
    "can reach only a.example and *.b.example:8443, through the proxy in HTTP_PROXY and HTTPS_PROXY.",
  );
});

test("without a sandbox, commands need approval too", () => {
  expect(facts({ mode: "workspace" })).toContain("and commands that are not read-only need the user's approval");
});

test("says that no user can be asked, and then does not offer to escalate", () => {
  const text = facts({ mode: "ask", isAnswered: false, sandbox: sandboxed });
  expect(text).toContain("are denied, because no user can be asked");
  expect(text).not.toContain("escalate");
});
