// A web page with many users: each has a session of their own at `pintle serve`, and finds it again after a reload.
//   pintle serve --socket run/pintle.sock &        # `run` must be yours alone: mkdir -m 700 run
//   node examples/web-server.mjs run/pintle.sock   # then open the address that it prints
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Conversation, GatewayClient } from "@pintle/client";

const gateway = new GatewayClient({ socket: process.argv[2] });
await gateway.connect();

/** By user: the session and what it shows, opened with the first request. */
const users = new Map();
function sessionOf(user) {
  if (!users.has(user)) {
    const opening = open();
    users.set(user, opening);
    opening.catch(() => users.delete(user)); // the next request retries
  }
  return users.get(user);
}
async function open() {
  const session = await gateway.open({ model: process.env.MODEL ?? "pintle/offline", updateMode: "delta" });
  return { session, conversation: await Conversation.follow(session) };
}

const textOf = ({ content }) =>
  typeof content === "string" ? content : content.map(({ type, text }) => (type === "text" ? text : "")).join("");

const PAGE = `<!doctype html><meta charset="utf-8"><title>pintle</title>
<form><input name="text" size="60" autofocus> <button>Send</button></form><pre></pre>
<script type="module">
  new EventSource("/events").onmessage = ({ data }) => { document.querySelector("pre").textContent = JSON.parse(data); };
  document.querySelector("form").onsubmit = (event) => {
    event.preventDefault();
    fetch("/prompt", { method: "POST", body: event.target.text.value });
    event.target.reset();
  };
</script>`;

const ROUTES = {
  "GET /": (_user, _request, response) => response.setHeader("content-type", "text/html").end(PAGE),
  async "GET /events"(user, request, response) {
    const { conversation } = await sessionOf(user);
    response.setHeader("content-type", "text/event-stream");
    const show = () => {
      const lines = [...conversation.messages, ...(conversation.answer ? [conversation.answer] : [])]
        .filter(({ role }) => role === "user" || role === "assistant")
        .map((message) => `${message.role}: ${textOf(message)}`);
      response.write(`data: ${JSON.stringify(lines.join("\n\n"))}\n\n`);
    };
    show();
    request.on("close", conversation.onChange(show));
  },
  async "POST /prompt"(user, request, response) {
    const { session } = await sessionOf(user);
    let text = "";
    for await (const chunk of request) text += chunk;
    await session.prompt(text, { streamingBehavior: "followUp" }); // queued while an answer is being written
    response.writeHead(204).end();
  },
};

const server = createServer(async (request, response) => {
  // Replace this cookie with your own login: it grants access to the session.
  const user = /user=([\w-]+)/.exec(request.headers.cookie ?? "")?.[1] ?? randomUUID();
  response.setHeader("set-cookie", `user=${user}; HttpOnly; SameSite=Strict`);
  try {
    const route = ROUTES[`${request.method} ${request.url}`];
    if (route) await route(user, request, response);
    else response.writeHead(404).end();
  } catch (error) {
    if (!response.headersSent) response.writeHead(502);
    response.end(String(error.message));
  }
});
server.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${server.address().port}/`),
);
