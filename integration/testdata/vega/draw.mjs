// Reads a list of Vega-Lite specs, and writes for each the picture as SVG, and
// what Vega-Lite and Vega warn of.
import {readFileSync} from "node:fs";
import * as vega from "vega";
import * as vegaLite from "vega-lite";

const out = [];
for (const spec of JSON.parse(readFileSync(0, "utf8"))) {
	const drawn = {SVG: "", Warnings: [], Error: ""};
	const warn = (...args) => { drawn.Warnings.push(args.join(" ")); return logger; };
	const logger = {level: () => logger, error: warn, warn, info: () => logger, debug: () => logger};
	try {
		const runtime = vega.parse(vegaLite.compile(spec, {logger}).spec);
		const view = new vega.View(runtime, {renderer: "none", logger});
		drawn.SVG = await view.toSVG();
		view.finalize();
	} catch (e) {
		drawn.Error = String(e);
	}
	out.push(drawn);
}
process.stdout.write(JSON.stringify(out));
