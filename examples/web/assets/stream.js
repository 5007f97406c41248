// The AG-UI streams of the server.
import {parse, print} from "./dom.js";

/** frames yields the server-sent events of a response, as {id, event}. */
async function* frames(response) {
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	let rest = "";
	try {
		for (;;) {
			const {done, value} = await reader.read();
			if (done) return;
			const parts = (rest + value).split("\n\n");
			rest = parts.pop();
			for (const part of parts) {
				let id = "", data = "";
				for (const line of part.split("\n")) {
					if (line.startsWith("id: ")) id = line.slice(4);
					else if (line.startsWith("data: ")) data += line.slice(6);
				}
				if (data) yield {id, event: parse(data)};
			}
		}
	} finally {
		reader.cancel().catch(() => {}); // the connection may be gone
	}
}

/** A Refusal is an answer of the server that is no stream. */
export class Refusal extends Error {
	constructor(status, error) {
		super(error?.message ?? "The server refused the request.");
		this.status = status;
		this.code = error?.code ?? "";
	}
}

/** isTaken reports whether another turn was faster. */
export const isTaken = error => error.code === "busy" || error.code === "conflict";

/** problem returns why a request failed. */
export function problem(error) {
	if (error instanceof TypeError) return "The server cannot be reached.";
	if (isTaken(error)) return "This was not sent: another window is using this conversation.";
	if (error.status === 403 || error.status === 404) return "There is no such conversation.";
	return error.message;
}

/** get returns the JSON of an address. */
export async function get(address) {
	const response = await fetch(address);
	if (!response.ok) throw await refusal(response);
	return parse(await response.text());
}

/** upload stores a file for the analyst. The options say how it is read. */
export async function upload(file, options, signal) {
	const response = await fetch("api/datasets?" + new URLSearchParams(options), {method: "POST", signal, headers: {"Content-Type": "application/octet-stream"}, body: file});
	if (!response.ok) throw await refusal(response);
	return parse(await response.text());
}

/**
 * explore yields the events of a request to the analyst, with what it found last. It
 * waits until an exploration that was stopped has ended.
 */
export async function* explore(address, body, signal) {
	for (let pause = 250; ; pause *= 2) {
		try {
			return yield* explorations(address, body, signal);
		} catch (error) {
			if (error.code !== "busy" || pause > 8000) throw error;
			await wait(pause);
			signal.throwIfAborted();
		}
	}
}

async function* explorations(address, body, signal) {
	const response = await fetch(address, {
		method: "POST", signal, body: print(body),
		headers: {"Content-Type": "application/json", Accept: "text/event-stream"},
	});
	if (!response.ok) throw await refusal(response);
	for await (const {event} of frames(response)) {
		if (event.status === "error") throw new Refusal(response.status, {message: event.error || "The analysis failed.", code: event.code});
		if (event.event) yield {type: "CUSTOM", name: event.event, value: event.data};
		else yield {found: event};
	}
}

/** frame returns an event that the server has kept as an event of a stream. */
export function frame({event, data}) {
	if (event === "planned") return {type: "STATE_SNAPSHOT", snapshot: {plan: data.tasks}};
	if (event === "tool_start") return {type: "TOOL_CALL_START", toolCallName: data.tool};
	return {type: "CUSTOM", name: event, value: data};
}

async function refusal(response) {
	let body = null;
	try { body = await response.json(); } catch { /* no JSON */ }
	return new Refusal(response.status, body?.error);
}

const address = thread => "agui/" + encodeURIComponent(thread);
const wait = time => new Promise(resolve => setTimeout(resolve, time));
const patience = 120_000; // until a lost connection is given up

/** post begins a turn, and yields its events until the last one. */
export function post(thread, body, signal, lost) {
	const first = () => fetch("agui", {
		method: "POST", signal, headers: {"Content-Type": "application/json"},
		body: print({threadId: thread, runId: crypto.randomUUID(), messages: [], ...body}),
	});
	return events(thread, first, signal, lost);
}

/** rejoin yields the events of the turn that runs, from its beginning. */
export const rejoin = (thread, signal, lost) => events(thread, null, signal, lost);

/** stop ends the turn that runs. */
export const stop = thread => fetch(address(thread), {method: "DELETE"});

/**
 * events yields the events of a turn. When the connection is lost it calls lost, and
 * continues after the last event. It ends without a last event if there is no more.
 */
async function* events(thread, first, signal, lost) {
	let last = "", since = 0;
	for (let pause = 250; ; pause = Math.min(2 * pause, 3000)) {
		try {
			const response = await (first?.() ?? fetch(address(thread), {signal, headers: last ? {"Last-Event-ID": last} : {}}));
			if (response.status === 204) return;
			if (!response.ok) throw await refusal(response);
			first = null;
			for await (const {id, event} of frames(response)) {
				if (since) lost(false);
				since = 0;
				pause = 250;
				last = id || last;
				yield event;
				if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") return;
			}
		} catch (error) {
			const again = error instanceof TypeError || error instanceof Refusal && error.status === 503;
			if (signal.aborted || first || !again) throw error;
		}
		since ||= Date.now();
		if (Date.now() - since > patience) throw new Error("The server cannot be reached.");
		lost(true);
		await wait(pause);
		if (signal.aborted) return;
	}
}
