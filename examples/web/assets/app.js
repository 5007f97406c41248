// The page: a list of conversations, and one that is open.
import * as answers from "./answer.js";
import * as questions from "./question.js";
import * as stream from "./stream.js";
import * as tables from "./table.js";
import {announce, button, details, make, plural} from "./dom.js";
import {Trace} from "./trace.js";
import {usage, Usage} from "./usage.js";

const byId = id => document.getElementById(id);
const turns = byId("turns"), input = byId("text");
const maxUpload = 16 << 20; // bytes
const maxTurns = 100;       // of a conversation that the server returns
const reportRequest = "Write a report on this analysis.";

let thread = "";       // the open conversation
let running = null;    // the AbortController of the turn that is read
let recorded = [];     // the conversations that a replayed model can hold
let used = null;       // the Usage of the open conversation
let file = null;       // the uploaded file that is analysed: {session, found}

// Conversations

async function list() {
	let found;
	try { found = await stream.get("conversations"); } catch { return; } // the list stays as it is
	byId("list").replaceChildren(...found.conversations.map(c => {
		const link = make("a", {href: "#" + encodeURIComponent(c.id), textContent: c.title || "(no title)"});
		if (c.id === thread) link.setAttribute("aria-current", "page");
		const state = {running: "running", crashed: "cut off", interrupted: "waits for you", failed: "failed", stopped: "stopped"}[c.status];
		return make("li", null, link, make("span", {className: "dim",
			textContent: [state, new Date(c.updated).toLocaleString(undefined, {dateStyle: "short", timeStyle: "short"})].filter(Boolean).join(", ")}));
	}));
}

function begin() {
	location.hash = "";
	if (!thread) open(""); // also from an uploaded file
	input.focus();
}

async function open(id) {
	running?.abort();
	running = null;
	busy(false);
	thread = id;
	file = null;
	used = new Usage(byId("used"));
	byId("file").value = "";
	byId("file-sent").hidden = byId("file-problem").hidden = true;
	menu(false);
	turns.replaceChildren();
	byId("start").hidden = id !== "";
	list();
	if (!id) return;
	let conversation, kept;
	try {
		conversation = await stream.get("conversations/" + encodeURIComponent(id));
		kept = await stream.get("events/" + encodeURIComponent(id));
	} catch (error) {
		if (thread !== id) return;
		turns.replaceChildren(make("p", {className: "problem", textContent: error.status === 404 ? "There is no such conversation." : error.message}));
		return;
	}
	if (thread !== id) return;
	const runs = ["running", "crashed"].includes(conversation.status);
	let last = null, asked = [];
	let since = conversation.turns.length < maxTurns ? 0 : Infinity; // earlier turns are not listed
	for (const [i, t] of conversation.turns.entries()) {
		const until = Date.parse(t.time), from = since;
		last = new Turn(questions.replied(t.message, asked), kept.filter(k => Date.parse(k.began) > from && Date.parse(k.began) <= until));
		last.replay();
		if (t.answer) last.finish(t.answer, false);
		else last.fail(t.status === "stopped" ? "This turn was stopped." : "This turn failed.", i === conversation.turns.length - 1 && !runs);
		asked = t.answer?.questions ?? [];
		since = until;
	}
	if (runs) { // the turn that runs is not in the list yet
		const parts = kept.filter(k => Date.parse(k.began) > since);
		const turn = new Turn(sessionStorage.getItem(id) ?? questions.replied(parts.find(p => p.said)?.said ?? "", asked), parts);
		turn.element.scrollIntoView({block: "start"});
		follow(turn, (signal, lost) => stream.rejoin(id, signal, lost));
	} else if (last && conversation.questions.length && !last.asked) {
		last.ask(conversation.questions);
	}
	if (!running) last?.element.scrollIntoView({block: "start"});
}

// Turns

class Turn {
	/** A turn that began before the page was loaded has the parts that the server has kept. */
	constructor(message, parts = []) {
		this.message = message;
		this.parts = parts;
		this.began = Date.now();
		this.body = make("div", {className: "answer"});
		this.element = make("article", {"aria-label": message || "Reply"},
			message ? make("h2", {className: "said", textContent: message}) : null, this.body);
		for (const old of turns.querySelectorAll(".again, .next")) old.remove(); // only the last turn can continue
		turns.append(this.element);
		this.reset();
	}

	/** reset begins the answer again. */
	reset() {
		this.trace = new Trace(this.began, this.parts);
		this.written = "";
		this.drawn = "";
		this.tasks = [];
		this.findings = [];
		this.asked = false;
		this.now = make("p", {className: "now", textContent: "Working"});
		this.planned = make("div");
		this.found = make("div");
		this.text = make("div", {className: "text"});
		this.body.replaceChildren(this.planned, this.found, this.text, this.now);
	}

