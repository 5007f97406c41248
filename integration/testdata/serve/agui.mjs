// Has a conversation with a server by AG-UI. Reads [url, steps] from the standard
// input, and prints the events and the messages after each step. The client checks
// the order of the events.
import { readFileSync } from "node:fs";
import { HttpAgent } from "@ag-ui/client";

const [url, steps] = JSON.parse(readFileSync(0, "utf8"));
const results = [];
let agent, n = 0;
for (const step of steps) {
  if (step.chat) agent = new HttpAgent({ url: url + "/agui", threadId: step.chat });
  const events = [];
  let last = null, failed = "";
  if (step.text) agent.addMessage({ id: `m${++n}`, role: "user", content: step.text });
  const resume = step.resume
    ? results.at(-1).interrupts.map((i) => ({ interruptId: i.id, ...step.resume }))
    : undefined;
  try {
    await agent.runAgent({ runId: `r${++n}`, ...(resume && { resume }) }, {
      onEvent: ({ event }) => { events.push(event.type); last = event; },
    });
  } catch (error) {
    failed = String(error.message ?? error);
  }
  results.push({
    events, failed,
    outcome: last?.outcome?.type ?? "", interrupts: last?.outcome?.interrupts ?? [],
    answer: last?.result?.text ?? "", error: last?.message ?? "", code: last?.code ?? "",
    messages: agent.messages.map((m) => ({ role: m.role, content: typeof m.content === "string" ? m.content : "", calls: (m.toolCalls ?? []).map((c) => c.function.name) })),
  });
}
console.log(JSON.stringify(results));
