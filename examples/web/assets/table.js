// Tables of rows: sorted, copied, and saved as CSV.
import {announce, button, make} from "./dom.js";

const shown = 25; // rows at first
const text = cell => cell === null || cell === undefined ? "" : String(cell);
const number = cell => typeof cell === "number" || typeof cell === "bigint";

function compare(a, b) {
	if (a === null || b === null) return (a === null) - (b === null);
	if (number(a) && number(b)) return a < b ? -1 : a > b ? 1 : 0;
	return text(a).localeCompare(text(b), undefined, {numeric: true});
}

/** csv returns the rows as CSV. A spreadsheet takes no text of it as a formula. */
export function csv(table) {
	const quote = cell => {
		let value = text(cell);
		if (!number(cell) && /^[=+\-@\t\r]/.test(value)) value = "'" + value;
		return /[",\r\n]/.test(value) ? '"' + value.replaceAll('"', '""') + '"' : value;
	};
	return [table.columns.map(c => c.name), ...table.rows].map(row => row.map(quote).join(",") + "\r\n").join("");
}

const plain = table => [table.columns.map(c => c.name), ...table.rows]
	.map(row => row.map(cell => text(cell).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\n");

function save(name, content) {
	const address = URL.createObjectURL(new Blob([content], {type: "text/csv;charset=utf-8"}));
	make("a", {href: address, download: name}).click();
	setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** show returns a table as an element. */
export function show(table, label = "Rows") {
	const rows = [...table.rows];
	let sorted = -1, down = false, all = rows.length <= shown;
	const body = make("tbody");
	const fill = () => body.replaceChildren(...(all ? rows : rows.slice(0, shown)).map(row =>
		make("tr", null, ...row.map(cell => make("td", {className: (number(cell) ? "right" : "left") + (/^\S{1,40}$/.test(text(cell)) ? " whole" : ""), textContent: text(cell)})))));
	const heads = table.columns.map((column, i) => make("th", {scope: "col", className: number(rows[0]?.[i]) ? "right" : "left"},
		button(column.name, () => {
			down = sorted === i && !down;
			sorted = i;
			rows.sort((a, b) => down ? compare(b[i], a[i]) : compare(a[i], b[i]));
			heads.forEach((head, n) => n === i ? head.setAttribute("aria-sort", down ? "descending" : "ascending") : head.removeAttribute("aria-sort"));
			fill();
		})));
	fill();
	const count = make("span", {className: "dim"});
	const more = button("Show all", () => { all = true; more.hidden = true; tell(); fill(); });
	const tell = () => {
		const total = (table.truncated ? "more than " : "") + rows.length.toLocaleString("en");
		count.textContent = all ? (rows.length === 1 ? "1 row" : total + " rows") : "the first " + shown + " of " + total + " rows";
	};
	more.hidden = all;
	tell();
	return make("div", {className: "rows"},
		make("div", {className: "wide", tabIndex: 0, role: "group", "aria-label": label},
			make("table", null, make("thead", null, make("tr", null, ...heads)), body)),
		make("p", {className: "tools"}, count, more,
			button("Copy", async () => {
				try {
					await navigator.clipboard.writeText(plain({...table, rows}));
					announce("The rows are copied.");
				} catch {
					announce("The browser does not allow copying.");
				}
			}),
			button("CSV", () => save("rows.csv", csv({...table, rows})))));
}
