// What the models of a conversation have used.
import {plural} from "./dom.js";

const tokens = u => (u.input_tokens ?? 0) + (u.output_tokens ?? 0);

/** usage returns a usage as a text. */
export const usage = u => [tokens(u) ? plural(tokens(u), "token") : "", u.calls ? plural(u.calls, "call") : "",
	u.steps ? plural(u.steps, "step") : "", u.cost ? "cost " + u.cost.toLocaleString("en", {maximumSignificantDigits: 3}) : "",
	u.millis ? (u.millis / 1000).toFixed(1) + " s" : ""].filter(Boolean).join(", ");

const sum = (a, b) => Object.fromEntries(["input_tokens", "output_tokens", "calls", "steps", "cost"]
	.map(name => [name, (a[name] ?? 0) + (b[name] ?? 0)]));

/** A Usage is the sum over a conversation, which an element shows. */
export class Usage {
	constructor(element) {
		this.element = element;
		this.ended = {};   // by the runs that have ended
		this.waiting = {}; // by the run that waits for a reply
		this.show();
	}

	/** add adds the usage of an answer. An answer after questions has that of their turns too. */
	add(u, asks) {
		if (asks) {
			this.waiting = sum(this.waiting, u);
		} else {
			this.ended = sum(this.ended, u);
			this.waiting = {};
		}
		this.show();
	}

	/** close ends the run that waits: its user wants something else. */
	close() {
		this.ended = sum(this.ended, this.waiting);
		this.waiting = {};
	}

	show() { this.element.textContent = usage(sum(this.ended, this.waiting)); }
}