	/** replay shows the events that the server has kept. */
	replay() {
		for (const e of this.parts.flatMap(p => p.events)) {
			if (e.event === "page") this.rows = e.data.table;
			this.event(stream.frame(e));
		}
	}

	event(e) {
		const line = this.trace.add(e);
		if (line) this.now.textContent = line;
		switch (e.type) {
		case "RUN_STARTED":
			this.reset();
			list();
			break;
		case "TEXT_MESSAGE_START":
			if (this.written) this.written += "\n\n";
			break;
		case "TEXT_MESSAGE_CONTENT":
			this.written += e.delta;
			this.draw();
			break;
		case "STATE_SNAPSHOT":
			this.tasks = (e.snapshot.plan ?? []).map(t => ({...t, note: this.tasks.find(old => old.key === t.key)?.note}));
			this.plan();
			break;
		case "CUSTOM":
			this.task(e);
			break;
		case "RUN_FINISHED":
			this.finish(e.result, true);
			break;
		case "RUN_ERROR":
			this.fail(explain(e), e.code !== "question_closed");
			break;
		}
	}

	/** draw shows what is written, once in each frame. */
	draw() {
		this.frame ??= requestAnimationFrame(() => {
			this.frame = undefined;
			if (this.drawn === this.written) return;
			this.drawn = this.written;
			this.text.replaceChildren(answers.text(this.written));
		});
	}

	task({name, value}) {
		if (name === "question_closed") used.close();
		const task = this.tasks.find(t => t.key === (value?.key ?? value?.task));
		if (!task) return;
		if (name === "task_start") task.status = "running";
		if (name === "research_progress") {
			task.note = plural(value.documents, "document") + ", " + plural(value.findings, "finding");
			if (value.finding) this.find(task, value);
		}
		if (name === "task_end") {
			task.status = value.error ? "failed" : value.interrupted ? "waits for you" : "complete";
			task.note = [value.rows ? value.rows + " results" : "", value.cached ? "from before" : value.millis + " ms"].filter(Boolean).join(", ");
		}
		this.plan();
	}

	/** find shows what a passage says, before the report. */
	find(task, {finding, passage}) {
		if (!this.findings.length) {
			this.found.replaceChildren(make("h3", {textContent: "Findings so far"}), make("ul", {className: "findings"}));
		}
		const same = f => f.finding === finding && f.passage.location === passage.location;
		if (this.findings.some(same)) return; // another task has read it too
		this.findings.push({finding, passage});
		this.found.lastChild.append(make("li", null, finding, answers.source("", passage)));
	}

	plan() { this.planned.replaceChildren(answers.plan(this.tasks)); }

	/** finish shows the complete answer. */
	finish(answer, live) {
		cancelAnimationFrame(this.frame);
		if (this.rows) answer = {...answer, table: this.rows}; // the server's has the first rows only
		const parts = answers.show(answer, {
			report: () => file ? analyse(reportRequest, "api/report", {explorationResults: file.found}) : send(reportRequest),
			follow: () => { input.focus(); input.scrollIntoView({block: "nearest"}); },
			restart: begin,
		});
		if (this.findings.length) {
			this.found.firstChild.remove();
			parts.push(details(`Findings (${this.findings.length})`, this.found));
		}
		if (this.trace.entries.length) {
			parts.push(details(`Timeline (${plural(this.trace.entries.length, "event")})`, this.trace.show()));
		}
		const u = answer.usage ?? {};
		used.add(u, answer.questions?.length > 0);
		if (usage(u)) parts.push(make("p", {className: "dim", textContent: usage(u)}));
		const next = recorded.map(all => all[all.indexOf(this.message) + 1 || all.length]).find(Boolean);
		if (next && !file) parts.push(make("p", {className: "next"}, button(next, () => send(next))));
		this.body.replaceChildren(...parts);
		if (answer.questions?.length && live) this.ask(answer.questions);
		else if (answer.questions?.length) this.body.prepend(make("p", {className: "asked", textContent: answer.questions.map(q => q.text).join("\n")}));
		if (live) announce(answer.questions?.length ? "The agent asks you." : "The answer is complete.");
	}

	ask(list) {
		this.asked = true;
		this.body.querySelector(".again")?.remove(); // a reply continues it
		this.body.prepend(questions.show(list, answerQuestions));
	}

