// Has a conversation with a server by AG-UI. Reads [url, steps] from the standard
// input, and prints the events and the messages after each step. The client checks
// the order of the events.
import { readFileSync } from "node:fs";
import { HttpAgent } from "@ag-ui/client";

const [url, steps] = JSON.parse(readFileSync(0, "utf8"));
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
let agent, n = 0;
for (const step of steps) {
  if (step.chat) agent = new HttpAgent({ url: url + "/agui", threadId: step.chat });
  const events = [];
  let last = null, failed = "";
  if (step.stop) agent.addMessage({ id: `m${++n}`, role: "user", content: step.stop });
  if (step.text) agent.addMessage({ id: `m${++n}`, role: "user", content: step.text });
  const users = () => agent.messages.filter((message) => message.role === "user");
  if (step.edit) { // the id stays
    const edited = users()[step.at];
    agent.setMessages([...agent.messages.slice(0, agent.messages.indexOf(edited)), { ...edited, content: step.edit }]);
  }
  if (step.again !== undefined) agent.setMessages(agent.messages.slice(0, agent.messages.indexOf(users()[step.again]) + 1));
  if (step.cut) {
    agent.setMessages([...agent.messages.slice(0, agent.messages.indexOf(users()[step.at])), { id: `m${++n}`, role: "user", content: step.cut }]);
  }
  if (step.reload) agent = new HttpAgent({ url: url + "/agui", threadId: agent.threadId, initialMessages: structuredClone(agent.messages) });
  const resume = step.resume
    ? results.at(-1).interrupts.map((i) => ({ interruptId: i.id, ...step.resume }))
    : undefined;
  try {
    await agent.runAgent({ runId: `r${++n}`, ...(resume && { resume }) }, {
      onEvent: ({ event }) => {
        events.push(event.type);
        last = event;
        if (step.stop && event.type === "TEXT_MESSAGE_CONTENT") {
          agent.abortRun();
          fetch(`${url}/agui/${agent.threadId}`, { method: "DELETE" }); // with Rejoin the turn goes on without a page
        }
      },
    });
  } catch (error) {
    failed = String(error.message ?? error);
  }
  results.push({
    events, failed,
    outcome: last?.outcome?.type ?? "", interrupts: last?.outcome?.interrupts ?? [],
    answer: last?.result?.text ?? "", error: last?.message ?? "", code: last?.code ?? "",
    stored: step.stored ? await stored(agent.threadId) : null,
    messages: agent.messages.map((m) => ({ role: m.role, content: typeof m.content === "string" ? m.content : "", calls: (m.toolCalls ?? []).map((c) => c.function.name) })),
  });
}
console.log(JSON.stringify(results));
