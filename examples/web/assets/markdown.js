// Markdown as elements. A text can make headings, lists, tables, code and links, and
// nothing else: HTML stays text, and an image is its description.
import {code, make} from "./dom.js";

// Marks around the values of a text that have a proof. They are private characters,
// which are removed from the text itself.
const begin = "\uE000", middle = "\uE001", end = "\uE002";
const marks = /[\uE000-\uE002]/g;

/** marked returns a text with marks around its figures, whose offsets are in bytes. */
function marked(text, figures) {
	const bytes = new TextEncoder().encode(text), decoder = new TextDecoder();
	const part = (from, to) => decoder.decode(bytes.subarray(from, to)).replace(marks, "");
	let out = "", at = 0;
	figures.map((figure, index) => ({...figure, index})).sort((a, b) => a.offset - b.offset).forEach(f => {
		const stop = f.offset + new TextEncoder().encode(f.text).length;
		if (f.offset < at || part(f.offset, stop) !== f.text) return;
		out += part(at, f.offset) + begin + f.index + middle + f.text + end;
		at = stop;
	});
	return out + part(at, bytes.length);
}

/**
 * render returns a text as elements. Options: figures, with proof(index) for a click;
 * citations, the number of sources, with cite(number); chart(id), an element or null.
 */
export function render(text, options = {}) {
	const out = document.createDocumentFragment();
	blocks(marked(text, options.figures ?? []).replace(/\r\n?/g, "\n").split("\n"), out, {...options, headings: []}, 0);
	return out;
}

const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
const maxDepth = 8;

