// An answer, with where it comes from.
import * as charts from "./chart.js";
import {render} from "./markdown.js";
import * as tables from "./table.js";
import {predicate} from "./trace.js";
import {button, code, details, make, parse, plural, print} from "./dom.js";

const vegaLite = /^application\/vnd\.vegalite\.v\d+\+json$/;
const explorationMedia = "application/vnd.qed.exploration+json";
const researchMedia = "application/vnd.qed.research+json";
const reportMedia = "application/vnd.qed.report+json";

const decode = artifact => new TextDecoder().decode(Uint8Array.from(atob(artifact.data), c => c.charCodeAt(0)));

/** content reads the artifacts of an answer. */
function content(answer) {
	const out = {charts: new Map(), rows: [], exploration: false};
	for (const artifact of answer.artifacts ?? []) {
		try {
			if (vegaLite.test(artifact.media_type)) {
				if (out.whole) continue;
				out.charts.set("artifact-" + out.charts.size, {title: artifact.name, spec: parse(decode(artifact))});
			} else if (artifact.media_type === explorationMedia || artifact.media_type === reportMedia) {
				const found = artifact.value ?? parse(decode(artifact));
				out.charts.clear(); // those of the tools are in it, by their IDs
				out.whole = true;
				out.exploration ||= artifact.media_type === explorationMedia;
				for (const c of found.charts ?? []) out.charts.set(c.id, {title: c.title, spec: c.spec, query: c.sqlQuery});
				out.rows.push(...(found.executedQueries ?? found.queries ?? []));
				out.checks = found.checks;
			} else if (artifact.media_type === researchMedia) {
				out.research = artifact.value ?? parse(decode(artifact));
			}
		} catch (error) {
			console.warn("An artifact cannot be read", error);
		}
	}
	return out;
}

/** rowsOf returns the rows of a query of an answer, if the answer has them. */
function rowsOf(answer, found, index) {
	const query = answer.queries?.[index];
	if (!query) return null;
	const same = found.rows.find(q => q.query === query.written || q.query === query.executed);
	if (same) return same.result;
	return answer.queries.length === 1 ? answer.table ?? null : null;
}

/** proof opens the cells behind a figure. */
function proof(answer, found, index) {
	const figure = answer.figures[index];
	const dialog = document.getElementById("proof");
	document.getElementById("proof-title").textContent = figure.text;
	const parts = [make("p", null, "Reference: ", make("code", {textContent: figure.reference}))];
	for (const source of figure.sources ?? []) {
		const query = answer.queries?.[source.query];
		const rows = rowsOf(answer, found, source.query);
		const cell = source.row && rows?.rows[source.row - 1]?.[rows.columns.findIndex(c => c.name === source.column)];
		const list = make("dl");
		const add = (term, value) => list.append(make("dt", {textContent: term}), make("dd", {textContent: value}));
		if (query) add("Query", source.query + 1 + " of " + answer.queries.length);
		add("Row", source.row ? String(source.row) : "all rows");
		add("Column", source.column || "the rows are counted");
		if (source.row && cell !== undefined && cell !== false) add("Cell", String(cell));
		parts.push(list);
		if (query) parts.push(code(laidOut(query), "Query"));
	}
	document.getElementById("proof-body").replaceChildren(...parts);
	dialog.showModal();
}

/** laidOut returns SQL with a line for each clause. */
const laidOut = q => q.language !== "sql" ? q.executed || q.written : (q.executed || q.written).replace(
	/"[^"]*"|'[^']*'|`[^`]*`|(?<!\b(?:CROSS|FULL|INNER|LEFT|OUTER|RIGHT)) (?=(?:(?:CROSS|FULL|INNER|LEFT|RIGHT)(?: OUTER)? )?JOIN\b|(?:FROM|WHERE|GROUP BY|HAVING|ORDER BY|LIMIT|UNION)\b)/g,
	found => found === " " ? "\n" : found);

/** joinText returns a join as a condition. */
function joinText(j) {
	const name = side => [side.table, side.alias].filter(Boolean).join(" ");
	const pairs = (j.left.columns ?? []).map((column, i) => `${name(j.left)}.${column} = ${name(j.right)}.${j.right.columns[i]}`);
	return pairs.join(" AND ") || `${name(j.left)}, ${name(j.right)} ${j.condition ? "by another condition" : "without a condition"}`;
}

/** joinNote returns what is known about a join. */
const joinNote = j => [j.role, j.cardinality, j.confidence < 1 ? `confidence ${j.confidence}` : "",
	j.relationship === "unknown" ? "no known relationship" : ""].filter(Boolean).map(fact => ", " + fact).join("");

