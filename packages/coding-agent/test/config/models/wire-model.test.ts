import { expect, test } from "bun:test";
import { type Model, offlineModel } from "@pintle/ai";
import { toWireModel } from "../../../src/config/models/wire-model.ts";

const model: Model = { ...offlineModel, baseUrl: "https://llm.example.com/v1" };

test.each([
  ["nothing to hide", {}, {}],
  ["headers are left out", { headers: { Authorization: "Bearer sk" } }, {}],
  [
    "so is what the user adds to the body",
    { compat: { supportsStore: false, extraBody: { token: "sk" } } },
    { compat: { supportsStore: false } },
  ],
  ["compat disappears when nothing is left of it", { compat: { extraBody: { token: "sk" } } }, {}],
  ["credentials in the address", { baseUrl: "https://user:sk@llm.example.com/v1?key=sk#sk" }, {}],
  ["an address that is none stays", { baseUrl: "pintle-offline" }, { baseUrl: "pintle-offline" }],
])("%s", (_name, secret, expected) => {
  expect(toWireModel({ ...model, ...secret })).toEqual({ ...model, ...expected });
});
