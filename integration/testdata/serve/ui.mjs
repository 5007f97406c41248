// Has a conversation with a server, as useChat has it. Reads [major, url, steps]
// from the standard input, and prints what the page would have after each step, and
// with the member stored what the server has.
import { readFileSync } from "node:fs";

const [major, url, steps] = JSON.parse(readFileSync(0, "utf8"));
const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } = await import(`ai${major}`);

class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => { this.messages = [...this.messages, message]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (i, message) => { this.messages = this.messages.with(i, structuredClone(message)); };
  snapshot = (value) => structuredClone(value);
}

class Chat extends AbstractChat {
  constructor(id) {
    super({
      id,
      state: new State(),
      transport: new DefaultChatTransport({ api: url + "/api/chat" }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    });
  }
}

// reloaded is the page after it was loaded again with the messages that it had.
function reloaded(chat) {
  const next = new Chat(chat.id);
  next.messages = structuredClone(chat.messages);
  return next;
}

async function settled(chat) {
  for (let i = 0; i < 2000 && chat.status !== "ready" && chat.status !== "error"; i++) {
    await new Promise((done) => setTimeout(done, 5));
  }
}

// stored is what the server has of a conversation: the messages of the user, and the
// texts that answer them.
async function stored(id) {
  for (;;) {
    const conversation = await (await fetch(`${url}/conversations/${id}`)).json();
    if (conversation.status !== "running") {
      const texts = [];
      for (const turn of conversation.turns ?? []) {
        if (!turn.replies) texts.push(turn.message, "");
        if (!turn.answer?.questions) texts[texts.length - 1] = turn.answer?.text ?? "";
      }
      return texts;
    }
    await new Promise((done) => setTimeout(done, 5));
  }
}

const results = [];
let chat;
for (const step of steps) { 
  chat = step.chat ? new Chat(step.chat) : chat;
  if (step.text) await chat.sendMessage({ text: step.text });
  const users = () => chat.messages.filter((message) => message.role === "user");
  if (step.edit) await chat.sendMessage({ text: step.edit, messageId: users()[step.at].id });
  if (step.again !== undefined) await chat.regenerate({ messageId: users()[step.again].id });
  if (step.cut) { // the page removes messages, and sends another one
    chat.messages = chat.messages.slice(0, chat.messages.indexOf(users()[step.at]));
    await chat.sendMessage({ text: step.cut });
  }
  if (step.reload) chat = reloaded(chat);
  if (step.regenerate) await chat.regenerate();
  if (step.resume) await chat.resumeStream();
  if (step.stop) {
    const sent = chat.sendMessage({ text: step.stop });
    while (chat.status !== "streaming" || !chat.lastMessage?.parts?.some((part) => part.type === "text" && chat.lastMessage.role === "assistant")) {
      await new Promise((done) => setTimeout(done, 5));
    }
    await chat.stop();
    await sent;
    await fetch(`${url}/api/chat/${chat.id}/stream`, { method: "DELETE" }); // with Rejoin the turn goes on without a page
  }
  if ("output" in step) {
    const part = chat.lastMessage.parts.findLast((p) => p.type === "tool-ask_user" && p.state === "input-available");
    await chat.addToolOutput({ tool: "ask_user", toolCallId: part.toolCallId, output: step.output });
    await new Promise((done) => setTimeout(done, 20)); // the request begins after this call
  }
  await settled(chat);
  results.push({
    status: chat.status,
    error: chat.error?.message ?? "",
    messages: chat.messages.length,
    stored: step.stored ? await stored(chat.id) : null,
    shown: chat.messages.map((message) => message.parts.map((part) => (part.type === "text" && !part.providerMetadata?.qed?.discarded ? part.text : "")).join("")),
    parts: (chat.lastMessage?.role === "assistant" ? chat.lastMessage.parts : []).map((part) => ({
      type: part.type, text: part.text ?? "", state: part.state ?? "", output: part.output ?? null,
      input: part.input ?? null, tool: part.toolName ?? "", error: part.errorText ?? "", url: part.url ?? "", title: part.title ?? "",
      data: part.data ?? null,
    })),
  });
}
console.log(JSON.stringify(results));
