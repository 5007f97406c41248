package lint

import (
	"maps"
	"regexp"
	"slices"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

var (
	topKeys  = words("$schema autosize padding usermeta datasets")
	viewKeys = words(`name title description data transform params projection resolve width height view mark encoding layer
		hconcat vconcat concat facet repeat spec align bounds center spacing columns`)
	makers      = words("mark layer hconcat vconcat concat spec")
	schemaNames = regexp.MustCompile(`^https?://vega\.github\.io/schema/vega-lite/v[456](\.\d+)*\.json#?$`)
)

const (
	maxViews     = 50
	maxViewDepth = 8
)

// top checks the properties that only the top level has.
func (l *linter) top(root object) {
	if v, ok := root["$schema"]; ok {
		if s, ok := v.(string); !ok || !schemaNames.MatchString(s) {
			l.fault(ErrUnsupported, "/$schema", "it is not Vega-Lite 4 to 6: write %s", vegalite.Schema)
		}
	}
	for _, key := range []string{"usermeta", "datasets"} {
		if _, ok := root[key]; ok {
			code, why := ErrExternal, "it changes how a page embeds the chart: leave it out"
			if key == "datasets" {
				code, why = ErrForeignData, "a chart shows the given rows only: leave it out"
			}
			l.fault(code, "/"+key, "%s", why)
		}
	}
	if v, ok := root["autosize"]; ok {
		if s, isText := v.(string); isText {
			l.word("/autosize", "autosize", s, words("fit fit-x fit-y pad none"))
		} else {
			l.properties("/autosize", "AutoSizeParams", v)
		}
	}
	l.plain("/padding", root["padding"])
}

// declare collects the names of all parameters, because views use those of others.
func (l *linter) declare(v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			l.declare(e, depth+1)
		}
	case object:
		for key, e := range v {
			if list, ok := e.([]any); ok && key == "params" {
				for _, p := range list {
					if o, ok := p.(object); ok {
						if name, ok := o["name"].(string); ok {
							l.params[name] = true
						}
					}
				}
			}
			if key != "data" {
				l.declare(e, depth+1)
			}
		}
	}
}

