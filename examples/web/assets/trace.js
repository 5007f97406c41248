// What an agent does, as lines and as a timeline.
import {make} from "./dom.js";
import {frame} from "./stream.js";

const list = (values, before = "") => values?.length ? before + values.join(", ") : "";
const because = d => d.reason ? " (" + d.reason + ")" : "";
const rows = n => n === 1 ? "1 row" : n + " rows";

/** predicate returns a condition of a query that found nothing, with its verdict. */
export function predicate(p) {
	const verdict = {proved: "has rows", contradicted: "has no rows"}[p.verdict] ?? "not checked";
	const values = p.nearest ? `; ${p.column} has ${p.nearest.join(", ")}` : p.from ? `; ${p.column} is from ${p.from} to ${p.to}` : "";
	return [(p.tables ?? []).join(", "), p.sql].filter(Boolean).join(": ") + ", " + verdict + values;
}

// The lines of the events, by their kind. Other kinds are not shown.
const lines = {
	route_decision: d => ["Route", d.route + because(d)],
	tables_selected: d => ["Tables", list(d.tables) + because(d)],
	join_planned: d => d.joins?.length ? ["Joins", d.joins.join("; ")] : null,
	query_written: d => ["Query", "attempt " + d.attempt + (d.reason ? ", after: " + d.reason : "")],
	query_rewritten: d => ["Secured", list(d.views, "read through ") || "checked"],
	query_refused: d => ["Refused", d.message + list(d.candidates, "; did you mean ")],
	query_executed: d => ["Ran", rows(d.rows)],
	query_empty: d => ["Found nothing", d.empty.predicates.map(predicate).join("; ")],
	intent_classified: d => ["Intent", d.intent + because(d)],
	question_rewritten: d => ["Read as", d.question],
	question_closed: d => d.intent === "abort" ? null : ["Closed", "the question needs no reply" + because(d)],
	retrieved: d => ["Search", d.query + ": " + (d.citations?.length ?? 0) + " passages"],
	step_start: d => ["Step", d.step + " of " + d.of],
	task_start: d => ["Task", d.description],
	task_end: d => ["Done", d.key + (d.error ? ": " + d.error : d.rows ? ": " + rows(d.rows) : "")],
	research_progress: d => ["Read", d.passage?.title + (d.finding ? "" : ": nothing for " + d.task)],
	warning: d => ["Warning", d.message],
};

/** line returns what an event of the stream is called, and its text; null for others. */
function line(event) {
	if (event.type === "TOOL_CALL_START") return ["Tool", event.toolCallName];
	return event.type === "CUSTOM" ? lines[event.name]?.(event.value) ?? null : null;
}

/** A Trace is what happened in one turn. */
export class Trace {
	/** The parts of the turn that the server has kept say when it began, and when their events were. */
	constructor(began, parts) {
		this.began = parts.length ? Date.parse(parts[0].began) : began;
		this.times = parts.flatMap(p => p.events).filter(e => line(frame(e))).map(e => Date.parse(e.time));
		this.entries = [];
	}

	/** add adds an event of the stream, and returns its text, or "". */
	add(event) {
		const found = line(event);
		if (!found) return "";
		const at = Math.max(0, (this.times[this.entries.length] ?? Date.now()) - this.began);
		this.entries.push({at, millis: event.value?.millis ?? 0, name: found[0], text: found[1]});
		return found.join(": ");
	}

	/** show returns the events as a timeline. */
	show() {
		const total = Math.max(1, ...this.entries.map(e => e.at));
		return make("ol", {className: "trace", tabIndex: 0, "aria-label": "Timeline"}, ...this.entries.map(e => {
			const bar = make("span", {className: "bar", "aria-hidden": "true"});
			bar.style.setProperty("--from", 100 * Math.max(0, e.at - e.millis) / total + "%");
			bar.style.setProperty("--width", 100 * Math.min(e.millis, e.at) / total + "%");
			return make("li", null,
				make("span", {className: "time", textContent: (e.at / 1000).toFixed(2) + " s"}),
				make("span", {className: "track"}, bar),
				make("span", null, make("strong", {textContent: e.name + " "}), e.text,
					e.millis ? make("span", {className: "dim", textContent: " " + e.millis + " ms"}) : null));
		}));
	}
}
