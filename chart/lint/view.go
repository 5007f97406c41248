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
	if v["spec"] == nil {
		l.shown++
	}
	if l.shown > maxViews {
		l.fault(ErrTooLarge, path, "it draws more than %d views", maxViews)
		return
	}
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
		l.composed(v, path, &within)
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

// repeated returns the copy of a view that draws the chosen fields, which it names as
// {"repeat": key}.
func repeated(v any, chosen map[string]string) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, e := range v {
			list[i] = repeated(e, chosen)
		}
		return list
	case object:
		key, _ := v["repeat"].(string)
		if name, ok := chosen[key]; ok && len(v) == 1 {
			return name
		}
		o := make(object, len(v))
		for k, e := range v {
			o[k] = repeated(e, chosen)
		}
		return o
	}
	return v
}

// composed checks a view that is repeated for each value of a field, or for each of
// several fields.
func (l *linter) composed(v object, path string, sc *scope) {
	inner, _ := v["spec"].(object)
	if facet, ok := v["facet"].(object); ok {
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
		return
	}
	repeat, ok := v["repeat"].(object)
	if !ok {
		repeat = object{"repeat": v["repeat"]}
	}
	keys, copies := slices.Sorted(maps.Keys(repeat)), 1
	for _, key := range keys {
		at := path + "/repeat"
		if ok {
			at = pointer(at, key)
		}
		names := textsOf(repeat[key])
		for i, name := range names {
			l.field(name, item(at, i), sc)
		}
		if copies *= len(names); copies > maxViews {
			l.fault(ErrTooLarge, path+"/repeat", "it makes %d views, and at most %d are allowed", copies, maxViews)
			return
		}
	}
	for i, found := 0, len(l.problems); i < copies && len(l.problems) == found; i++ {
		chosen, rest := map[string]string{}, i
		for _, key := range keys {
			names := textsOf(repeat[key])
			chosen[key] = names[rest%len(names)]
			rest /= len(names)
		}
		l.view(repeated(inner, chosen).(object), path+"/spec", sc)
	}
}