// view checks a view and the views in it.
func (l *linter) view(v object, path string, sc *scope, depth int, top bool) {
	l.views++
	if l.views > maxViews || depth > maxViewDepth {
		if l.views == maxViews+1 || depth > maxViewDepth {
			l.fault(ErrTooLarge, path, "it has more than %d views, or more than %d levels of views", maxViews, maxViewDepth)
		}
		return
	}
	known := viewKeys
	if top {
		known = slices.Concat(topKeys, viewKeys)
	}
	made := 0
	for _, key := range slices.Sorted(maps.Keys(v)) {
		at := pointer(path, key)
		switch {
		case key == "selection":
			l.fault(ErrUnsupported, at, "write params, as in Vega-Lite 5 and 6")
		case !slices.Contains(known, key):
			l.report(vegalite.UnknownWord(at, "property", key, known))
		case slices.Contains(makers, key):
			made++
		}
	}
	if made != 1 {
		l.fault(ErrMalformed, path,
			"a view needs exactly one of mark, layer, hconcat, vconcat, concat, or spec with facet or repeat; this one has %d",
			made)
		return
	}
	around := sc.encoding
	l.data(v, path)
	if v["transform"] != nil {
		sc = l.transforms(v["transform"], path+"/transform", sc)
	}
	l.selections(v["params"], path+"/params", sc)
	l.frame(v, path)
	within := *sc
	within.encoding = object{}
	maps.Copy(within.encoding, around)
	if enc, ok := v["encoding"]; ok {
		l.encoding(enc, path+"/encoding", sc, vegalite.MarkName(v["mark"]))
		own, _ := enc.(object)
		maps.Copy(within.encoding, own)
	}
	switch {
	case v["mark"] != nil:
		l.sense(within.encoding, path+"/encoding", v["mark"], sc)
		l.mark(v["mark"], path+"/mark", sc)
	case v["spec"] != nil:
		l.composed(v, path, &within, depth)
	default:
		within.shared = sharedScales(v, path)
		for _, key := range words("layer hconcat vconcat concat") {
			if list, ok := v[key]; ok {
				l.each(list, path+"/"+key, func(o object, at string) { l.view(o, at, &within, depth+1, false) })
			}
		}
	}
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
func (l *linter) composed(v object, path string, sc *scope, depth int) {
	inner, ok := v["spec"].(object)
	facet, repeat := v["facet"], v["repeat"]
	if !ok || (facet == nil) == (repeat == nil) {
		l.fault(ErrMalformed, path+"/spec", "it has to be an object next to facet or repeat")
		return
	}
	if facet != nil {
		o, ok := facet.(object)
		switch {
		case !ok:
			l.fault(ErrMalformed, path+"/facet", "it has to be an object")
		case o["row"] != nil || o["column"] != nil:
			l.cells(o, path+"/facet", sc)
			for _, key := range slices.Sorted(maps.Keys(o)) {
				if !l.word(pointer(path+"/facet", key), "facet", key, words("row column")) {
					continue
				}
				l.channel(o[key], pointer(path+"/facet", key), key, sc, "")
				sc.encoding[key] = o[key]
			}
		default:
			l.channel(facet, path+"/facet", "facet", sc, "")
			sc.encoding["facet"] = facet
		}
		l.view(inner, path+"/spec", sc, depth+1, false)
		return
	}
	names := map[string][]string{}
	take := func(key string, v any, at string) {
		list, ok := v.([]any)
		if !ok || len(list) == 0 || len(list) > maxViews {
			l.fault(ErrMalformed, at, "it has to be a list of at most %d fields", maxViews)
			return
		}
		for i, f := range list {
			if s, ok := f.(string); ok {
				l.field(s, item(at, i), sc)
				names[key] = append(names[key], s)
			} else {
				l.fault(ErrMalformed, item(at, i), "it has to be the name of a field")
			}
		}
	}
	if o, ok := repeat.(object); ok {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			if at := pointer(path+"/repeat", key); l.word(at, "repeat", key, words("row column layer")) {
				take(key, o[key], at)
			}
		}
	} else {
		take("repeat", repeat, path+"/repeat")
	}
	copies := 1
	for _, list := range names {
		copies *= len(list)
	}
	if copies > maxViews {
		l.fault(ErrTooLarge, path+"/repeat", "it makes %d views, and at most %d are allowed", copies, maxViews)
		return
	}
	for i, found := 0, len(l.problems); i < copies && len(l.problems) == found; i++ {
		chosen, rest := map[string]string{}, i
		for _, key := range slices.Sorted(maps.Keys(names)) {
			chosen[key] = names[key][rest%len(names[key])]
			rest /= len(names[key])
		}
		l.view(repeated(inner, chosen).(object), path+"/spec", sc, depth+1, false)
	}
}

const maxSide = 10_000 // pixels

// frame checks the size, title and background of a view.
func (l *linter) frame(v object, path string) {
	for _, key := range []string{"width", "height"} {
		at := pointer(path, key)
		switch side := v[key].(type) {
		case nil:
		case string:
			if side != "container" {
				l.fault(ErrMalformed, at, `it is a number of pixels, "container" or {"step": pixels}`)
			}
		case object:
			for _, k := range slices.Sorted(maps.Keys(side)) {
				if l.word(pointer(at, k), "property", k, words("step for")) && k == "step" {
					l.between(pointer(at, k), side[k], 1, 1000)
				}
			}
			l.plain(at, side)
		default:
			l.between(at, side, 1, maxSide)
		}
	}
	if t, ok := v["title"].(object); ok {
		l.properties(path+"/title", "TitleParams", t)
	} else {
		l.plain(path+"/title", v["title"])
	}
	for key, definition := range map[string]string{"view": "ViewBackground", "projection": "Projection"} {
		if o, ok := v[key]; ok {
			l.properties(pointer(path, key), definition, o)
		}
	}
	for _, key := range words("name description align bounds center spacing columns resolve") {
		l.plain(pointer(path, key), v[key])
	}
}
