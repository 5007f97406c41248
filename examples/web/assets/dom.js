// Elements are made here and get data as text only: nothing is parsed as HTML.

/** make returns an element. Properties with "-" and role are attributes. */
export function make(tag, properties, ...children) {
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (name.includes("-") || name === "role" || name === "scope") element.setAttribute(name, value);
		else element[name] = value;
	}
	element.append(...children.filter(child => child !== null && child !== undefined && child !== false));
	return element;
}

/** button returns a button with an action. */
export const button = (text, action, properties) =>
	make("button", {type: "button", textContent: text, onclick: action, ...properties});

/** details returns a text that opens more. */
export const details = (title, ...children) =>
	make("details", null, make("summary", {textContent: title}), ...children);

/** plural returns a number of things. */
export const plural = (n, thing) => n.toLocaleString("en") + " " + thing + (n === 1 ? "" : "s");

/** code returns a block of code that the keyboard can scroll. */
export const code = (text, label) =>
	make("pre", {tabIndex: 0, role: "group", "aria-label": label}, make("code", {textContent: text}));

/** announce has a screen reader say a text. */
export function announce(text) {
	document.getElementById("status").textContent = text;
}

/** parse reads JSON. Whole numbers that a double cannot hold keep their digits. */
export const parse = text => JSON.parse(text, (_, value, context) =>
	typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
		? BigInt(context.source) : value);

/** print writes JSON. */
export const print = (value, indent) => JSON.stringify(value, (_, v) =>
	typeof v === "bigint" ? (JSON.rawJSON ? JSON.rawJSON(String(v)) : Number(v)) : v, indent);
