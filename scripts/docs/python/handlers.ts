import { type JsonSchema, readProtocol } from "@pintle/wire/schemas";
import { type HandledQuestion, handledQuestions } from "../wire/client-questions.ts";
import { doc, moduleText, PythonTypes, snake } from "./types.ts";

// python/pintle/handlers.py: the types of handlers, and a method for each kind of question that is asked in a frame.

export const PYTHON_HANDLERS_PATH = "python/pintle/handlers.py";

const SUMMARY = `Handlers of the questions that are asked in a frame: their types, and a method that installs each.

Handlers are coroutines or plain functions; the latter run in a thread. A coroutine is cancelled when its answer is no longer
needed. A mapping has the fields of the answer, with the names of the wire.`;

const REMOVE = "Remove = Callable[[], None]";

const OPTIONS = `class QuestionHandlers(TypedDict, total=False):
    """Handlers by the name of the method that installs them."""
`;

const METHODS = `class QuestionMethods:
    """A method per kind of question; a subclass says where a handler goes. Each returns a function that removes the handler."""

    def _install_handler(self, capability: str, handler: Callable[..., Any]) -> Remove:
        raise NotImplementedError`;

export function renderPythonHandlers(): string {
  const questions = handledQuestions(readProtocol());
  const options = questions.map(({ handler }) => `    ${snake(handler.method)}: Optional[${handler.name}Handler]`);
  const methods = [METHODS, ...questions.map(methodText)].join("\n\n");
  const parts = [REMOVE, ...questions.map(typesText), `${OPTIONS}\n${options.join("\n")}`, methods];
  return moduleText(SUMMARY, ["from . import protocol as p"], parts);
}

/** The names of the types of handlers. */
export const handlerNames = (): string[] =>
  handledQuestions(readProtocol()).map(({ handler }) => `${handler.name}Handler`);

function typesText({ request, text, handler }: HandledQuestion): string {
  const { name, returns, yes, no, isAnswerRequired } = handler;
  const plain = [...(text ? [plainType(text, name)] : []), ...(yes || no ? ["bool"] : [])];
  const answers = [...plain, ...(isAnswerRequired ? [] : ["None"]), "Mapping[str, Any]"];
  const comment = returns === undefined ? "" : `# ${returns.replaceAll("othing", "othing (None)")}\n`;
  const answer = answers.length === 1 ? answers[0] : `Union[${answers.join(", ")}]`;
  return `${comment}${name}Answer = ${answer}
${name}Handler = Callable[[p.${request.name}], Union[${name}Answer, Awaitable[${name}Answer]]]`;
}

const plainType = (schema: JsonSchema, name: string) => new PythonTypes("p.").type(schema, name);

function methodText({ capability, handler: { method, name, summary } }: HandledQuestion): string {
  return `    def ${snake(method)}(self, handler: ${name}Handler) -> Remove:
${doc(summary, "        ")}
        return self._install_handler("${capability}", handler)`;
}
