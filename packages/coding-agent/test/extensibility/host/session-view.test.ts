import { expect, test } from "bun:test";
import { testStore } from "../../../../storage/test/support/stores.ts";
import { viewSession } from "../../../src/extensibility/host/session-view.ts";

test("a module that modifies the lists it receives does not change the session", () => {
  const { store } = testStore();
  const manager = store.createInMemory();
  for (const name of ["a", "b", "c"]) manager.appendCustom(name);
  const view = viewSession(
    () => manager,
    () => "/",
  );
  const ids = manager.entries().map(({ id }) => id);
  for (const list of [view.getEntries(), view.getBranch(), view.getBranch(ids[1])]) {
    (list as unknown[]).reverse();
    (list as unknown[]).pop();
  }
  expect(manager.entries().map(({ id }) => id)).toEqual(ids);
  expect(manager.path().map(({ id }) => id)).toEqual(ids);
  expect(view.getBranch(ids[1]).map(({ id }) => id)).toEqual(ids.slice(0, 2));
});
