// Charts by Vega-Lite, which is loaded when the first one is shown.
import {code, details, make, print} from "./dom.js";

let library;
const load = () => library ??= new Promise((resolve, reject) => {
	document.head.append(make("script", {src: "charts.js", onload: resolve, onerror: () => {
		library = undefined;
		reject(new Error("The charts cannot be loaded."));
	}}));
});

/** show returns a chart as an element. Its query may be empty. */
export function show(title, spec, query) {
	const failed = "This chart could not be drawn.";
	const figure = make("figure", {"aria-label": title || "Chart"},
		make("div", {className: "chart", "data-failed": failed}),
		make("script", {type: "application/json", textContent: print(spec)}),
		query ? make("figcaption", null, details("Query of the chart", code(query, "Query of the chart"))) : null);
	const place = make("div", {className: "wide", tabIndex: 0, role: "group", "aria-label": "Chart " + title});
	// The figure is added when the library is there, which draws the figures it finds.
	load().then(async () => {
		place.append(figure);
		await globalThis.drawChart(figure);
		// A chart that is not drawn anew for a narrow window shrinks, as long as it can be read.
		if (spec.autosize?.type !== "fit-x") figure.style.setProperty("--least", 0.6 * figure.querySelector("svg")?.getAttribute("width") + "px");
	})
		.catch(() => { place.textContent = failed; });
	return place;
}
