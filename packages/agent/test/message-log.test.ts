import { expect, test } from "bun:test";
import { MessageLog } from "../src/message-log.ts";
import { assistant, call, result, user } from "./support/messages.ts";

const order = new Map([
  ["a", 0],
  ["b", 1],
  ["c", 2],
]);

test("results are in the order of the calls, whichever came first", () => {
  for (const arrival of [
    ["a", "b", "c"],
    ["c", "b", "a"],
    ["b", "c", "a"],
    ["c", "a", "b"],
  ]) {
    const log = new MessageLog([assistant([call("a"), call("b"), call("c")])]);
    for (const id of arrival) log.addResult(result(id), order);
    expect(log.messages.slice(1)).toEqual([result("a"), result("b"), result("c")]);
  }
});

test("a result is not moved into an earlier turn, even if that used the same ids", () => {
  const earlier = [assistant([call("b")]), result("b", "old"), assistant([call("a"), call("b")])];
  const log = new MessageLog(earlier);
  log.addResult(result("b"), order);
  log.addResult(result("a"), order);
  expect(log.messages).toEqual([...earlier, result("a"), result("b")]);
});

test("messages are removed by identity, equal ones stay", () => {
  const [first, second] = [user("same"), user("same")];
  const log = new MessageLog([first, second]);
  log.remove(new Set([second]));
  expect(log.messages).toHaveLength(1);
  expect(log.messages[0]).toBe(first);
});

test("a log has its own list", () => {
  const given = [user("a")];
  const log = new MessageLog(given);
  log.add(user("b"));
  log.replace(given);
  log.add(user("c"));
  expect(given).toEqual([user("a")]);
  expect(log.messages).toEqual([user("a"), user("c")]);
});
