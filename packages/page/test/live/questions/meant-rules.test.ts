import { expect, test } from "bun:test";
import type { PermissionRule } from "@pintle/client/core";
import { isMeant } from "../../../src/live/questions/approval-view.ts";

const meant = (suggested: PermissionRule[]) => suggested.filter((rule) => isMeant(rule, suggested));

test("only the narrow rules for this project are preselected", () => {
  const narrow: PermissionRule[] = [
    { effect: "allow", command: "git add a" },
    { effect: "allow", kind: "write", path: "/p/a" },
    { effect: "allow", tool: "x", origin: "mcp:y" },
  ];
  const wide: PermissionRule[] = [
    { effect: "allow", command: "git add *" },
    { effect: "allow", kind: "write", path: "/p/**" },
  ];
  const here = [...narrow, ...wide].map((rule) => ({ ...rule, project: "/p" }));
  expect(meant([...here, ...narrow, ...wide])).toEqual(here.slice(0, narrow.length));
  expect(meant([...narrow, ...wide])).toEqual(narrow);
  expect(meant([])).toEqual([]);
});
