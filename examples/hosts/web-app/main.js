import { openChat } from "./chat.js";

const [form, input, answer] = ["form", "input", "pre"].map((name) => document.querySelector(name));
// The address that `pintle serve` prints, with its token: `VITE_PINTLE_URL=http://127.0.0.1:7777/#token=… npx vite`
const chat = await openChat({
  url: import.meta.env.VITE_PINTLE_URL,
  show: (text) => {
    answer.textContent = text;
  },
});
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { status, text, error, cost } = await chat.send(input.value);
  answer.textContent = status === "completed" ? `${text}\n\n${cost ?? "?"} USD` : `${status}: ${error?.message ?? ""}`;
});
