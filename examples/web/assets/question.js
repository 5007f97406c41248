// Questions of the agent, as buttons and forms.
import {button, make, parse, print} from "./dom.js";

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

/** approval shows a draft, which can be changed. */
function approval(q, send) {
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

const kinds = {choice, text, approval, form};

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
		...parts.map(p => make("fieldset", null, make("legend", {textContent: p.q.text}),
			p.q.problem ? make("p", {className: "problem", role: "alert", textContent: p.q.problem}) : null, p.element)),
		make("p", {className: "choices"}, single ? null : make("button", {type: "submit", className: "main", textContent: "Reply"}),
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
