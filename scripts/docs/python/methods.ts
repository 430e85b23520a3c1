import { type JsonSchema, type Protocol, pascal, readProtocol } from "@pintle/wire/schemas";
import { clientMethods, variantParam } from "../client-methods.ts";
import { type Field, fieldsOf } from "../wire/schema-notation.ts";
import { partName } from "./frames.ts";
import { type PythonResult, resultOf } from "./results.ts";
import { doc, moduleText, PythonTypes, snake } from "./types.ts";

// python/pintle/methods.py: a method per command, for asyncio and synchronous programs.

export const PYTHON_METHODS_PATH = "python/pintle/methods.py";

/** Host tools are functions in the client, so this method is hand-written. */
const BY_HAND = "set_host_tools";

const SUMMARY =
  "A method per command. Required fields are positional, the others are keyword arguments; a timeout is in seconds.";
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

interface Method extends PythonResult {
  name: string;
  summary: string | undefined;
  parameters: Parameter[];
  /** Another result, if one of the parameters is true. */
  variant?: PythonResult & { param: string };
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
    const data = protocol.responses[response]?.properties?.data as JsonSchema | undefined;
    const param = variantParam(command);
    const [first, second] = (param !== undefined && data?.anyOf) || [data];
    return {
      name: command,
      summary: schema.description,
      parameters: [...parameters.filter((one) => !one.isOptional), ...parameters.filter((one) => one.isOptional)],
      ...resultOf(response, first, protocol),
      ...(param !== undefined && second && { variant: { param, ...resultOf(response, second, protocol) } }),
    };
  });
}

function parameterOf(command: string, { name, isOptional, schema }: Field): Parameter {
  const type = new PythonTypes("p.").type(schema, partName(command, name));
  return { key: name, name: snake(name), type: isOptional ? `Optional[${type}]` : type, isOptional };
}

/** One per line, so that additions change one line. */
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

/** A signature per result; the method itself has the union of both. */
function overloads(prefix: string, method: Method): { texts: string[]; own: Method } {
  const { parameters, variant, type } = method;
  if (!variant) return { texts: [], own: method };
  const others = parameters.filter(({ name }) => name !== variant.param);
  const chosen = { key: variant.param, name: variant.param, type: "Literal[True]", isOptional: false };
  const own = { ...method, type: `Union[${type}, ${variant.type}]` };
  const line = (one: Method) => `    @overload\n${signature(prefix, one)} ...`;
  return {
    texts: [
      line({ ...method, parameters: [...others, { ...chosen, type: "Optional[Literal[False]]", isOptional: true }] }),
      line({ ...method, ...variant, parameters: others }).replace(" *, ", ` *, ${chosen.name}: ${chosen.type}, `),
      line(own),
    ],
    own,
  };
}

function asyncText(method: Method): string {
  const { name, parameters, summary, variant } = method;
  const { texts, own } = overloads("async def", method);
  const make = variant ? `${variant.make} if ${variant.param} else ${method.make}` : method.make;
  const given = parameters.map((one) => `"${one.key}": ${one.name}`).join(", ");
  const call = `await self.request("${name}", {${given}}, timeout=timeout)`;
  const body = make === "" ? [`        ${call}`] : [`        data = ${call}`, `        return ${make}`];
  const text = [signature("async def", own), doc(summary, "        "), ...body].filter(Boolean).join("\n");
  return [...texts, text].join("\n\n");
}

function syncText(method: Method): string {
  const { name, parameters, summary } = method;
  const given = parameters.map((one) => (one.isOptional ? `${one.name}=${one.name}` : one.name));
  const call = `self._methods.${name}(${[...given, "timeout=timeout"].join(", ")})`;
  const { texts, own } = overloads("def", method);
  const text = [signature("def", own), doc(summary, "        "), `        return self._wait(${call})`];
  return [...texts, text.filter(Boolean).join("\n")].join("\n\n");
}
