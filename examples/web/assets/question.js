// Questions of the agent, as buttons and forms.
import {button, details, make, parse, print} from "./dom.js";

let fields = 0;
const labelled = (text, control) => {
	control.id = "field-" + ++fields;
	return make("p", {className: "field"}, make("label", {htmlFor: control.id, textContent: text}), control);
};

/** choice returns {element, value}; with send, a click on a choice replies at once. */
function choice(q, send) {
	const id = c => c.id || c.text;
	if (send) {
		return {element: make("p", {className: "choices"}, ...q.choices.map(c => button(c.text, () => send(id(c), c.text), {className: "main"})))};
	}
	const name = "choice-" + ++fields;
	const inputs = q.choices.map(c => make("input", {type: "radio", name, value: id(c), required: true}));
	return {
		element: make("p", {className: "choices"}, ...q.choices.map((c, i) => make("label", null, inputs[i], " " + c.text))),
		value: () => inputs.find(i => i.checked)?.value,
	};
}

function text() {
	const input = make("textarea", {rows: 2, required: true});
	return {element: labelled("Your reply", input), value: () => input.value};
}

/** isList reports whether a draft is a list of tasks whose arguments are texts. */
function isList(draft) {
	const tasks = Object.values(draft?.tasks ?? {});
	return tasks.length > 0 && tasks.every(t => typeof t?.description === "string" &&
		Object.values(t.arguments ?? {}).every(a => typeof a === "string"));
}

/** taskList shows a list of tasks: each can be changed, moved and removed, and new ones be added. */
function taskList(list, changed) {
	const items = make("ol", {className: "tasks"});
	const names = [...new Set(Object.values(list.tasks).flatMap(t => Object.keys(t.arguments ?? {})))];
	const rows = [];
	const add = (key, task) => {
		const row = {key, task, description: make("textarea", {rows: 2, value: task.description, required: true})};
		row.inputs = names.map(name => [name, make("input", {type: "text", value: task.arguments?.[name] ?? ""})]);
		for (const input of [row.description, ...row.inputs.map(([, i]) => i)]) {
			input.oninput = () => { input.setCustomValidity(""); changed(); };
		}
		row.up = button("Move up", () => {
			const at = rows.indexOf(row);
			rows.splice(at - 1, 2, row, rows[at - 1]);
			draw();
			row.up.disabled ? row.remove.focus() : row.up.focus();
		});
		row.remove = button("Remove", () => {
			rows.splice(rows.indexOf(row), 1);
			draw();
			more.focus();
		});
		row.element = make("li", null, labelled("Task", row.description),
			...row.inputs.map(([name, input]) => labelled(words(name), input)), make("p", {className: "tools"}, row.up, row.remove));
		rows.push(row);
		return row;
	};
	const draw = () => {
		items.replaceChildren(...rows.map(r => r.element));
		rows.forEach((r, i) => {
			r.up.disabled = i === 0;
			r.remove.disabled = rows.length === 1;
			r.element.setAttribute("aria-label", "Task " + (i + 1));
		});
		changed();
	};
	const more = button("Add a task", () => {
		let n = rows.length + 1;
		while (list.tasks["task_" + n] || rows.some(r => r.key === "task_" + n)) n++;
		const [like] = Object.values(list.tasks);
		const row = add("task_" + n, {...like, description: "", arguments: {}, after: undefined});
		draw();
		row.description.focus();
	});
	const value = () => {
		const keys = [], tasks = {};
		for (const r of rows) {
			const args = Object.fromEntries(r.inputs.filter(([, i]) => i.value.trim()).map(([name, i]) => [name, i.value]));
			const after = r.task.after?.filter(key => keys.includes(key)); // a task can only be after earlier ones
			tasks[r.key] = {...r.task, description: r.description.value, after: after?.length ? after : undefined,
				arguments: Object.keys(args).length ? args : undefined};
			keys.push(r.key);
		}
		const current = tasks[list.current_task_key] ? list.current_task_key : keys[0];
		return {...list, tasks, current_task_key: current};
	};
	const check = () => {
		for (const {description} of rows) {
			if (description.value.trim()) continue;
			description.setCustomValidity("Write what to do, or remove the task.");
			description.reportValidity();
			return false;
		}
		return true;
	};
	for (const [key, task] of Object.entries(list.tasks)) add(key, task);
	draw();
	return {element: make("div", null, items, more), value, check};
}

const words = name => name[0].toUpperCase() + name.slice(1).replaceAll("_", " ");

/** approval shows a draft, which can be changed. */
function approval(q, send) {
	if (send && isList(q.draft)) return taskApproval(q, send);
	const draft = make("textarea", {rows: 8, spellcheck: false, value: print(q.draft, 2)});
	const reason = make("input", {type: "text"});
	const before = draft.value;
	const edited = () => draft.value === before ? {decision: "approve"} : {decision: "edit", value: parse(draft.value)};
	const rejected = () => ({decision: "reject", reason: reason.value});
	const parts = [labelled("Draft, which you can change", draft), labelled("Reason of a rejection", reason)];
	if (send) {
		const approve = button("Approve", () => { try { const reply = edited(); send(reply, said(reply)); } catch (e) { problem(draft, e); } }, {className: "main"});
		draft.oninput = () => {
			draft.setCustomValidity("");
			approve.textContent = draft.value === before ? "Approve" : "Approve the change";
		};
		parts.push(make("p", {className: "choices"}, approve, button("Reject", () => send(rejected(), "Rejected"))));
		return {element: make("div", null, ...parts)};
	}
	const reject = make("input", {type: "checkbox"});
	parts.push(labelled("Reject", reject));
	return {element: make("div", null, ...parts), value: () => reject.checked ? rejected() : edited()};
}