/** used returns what the prompts for the queries had, as texts. */
const used = u => [...(u.examples ?? []).map(e => "Example " + verified(e).slice(3)),
	...(u.values ?? []).map(v => `Value “${v.said}”: ${v.table}.${v.column} = ${v.value}`),
	...(u.notes ?? []).map(note => "Remembered " + note),
	...(u.definitions ?? []).map(d => `Definition ${[d.table, d.column].filter(Boolean).join(".")}: ${d.text}`)];

/** verified returns who approved a question, and when. */
const verified = v => `as “${v.question}”` + (v.by ? `, approved by ${v.by}` : "") + (v.time ? ` on ${v.time.slice(0, 10)}` : "") +
	Object.entries(v.parameters ?? {}).map(([name, value]) => `, with ${name} = ${value}`).join("");

/** checked returns what a query computes, and what was found out about that. */
const checked = q => [
	...(q.meaning ? [make("p", {className: "dim", textContent: q.meaning})] : []),
	...(q.checked?.length ? [make("ul", {className: "dim"}, ...q.checked.map(line => make("li", {textContent: line})))] : [])];

function query(q, index, rows, alone) {
	const parts = [code(laidOut(q), "Query that ran")];
	const note = (term, text) => parts.push(make("p", null, make("strong", {textContent: term + ": "}), text));
	if (!alone) parts.push(...checked(q));
	if (q.join_path?.length) {
		parts.push(make("p", null, make("strong", {textContent: "Join path"})),
			make("ul", null, ...q.join_path.map(j => make("li", null, make("code", {textContent: joinText(j)}), joinNote(j)))));
	}
	if (q.views?.length) note("Read through", q.views.join(", "));
	for (const v of q.values ?? []) note("Read as", `${v.said} is ${v.value} in ${v.table}.${v.column}`);
	if (q.verified) note("Verified", verified(q.verified));
	if (q.empty) {
		parts.push(make("p", null, make("strong", {textContent: "Why it found nothing"})),
			make("ul", null, ...q.empty.predicates.map(p => make("li", {textContent: predicate(p)}))));
	}
	if (q.executed && q.executed !== q.written) parts.push(details("As the model wrote it", code(q.written, "Query of the model")));
	for (const c of q.corrections ?? []) {
		parts.push(details("Replaced before: " + c.reason, code(c.query, "Replaced query")));
	}
	if (rows) parts.push(tables.show(rows, "Rows of query " + (index + 1)));
	const facts = [q.language, q.index, q.executed ? (q.total || q.rows) + (q.rows === 1 ? " row" : " rows") : "not run",
		q.millis ? q.millis + " ms" : "", q.cached ? "from before" : "", q.task ? "task " + q.task : ""].filter(Boolean);
	return details(`Query ${index + 1} (${facts.join(", ")})`, ...parts);
}

/** plan returns the tasks of a plan with their status. */
export function plan(tasks) {
	const tools = new Set(tasks.map(t => t.tool)).size > 1; // one tool says nothing
	return make("ol", {className: "plan", "aria-label": "Plan"}, ...tasks.map(t => make("li", {className: t.status ?? ""},
		make("span", {className: "mark", "aria-hidden": "true"}),
		make("span", null, t.description + (tools && t.tool ? ` (${t.tool}) ` : " "), make("span", {className: "dim",
			textContent: [t.status || "waiting", t.note, t.after?.length ? "after " + t.after.join(", ") : ""].filter(Boolean).join(", ")})))));
}

/** source returns the title of a passage, which opens it. */
export function source(mark, c) {
	const passage = details(mark + c.title + (c.location ? " (" + c.location + ")" : ""),
		make("blockquote", {textContent: c.excerpt || "The passage was not kept."}));
	passage.className = "source";
	return passage;
}

/** research returns how a research came to its report. */
function research(r) {
	const facts = (...all) => all.filter(Boolean).join(", ");
	const tasks = (r.tasks ?? []).map(t => make("li", null, make("strong", {textContent: t.description}),
		" " + facts(plural(t.documents?.length ?? 0, "document") + " read", plural(t.findings, "finding"),
			t.ended === "done" ? "" : "ended by: " + t.ended.replaceAll("_", " ")),
		make("ul", null,
			...(t.queries ?? []).map(q => make("li", {textContent: "Searched: " + q})),
			...(t.references ?? []).map(f => make("li", {textContent: `${f.text} in ${f.document}: ` +
				facts(f.followed ? "followed" : "not followed", f.resolved, f.reason)})),
			...(t.gaps ?? []).map(g => make("li", {textContent: "Missing: " + g})))));
	return details("How it was researched" + (r.quality ? ` (rated ${r.quality.total} of 500)` : ""),
		r.additional_context ? make("p", {textContent: "You added: " + r.additional_context}) : null, make("ul", null, ...tasks));
}

