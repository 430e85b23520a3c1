#!/usr/bin/env node
// What npm links as `pintle`. CommonJS, because Node starts it some milliseconds earlier than a module.
const { findProgram } = require("./find-program.cjs");
const { fail, startProgram } = require("./start-program.cjs");

try {
  startProgram(findProgram(), process.argv.slice(2));
} catch (error) {
  fail(error.message);
}