/** taskApproval shows a list of tasks with buttons; the list opens to be changed. */
function taskApproval(q, send) {
	let before = "";
	const approve = button("Approve", () => {
		if (!list.check()) return;
		const value = list.value();
		const reply = print(value) === before ? {decision: "approve"} : {decision: "edit", value};
		send(reply, said(reply));
	}, {className: "main"});
	const list = taskList(q.draft, () => {
		approve.textContent = !before || print(list.value()) === before ? "Approve" : "Approve the change";
	});
	before = print(list.value());
	const reason = make("input", {type: "text"});
	return {element: make("div", null, details("Change the tasks", list.element), details("Reject the tasks",
		labelled("Reason of a rejection", reason),
		make("p", null, button("Reject", () => send({decision: "reject", reason: reason.value}, "Rejected")))),
	make("p", {className: "choices"}, approve))};
}

function problem(control, error) {
	control.setCustomValidity("This is no JSON: " + error.message);
	control.reportValidity();
}

/** form has a control for each property of the schema. */
function form(q) {
	const schema = q.schema ?? {}, controls = [];
	for (const [name, property] of Object.entries(schema.properties ?? {})) {
		const required = schema.required?.includes(name) ?? false;
		const title = (property.title || name) + (property.description ? ": " + property.description : "");
		let control, value;
		const kind = Array.isArray(property.type) ? property.type.find(t => t !== "null") : property.type;
		if (property.enum) {
			control = make("select", {required}, required ? null : make("option", {value: "", textContent: ""}),
				...property.enum.map((v, i) => make("option", {value: String(i), textContent: String(v)})));
			value = () => control.value === "" ? undefined : property.enum[Number(control.value)];
		} else if (kind === "boolean") {
			control = make("input", {type: "checkbox"});
			value = () => control.checked;
		} else if (kind === "integer" || kind === "number") {
			control = make("input", {type: "number", required, step: kind === "integer" ? "1" : "any"});
			value = () => control.value === "" ? undefined : parse(control.value);
		} else if (kind === "string") {
			control = make("input", {type: property.format === "date" ? "date" : "text", required});
			value = () => control.value === "" && !required ? undefined : control.value;
		} else {
			control = make("textarea", {rows: 3, required, spellcheck: false, placeholder: "JSON"});
			control.oninput = () => control.setCustomValidity("");
			value = () => {
				if (control.value === "") return undefined;
				try { return parse(control.value); } catch (e) { problem(control, e); throw e; }
			};
		}
		controls.push({name, value, element: labelled(title, control)});
	}
	return {
		element: make("div", null, ...controls.map(c => c.element)),
		value: () => Object.fromEntries(controls.map(c => [c.name, c.value()]).filter(([, v]) => v !== undefined)),
	};
}

/** said returns a reply that is no text as the user sees it. */
const said = value => ({approve: "Approved", edit: "Approved with changes", reject: "Rejected"})[value.decision] ?? print(value);

/** summary returns replies as the user sees them. */
const summary = replies => replies === null ? "Never mind" :
	replies.map(r => typeof r.value === "string" ? r.value : said(r.value)).join(", ");

/** replied returns the stored text of a reply to questions as the user saw it. */
export function replied(message, questions) {
	const [q] = questions;
	if (q && message === "never mind") return "Never mind";
	if (q?.kind === "choice") return q.choices.find(c => (c.id || c.text) === message)?.text ?? message;
	try { return said(parse(message)); } catch { return message; } // no JSON: the user's words
}

/** commands returns the commands that a question for a text names, such as /end. */
const commands = q => q.kind === "text" ? q.text.match(/(?<!\S)\/[a-z]+(?![\w/])/g) ?? [] : [];

const kinds = {choice, text, approval, form};

/** legend returns the text of a question, with an emphasis on its first line. */
function legend(text) {
	const [first, ...rest] = text.split("\n");
	return make("legend", null, make("strong", {textContent: first}), ...rest.map(line => "\n" + line));
}

/**
 * show returns the questions as a form. send gets the replies by the ID of the
 * question, and null if the user wants none of them,
 * the replies as a text, and a function that allows another try.
 */
export function show(questions, send) {
	const single = questions.length === 1 && ["choice", "approval"].includes(questions[0].kind);
	const parts = questions.map(q => {
		const reply = single ? (value, shown) => finish([{question: q.id, value}], shown) : null;
		return {id: q.id, ...(kinds[q.kind] ?? text)(q, reply), q};
	});
	const all = make("form", {className: "questions", "aria-label": "Questions to you"},
		...parts.map(p => make("fieldset", null, legend(p.q.text),
			p.q.problem ? make("p", {className: "problem", role: "alert", textContent: p.q.problem}) : null, p.element)),
		make("p", {className: "choices"}, single ? null : make("button", {type: "submit", className: "main", textContent: "Reply"}),
			...(questions.length === 1 ? commands(questions[0]) : []).map(c => button(c, () => finish([{question: questions[0].id, value: c}]))),
			button("Never mind", () => finish(null))));
	const finish = (replies, shown) => {
		for (const control of all.querySelectorAll("button, input, textarea, select")) control.disabled = true;
		send(replies, shown ?? summary(replies), () => {
			for (const control of all.querySelectorAll("button, input, textarea, select")) control.disabled = false;
		});
	};
	all.onsubmit = event => {
		event.preventDefault();
		if (single) return;
		try { finish(parts.map(p => ({question: p.id, value: p.value()}))); } catch { /* the control shows what is wrong */ }
	};
	return all;
}