/** explored returns an exploration or a report of an uploaded file as an answer. */
export function explored(found) {
	const ran = (found.executedQueries ?? []).map(q => ({...q,
		result: {...q.result, columns: q.result.columns.map(name => ({name}))}}));
	let text = found.report ?? found.summary + "\n";
	let figures = found.figures ?? [];
	if (found.report === undefined) { // its figures have offsets in the summary or in one insight
		const size = t => new TextEncoder().encode(t).length;
		const begins = [0];
		for (const insight of found.insights) {
			text += "\n- ";
			begins.push(size(text));
			text += insight;
		}
		figures = figures.map(f => ({...f, offset: f.offset + begins[f.insight + 1]}));
	}
	const m = found.metadata ?? {};
	return {
		text, figures, partial: Boolean(found.partial), partial_reason: found.partial, unproved: found.unproved,
		queries: ran.map(q => ({language: "sql", written: q.query, executed: q.query, rows: q.result.rows.length})),
		usage: {input_tokens: m.tokensUsed, steps: m.stepCount, cost: m.cost, millis: m.durationMs},
		artifacts: [{media_type: found.report === undefined ? explorationMedia : reportMedia, value: {...found, executedQueries: ran}}],
	};
}

/** check returns the verdict on a finding, with its checks. */
function check(report) {
	const facts = [report.text, ...(report.checks ?? []).map(c => `${c.name.replaceAll("_", " ")}: ${c.outcome}. ${c.text}`),
		...(report.skipped ?? []).map(c => `${c.name.replaceAll("_", " ")}: not possible. ${c.reason}`)].filter(Boolean);
	return details(`Checked, ${report.verdict.replace("_checked", " proved")}: ${report.finding}`,
		make("ul", null, ...facts.map(f => make("li", {textContent: f}))));
}

/** text returns a text that is still being written. */
export const text = written => render(written, {});

/**
 * show returns the parts of a complete answer. Actions: report, follow and restart are
 * called by the buttons of an analysis.
 */
export function show(answer, actions) {
	const found = content(answer), out = [];
	const left = new Map(found.charts);
	const sources = (answer.citations ?? []).map((c, i) => source(`[${i + 1}] `, c));
	const chart = id => {
		const c = left.get(id);
		left.delete(id);
		return c ? charts.show(c.title, c.spec, c.query) : null;
	};
	if (!answer.questions?.length) {
		out.push(make("div", {className: "text"}, render(answer.text ?? "", {
			figures: answer.figures, proof: i => proof(answer, found, i), chart,
			citations: sources.length, cite: n => {
				sources[n - 1].open = true;
				sources[n - 1].querySelector("summary").focus();
			},
		})));
	}
	if (answer.partial && !(answer.text ?? "").includes(answer.partial_reason)) {
		out.push(make("p", {className: "problem", textContent: "Not complete: " + answer.partial_reason}));
	}
	if (answer.unproved?.length) {
		out.push(make("p", {className: "problem", textContent: "Not in the data: " + answer.unproved.join(", ")}));
	}
	for (const id of [...left.keys()]) out.push(chart(id));
	if (answer.table?.columns?.length && !found.exploration) out.push(tables.show(answer.table));
	const proofs = [], alone = answer.queries?.length === 1;
	if (alone) out.push(...checked(answer.queries[0]));
	if (answer.plan?.length) proofs.push(details(`Plan (${plural(answer.plan.length, "task")})`, plan(answer.plan)));
	for (const [i, q] of (answer.queries ?? []).entries()) {
		proofs.push(query(q, i, answer.queries.length > 1 || found.rows.length ? rowsOf(answer, found, i) : null, alone));
	}
	if (answer.used) {
		proofs.push(details("What the model was shown", make("ul", null, ...used(answer.used).map(line => make("li", {textContent: line})))));
	}
	for (const c of found.checks ?? []) proofs.push(check(c));
	proofs.push(...sources);
	if (found.research) proofs.push(research(found.research));
	for (const d of answer.documents ?? []) {
		proofs.push(details(`Document ${d.id} (${d.index})`, code(print(d.source ?? {}, 2), "Document")));
	}
	const checks = (answer.audit?.findings ?? []).map(f =>
		f.kind.replaceAll("_", " ") + ": " + (f.text || f.sentence || ""));
	if (checks.length) proofs.push(details("Check of the sources", make("ul", null, ...checks.map(c => make("li", {textContent: c})))));
	for (const d of (answer.dates ?? []).filter(d => d.verdict === "proved")) {
		proofs.push(make("p", {className: "dim", textContent: `“${d.words}” is from ${d.from || "the beginning"} to before ${d.before || "any later time"}`}));
	}
	if (proofs.length) out.push(make("div", {className: "proofs"}, ...proofs));
	if (found.exploration) {
		out.push(make("p", {className: "choices"}, button("Generate report", actions.report),
			button("Ask a follow-up", actions.follow), button("Start over", actions.restart)));
	}
	return out;
}
