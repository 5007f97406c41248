"use strict";
(() => {
	const house = HOUSE_STYLE;
	const theme = dark => {
		const [text, line, grid] = dark ? ["#e6e6e6", "#8a8a8a", "#3a3a3a"] : ["#1f2328", "#8a8a8a", "#e4e4e4"];
		return {
			background: "transparent",
			title: {color: text, subtitleColor: text},
			axis: {labelColor: text, titleColor: text, domainColor: line, tickColor: line, gridColor: grid},
			legend: {labelColor: text, titleColor: text},
			header: {labelColor: text, titleColor: text},
			text: {color: text}, rule: {color: text}, tick: {color: text},
			boxplot: {rule: {color: text}},
			errorbar: {color: text},
		};
	};
	const refuse = () => Promise.reject(new Error("a chart loads nothing"));
	const loader = {load: refuse, sanitize: refuse, http: refuse, file: refuse};
	const dark = matchMedia("(prefers-color-scheme: dark)");
	const views = new Map();

	const draw = async figure => {
		const chart = figure.querySelector(".chart");
		try {
			const spec = JSON.parse(figure.querySelector("script").textContent);
			if (spec.autosize?.type === "fit-x") {
				spec.width = "container";
			}
			const config = vega.mergeConfig({}, house, theme(dark.matches));
			const runtime = vega.parse(vegaLite.compile(spec, {config}).spec, null, {ast: true});
			views.get(figure)?.finalize();
			const view = new vega.View(runtime, {
				expr: expressionInterpreter, renderer: "svg", container: chart, hover: true, loader, logLevel: vega.Warn,
			});
			views.set(figure, view);
			await view.runAsync();
		} catch (e) {
			chart.textContent = chart.dataset.failed;
			console.error(e);
		}
	};
	const all = () => Promise.all([...document.querySelectorAll("figure")].map(draw));
	globalThis.drawChart = draw;
	dark.addEventListener("change", all);
	all().then(() => { document.documentElement.dataset.drawn = "true"; });
})();