	fail(message, resumable) {
		cancelAnimationFrame(this.frame);
		this.now.remove();
		this.body.append(make("p", {className: "problem", role: "alert", textContent: message}));
		if (resumable) {
			const again = button("Continue", () => { again.remove(); resume(this); }, {className: "again"});
			this.body.append(again);
		}
	}
}

function explain(e) {
	if (e.code === "canceled") return "Stopped.";
	if (e.code === "model_bad_request" && recorded.length) {
		return "No model is configured, and this question is not recorded, or not at this point of the conversation. A new conversation offers the recorded questions.";
	}
	return e.message;
}

const number = n => n.toLocaleString("en");

// Sending

function busy(on) {
	turns.setAttribute("aria-busy", String(on));
	byId("send").hidden = on;
	byId("stop").hidden = !on;
	byId("stop").disabled = false;
}

/** follow reads the events of a turn until it ends. */
async function follow(turn, events) {
	const own = running = new AbortController();
	const at = thread;
	busy(true);
	let ended = false;
	try {
		for await (const e of events(own.signal, lost => {
			turn.now.textContent = lost ? "The connection is lost. Connecting again." : "Connected again.";
			announce(turn.now.textContent);
		})) {
			if (own.signal.aborted) return;
			ended = e.type === "RUN_FINISHED" || e.type === "RUN_ERROR";
			turn.event(e);
			if (e.type === "RUN_ERROR") await askAgain(turn, at);
		}
	} catch (error) {
		if (own.signal.aborted) return;
		turn.fail(stream.problem(error), false);
		if (stream.isTaken(error)) turn.body.append(button("Show the conversation as it is now", () => open(at)));
		ended = true;
		await askAgain(turn, at);
	} finally {
		if (running === own) {
			running = null;
			busy(false);
			list();
			if (!ended && !own.signal.aborted) open(at); // it ended while nobody read
		}
	}
}

/** askAgain shows the questions that a failed turn has left open. */
async function askAgain(turn, id) {
	let conversation;
	try { conversation = await stream.get("conversations/" + encodeURIComponent(id)); } catch { return; } // the error is shown
	if (thread === id && conversation.questions.length) turn.ask(conversation.questions);
}

/** enter begins a conversation if none is open. */
function enter() {
	if (thread) return;
	thread = crypto.randomUUID();
	history.pushState(null, "", "#" + thread);
	byId("start").hidden = true;
}

/** closeQuestions leaves the texts of the questions that were asked. */
function closeQuestions() {
	for (const form of turns.querySelectorAll(".questions")) {
		form.replaceWith(...[...form.querySelectorAll("legend")].map(l => make("p", {className: "asked", textContent: l.textContent})));
	}
}

const say = text => ({messages: [{id: crypto.randomUUID(), role: "user", content: text}]});

/** analyse asks the analyst about the uploaded file. */
async function analyse(text, address, more) {
	if (running) return;
	const own = running = new AbortController(), at = file, turn = new Turn(text);
	turn.element.scrollIntoView({block: "start"});
	busy(true);
	try {
		let found = null;
		for await (const e of stream.explore(address, {session: at.session, question: text, ...more}, own.signal)) {
			if (own.signal.aborted) return;
			if (e.found) found = e.found;
			else turn.event(e);
		}
		if (!found) throw new TypeError("no result");
		if (!found.report) at.found.push(found);
		turn.finish(answers.explored(found), true);
	} catch (error) {
		if (file !== at) return;
		const reason = error instanceof TypeError ? "The server cannot be reached." : error.message;
		turn.fail(own.signal.aborted ? "Stopped." : reason, false);
	} finally {
		if (running === own) {
			running = null;
			busy(false);
		}
	}
}

/** readings returns buttons that read a file in the other ways that its warnings name. */
function readings(chosen, options, warnings = []) {
	const ways = new Map(warnings.flatMap(w => (w.choices ?? []).map(value => [`${w.option.toLowerCase()} "${value}"`, {[w.option.toLowerCase()]: value}])));
	return make("p", {className: "choices"}, ...[...ways].map(([name, way]) => button("Read with " + name, () => upload(chosen, {...options, ...way}))));
}