function blocks(lines, parent, options, depth) {
	const block = line => /^(#{1,6} |```|~~~|>|\s*\|.*\|)/.test(line) || item.test(line) || /^ {0,3}([-*_])( *\1){2,} *$/.test(line);
	for (let i = 0; i < lines.length;) {
		const line = lines[i];
		let found;
		if (!line.trim()) {
			i++;
		} else if ((found = /^(```|~~~)/.exec(line))) {
			let stop = i + 1;
			while (stop < lines.length && !lines[stop].startsWith(found[1])) stop++;
			parent.append(code(plain(lines.slice(i + 1, stop).join("\n")), "Code"));
			i = stop + 1;
		} else if ((found = /^(#{1,6}) +(.*?)#*$/.exec(line))) {
			// The page has the first two levels of headings. A text may begin with any level.
			const above = options.headings = options.headings.filter(level => level < found[1].length);
			above.push(found[1].length);
			parent.append(inline(make("h" + Math.min(above.length + 2, 6)), found[2], options));
			i++;
		} else if (/^ {0,3}([-*_])( *\1){2,} *$/.test(line)) {
			parent.append(make("hr"));
			i++;
		} else if (line.startsWith(">")) {
			let stop = i;
			while (stop < lines.length && lines[stop].startsWith(">")) stop++;
			const quote = make("blockquote");
			const inner = lines.slice(i, stop).map(l => l.replace(/^> ?/, ""));
			if (depth < maxDepth) blocks(inner, quote, options, depth + 1);
			else quote.textContent = plain(inner.join("\n"));
			parent.append(quote);
			i = stop;
		} else if (line.includes("|") && /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/.test(lines[i + 1] ?? "")) {
			let stop = i + 2;
			while (stop < lines.length && lines[stop].includes("|")) stop++;
			parent.append(table(lines.slice(i, stop), options));
			i = stop;
		} else if (item.test(line)) {
			i = list(lines, i, parent, options, depth);
		} else {
			let stop = i + 1;
			while (stop < lines.length && lines[stop].trim() && !block(lines[stop])) stop++;
			const text = lines.slice(i, stop).join("\n");
			const image = /^!\[[^\]]*\]\(chart:([\w-]+)\)$/.exec(text.trim());
			const chart = image && options.chart?.(image[1]);
			parent.append(chart || inline(make("p"), text, options));
			i = stop;
		}
	}
}

function list(lines, i, parent, options, depth) {
	const [, indent, mark] = item.exec(lines[i]);
	const ordered = /\d/.test(mark);
	const all = ordered ? make("ol", {start: parseInt(mark, 10)}) : make("ul");
	while (i < lines.length) {
		const found = item.exec(lines[i]);
		if (!found || found[1].length !== indent.length || /\d/.test(found[2]) !== ordered) break;
		const inner = [];
		for (i++; i < lines.length; i++) {
			if (!lines[i].trim()) {
				if (!/^\s/.test(lines[i + 1] ?? "")) break;
			} else if (/^\s*/.exec(lines[i])[0].length <= indent.length) {
				break;
			}
			inner.push(lines[i].trimStart() === lines[i] ? lines[i] : lines[i].slice(indent.length + 2));
		}
		const entry = inline(make("li"), found[3], options);
		if (depth < maxDepth) blocks(inner, entry, options, depth + 1);
		else entry.append(plain(inner.join("\n")));
		all.append(entry);
		while (i + 1 < lines.length && !lines[i].trim() && item.test(lines[i + 1])) i++;
	}
	parent.append(all);
	return i;
}

function table(lines, options) {
	const cells = line => line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map(c => c.trim().replace(/\\\|/g, "|"));
	const align = cells(lines[1]).map(c => c.endsWith(":") ? (c.startsWith(":") ? "center" : "right") : "left");
	const row = (tag, line) => make("tr", null, ...cells(line).map((c, i) =>
		inline(make(tag, {className: align[i] ?? "left"}), c, options)));
	const head = make("thead", null, row("th", lines[0]));
	for (const cell of head.querySelectorAll("th")) cell.scope = "col";
	const body = make("tbody", null, ...lines.slice(2).map(line => row("td", line)));
	return make("div", {className: "wide", tabIndex: 0, role: "group", "aria-label": "Table"}, make("table", null, head, body));
}

const plain = text => text.replace(/\uE000\d+\uE001/g, "").replace(marks, "");

const spans = new RegExp([
	begin + "(\\d+)" + middle + "([^" + end + "]*)" + end, // a figure
	"`([^`]+)`",
	"\\*\\*(\\S(?:[^*]*\\S)?)\\*\\*",
	"(?<![\\w*])\\*(\\S(?:[^*]*[^\\s*])?)\\*(?![\\w*])",
	"(!?)\\[([^\\[\\]]*)\\]\\(([^()\\s]*)\\)", // a link or an image
	"\\[(\\d{1,3})\\]", // a source
].join("|"), "g");

/** inline appends a line of text to an element, and returns the element. */
function inline(parent, text, options) {
	let at = 0;
	for (const found of text.matchAll(spans)) {
		const [all, index, value, code, strong, em, image, label, target, source] = found;
		parent.append(plain(text.slice(at, found.index)));
		at = found.index + all.length;
		if (index !== undefined) {
			parent.append(make("button", {
				type: "button", className: "figure", textContent: value, title: "Where this comes from",
				onclick: () => options.proof?.(Number(index)),
			}));
		} else if (code !== undefined) {
			parent.append(make("code", {textContent: plain(code)}));
		} else if (strong !== undefined) {
			parent.append(inline(make("strong"), strong, options));
		} else if (em !== undefined) {
			parent.append(inline(make("em"), em, options));
		} else if (source !== undefined) {
			const known = Number(source) >= 1 && Number(source) <= (options.citations ?? 0);
			parent.append(known ? make("button", {
				type: "button", className: "figure", textContent: all, title: "Show the source",
				onclick: () => options.cite(Number(source)),
			}) : all);
		} else {
			parent.append(image ? plain(label) : link(plain(label), plain(target)));
		}
	}
	parent.append(plain(text.slice(at)));
	return parent;
}

/** link returns a link that shows its host, or its text if it is no web address. */
function link(label, target) {
	let url;
	try { url = new URL(target); } catch { return label; }
	if (url.protocol !== "https:" && url.protocol !== "http:") return label;
	return make("a", {href: url.href, rel: "noopener noreferrer nofollow", target: "_blank"},
		label || url.href, make("span", {className: "host", textContent: " (" + url.host + ")"}));
}
