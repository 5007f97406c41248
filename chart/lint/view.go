package lint

import (
	"maps"
	"regexp"
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

var (
	makers      = words("mark layer hconcat vconcat concat spec")
	schemaNames = regexp.MustCompile(`^https?://vega\.github\.io/schema/vega-lite/v[456](\.\d+)*\.json#?$`)
)

// declare collects the names of all parameters, because views use those of others.
func (l *linter) declare(v any) {
	for _, e := range listOf(v) {
		o, _ := e.(object)
		for key, e := range o {
			for _, p := range listOf(e) {
				param, _ := p.(object)
				if name, ok := param["name"].(string); ok && key == "params" {
					l.params[name] = true
				}
			}
			if key != "data" && o[key] != nil {
				l.declare(e)
			}
		}
	}
}

// view checks what a view and the views in it show of the rows. The schema of Vega-Lite
// allows the view.
func (l *linter) view(v object, path string, sc *scope) {
	around := sc.encoding
	sc = l.transforms(v["transform"], path+"/transform", sc)
	l.selections(v["params"], path+"/params", sc)
	within := *sc
	within.encoding = maps.Clone(around)
	if within.encoding == nil {
		within.encoding = object{}
	}
	if enc, ok := v["encoding"].(object); ok {
		l.encoding(enc, path+"/encoding", sc, vegalite.MarkName(v["mark"]))
		maps.Copy(within.encoding, enc)
	}
	switch {
	case v["mark"] != nil:
		l.sense(within.encoding, path+"/encoding", v["mark"], sc)
	case v["spec"] != nil:
		l.faceted(v, path, &within)
	default:
		within.shared = sharedScales(v, path)
		for _, key := range words("layer hconcat vconcat concat") {
			l.each(v[key], path+"/"+key, func(o object, at string) { l.view(o, at, &within) })
		}
	}
}

// selections checks the fields of the parameters of a view, which a reader sets with the mouse.
func (l *linter) selections(v any, path string, sc *scope) {
	l.each(v, path, func(o object, at string) {
		s, _ := o["select"].(object)
		for i, name := range textsOf(s["fields"]) {
			l.field(name, item(at+"/select/fields", i), sc)
		}
	})
}

// sharedScales returns the scales that layers give to each other.
func sharedScales(v object, path string) map[string]sharedScale {
	shared := map[string]sharedScale{}
	resolve, _ := v["resolve"].(object)
	of, _ := resolve["scale"].(object)
	for i, e := range listOf(v["layer"]) {
		layer, _ := e.(object)
		encoding, _ := layer["encoding"].(object)
		for _, name := range words("x y") {
			c, _ := encoding[name].(object)
			if scale, ok := c["scale"].(object); ok && of[name] != "independent" {
				shared[name] = sharedScale{scale, item(path+"/layer", i) + "/encoding/" + name}
			}
		}
	}
	return shared
}

// faceted checks a view that is drawn for each value of a field.
func (l *linter) faceted(v object, path string, sc *scope) {
	facet, _ := v["facet"].(object)
	inner, _ := v["spec"].(object)
	channels, at := facet, path+"/facet"
	if facet["row"] == nil && facet["column"] == nil {
		channels, at = object{"facet": facet}, path
	}
	l.cells(channels, at, sc)
	for _, key := range slices.Sorted(maps.Keys(channels)) {
		l.channel(channels[key], pointer(at, key), key, sc, "")
		sc.encoding[key] = channels[key]
	}
	l.view(inner, path+"/spec", sc)
}