/** upload begins a conversation about a file. */
async function upload(chosen, options = {}) {
	if (running) return;
	const own = running = new AbortController();
	const note = byId("file-problem");
	note.hidden = true;
	byId("file-sent").hidden = false;
	busy(true);
	try {
		if (chosen.size > maxUpload) throw new Error("The file is larger than 16 MB.");
		announce("The file is sent.");
		const stored = await stream.upload(chosen, options, own.signal);
		file = {session: stored.session, found: []};
		byId("start").hidden = true;
		const turn = new Turn([chosen.name, ...Object.entries(options).map(([option, value]) => `${option} "${value}"`)].join(", "));
		turn.finish({
			text: [`The file has ${number(stored.rowCount)} rows and ${number(stored.columnCount)} columns.`,
				...(stored.notes ?? []).map(note => "Note: " + note), "What do you want to know of it?"].join("\n\n"),
			table: {columns: stored.schema, rows: stored.sampleData},
		}, false);
		const columns = {
			columns: ["Column", "Type", "Missing", "Examples", "Shown by"].map(name => ({name})),
			rows: stored.load.columns.map(c => [c.name, c.type + (c.unit ? " in " + c.unit : ""), c.missing ?? 0,
				(c.examples ?? []).join(" | "), c.evidence ? `${c.evidence.cell} (line ${c.evidence.line})` : ""]),
		};
		turn.body.append(readings(chosen, options, stored.load.warnings), details("How the columns are read", tables.show(columns, "Columns of the file")));
		turn.element.scrollIntoView({block: "start"});
		announce("The file can be analysed.");
		input.focus();
	} catch (error) {
		if (running !== own) return; // the user has gone on
		const reason = error instanceof TypeError ? "The server cannot be reached." : error.message;
		note.textContent = own.signal.aborted ? "Stopped: the file was not uploaded." : reason;
		note.hidden = false;
		note.scrollIntoView({block: "nearest"});
	} finally {
		if (running === own) {
			running = null;
			busy(false);
			byId("file-sent").hidden = true;
			byId("file").value = "";
		}
	}
}

function send(text) {
	if (running) return;
	if (file) return void analyse(text, "api/agentic-explore");
	enter();
	sessionStorage.setItem(thread, text);
	closeQuestions(); // the message replies to them
	const turn = new Turn(text);
	turn.element.scrollIntoView({block: "start"});
	follow(turn, (signal, lost) => stream.post(thread, say(text), signal, lost));
}

function resume(turn) {
	if (running) return;
	turn.began = Date.now();
	turn.reset();
	follow(turn, (signal, lost) => stream.post(thread, say(""), signal, lost));
}

function answerQuestions(replies, shown, again) {
	if (running) return again();
	closeQuestions();
	sessionStorage.setItem(thread, shown);
	const turn = new Turn(shown);
	const entries = replies ? replies.map(r => ({interruptId: r.question, status: "resolved", payload: r.value})) :
		[{interruptId: "", status: "cancelled"}];
	follow(turn, (signal, lost) => stream.post(thread, {resume: entries}, signal, lost));
}

// Controls

function menu(open) {
	document.body.classList.toggle("menu", open);
	byId("menu").setAttribute("aria-expanded", String(open));
}

byId("menu").onclick = () => menu(!document.body.classList.contains("menu"));
byId("new").onclick = begin;
byId("skip").onclick = event => {
	event.preventDefault(); // the address names the conversation
	input.focus();
};
byId("file").onchange = () => byId("file").files[0] && upload(byId("file").files[0]);
byId("stop").onclick = async () => {
	if (!thread) return running?.abort(); // an uploaded file
	byId("stop").disabled = true;
	try { await stream.stop(thread); } catch { byId("stop").disabled = false; }
};
byId("form").onsubmit = event => {
	event.preventDefault();
	const text = input.value.trim();
	if (!text || running) return;
	input.value = "";
	grow();
	send(text);
};
const grow = () => {
	input.style.height = "auto";
	input.style.height = Math.min(input.scrollHeight + 2, 200) + "px";
};
input.oninput = grow;
input.onkeydown = event => {
	if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
		event.preventDefault();
		byId("form").requestSubmit();
	}
};
document.addEventListener("keydown", event => { if (event.key === "Escape") menu(false); });
const fromAddress = () => {
	let id = "";
	try { id = decodeURIComponent(location.hash.slice(1)); } catch { /* not one of ours */ }
	if (id !== thread) open(id);
};
addEventListener("hashchange", fromAddress);

byId("start").hidden = location.hash.length > 1;
try { recorded = await stream.get("questions"); } catch (error) { console.warn("No questions are offered", error); }
byId("start-note").textContent = recorded.length ? "No model is configured. These questions are recorded: the model's words are recorded, everything else really runs." : "";
byId("own-file").hidden = recorded.length > 0; // nothing is recorded about it
byId("questions").replaceChildren(...recorded.map(([q]) => make("li", null, button(q, () => send(q)))));
open(decodeURIComponent(location.hash.slice(1)));
