import { type JsonSchema, type Protocol, pascal, readProtocol } from "@pintle/wire/schemas";
import { clientMethods } from "../client-methods.ts";
import { type Field, fieldsOf } from "../wire/schema-notation.ts";
import { partName } from "./frames.ts";
import { resultOf } from "./results.ts";
import { doc, moduleText, PythonTypes, snake } from "./types.ts";

// python/pintle/methods.py: a method per command, for asyncio and for programs without it.

export const PYTHON_METHODS_PATH = "python/pintle/methods.py";

/** Host tools are functions in the client, so this method is written by hand. */
const BY_HAND = "set_host_tools";

const SUMMARY =
  "A method per command. Required fields are given one by one, the others by name; a timeout is in seconds.";
const IMPORTS = ["from . import protocol as p", "from . import results"];
const TYPE_VARIABLE = 'T = TypeVar("T")';

const ASYNC_HEAD = `class CommandMethods:
    """A method per command; a subclass says how a command is sent."""

    async def request(self, command: str, params: Mapping[str, Any], *, timeout: Optional[float] = None) -> Any:
        raise NotImplementedError`;

const SYNC_HEAD = `class SyncCommandMethods:
    """The same methods for programs without asyncio: each waits for its answer."""

    _methods: CommandMethods

    def _wait(self, answer: Awaitable[T]) -> T:
        raise NotImplementedError`;

interface Parameter {
  key: string;
  name: string;
  type: string;
  isOptional: boolean;
}

interface Method {
  name: string;
  summary: string | undefined;
  parameters: Parameter[];
  type: string;
  make: string;
}

export function renderPythonMethods(): string {
  const methods = methodsOf(readProtocol());
  const asynchronous = [ASYNC_HEAD, ...methods.map(asyncText)].join("\n\n");
  const synchronous = [SYNC_HEAD, ...methods.map(syncText)].join("\n\n");
  return moduleText(SUMMARY, IMPORTS, [TYPE_VARIABLE, asynchronous, synchronous]);
}

function methodsOf(protocol: Protocol): Method[] {
  const names = Object.values(clientMethods).filter((command) => command !== BY_HAND);
  return names.map((command) => {
    const schema = protocol.commands[`${pascal(command)}Command`]!;
    const response = `${pascal(command)}Response`;
    const fields = fieldsOf(schema).filter(({ name, schema }) => name !== "id" && name !== "type" && !schema.not);
    const parameters = fields.map((field) => parameterOf(`${pascal(command)}Command`, field));
    return {
      name: command,
      summary: schema.description,
      parameters: [...parameters.filter((one) => !one.isOptional), ...parameters.filter((one) => one.isOptional)],
      ...resultOf(response, protocol.responses[response] as JsonSchema | undefined, protocol),
    };
  });
}

function parameterOf(command: string, { name, isOptional, schema }: Field): Parameter {
  const type = new PythonTypes("p.").type(schema, partName(command, name));
  return { key: name, name: snake(name), type: isOptional ? `Optional[${type}]` : type, isOptional };
}

/** One per line: whatever is added later changes one line. */
function signature(prefix: string, { name, parameters, type }: Method): string {
  const rows = [
    "self",
    ...parameters.filter((one) => !one.isOptional).map((one) => `${one.name}: ${one.type}`),
    "*",
    ...parameters.filter((one) => one.isOptional).map((one) => `${one.name}: ${one.type} = None`),
    "timeout: Optional[float] = None",
  ];
  const line = `    ${prefix} ${name}(${rows.join(", ")}) -> ${type}:`;
  return line.length <= 120
    ? line
    : `    ${prefix} ${name}(\n${rows.map((row) => `        ${row},`).join("\n")}\n    ) -> ${type}:`;
}

function asyncText(method: Method): string {
  const { name, parameters, make, summary } = method;
  const given = parameters.map((one) => `"${one.key}": ${one.name}`).join(", ");
  const call = `await self.request("${name}", {${given}}, timeout=timeout)`;
  const body = make === "" ? [`        ${call}`] : [`        data = ${call}`, `        return ${make}`];
  return [signature("async def", method), doc(summary, "        "), ...body].filter(Boolean).join("\n");
}

function syncText(method: Method): string {
  const { name, parameters, summary } = method;
  const given = parameters.map((one) => (one.isOptional ? `${one.name}=${one.name}` : one.name));
  const call = `self._methods.${name}(${[...given, "timeout=timeout"].join(", ")})`;
  return [signature("def", method), doc(summary, "        "), `        return self._wait(${call})`]
    .filter(Boolean)
    .join("\n");
}
