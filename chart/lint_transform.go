package chart

import (
	"maps"
	"math"
	"slices"
	"strings"
)

const (
	maxTransforms = 30
	maxMadeRows   = 200_000 // that transforms may make
)

// transforms checks what becomes of the rows before they are drawn, and returns the fields
// that they have then.
func (l *linter) transforms(v any, path string, sc *scope) *scope {
	if v == nil {
		return sc
	}
	if list, ok := v.([]any); ok && len(list) > maxTransforms {
		l.fault(TooLarge, path, "there are more than %d transforms", maxTransforms)
		return sc
	}
	if list, ok := v.([]any); ok && len(list) == 0 {
		return sc
	}
	l.each(v, path, func(o object, at string) {
		sc = l.transform(o, at, sc)
		if sc.rows > maxMadeRows {
			l.fault(TooLarge, at, "it could make more than %d rows", maxMadeRows)
			sc.rows = 0
		}
	})
	return sc
}

// The properties of each transform that is supported, by the one that names it.
var transformKeys = map[string][]string{
	"filter":        words("filter"),
	"aggregate":     words("aggregate groupby"),
	"joinaggregate": words("joinaggregate groupby"),
	"window":        words("window groupby sort frame ignorePeers"),
	"bin":           words("bin field as"),
	"timeUnit":      words("timeUnit field as"),
	"stack":         words("stack groupby sort offset as"),
	"fold":          words("fold as"),
	"density":       words("density groupby cumulative counts bandwidth extent minsteps maxsteps steps resolve as"),
	"regression":    words("regression on groupby method order extent params as"),
	"loess":         words("loess on groupby bandwidth as"),
	"quantile":      words("quantile groupby probs step as"),
	"impute":        words("impute key groupby keyvals method value frame"),
	"pivot":         words("pivot value groupby limit op"),
	"sample":        words("sample"),
}

// refusedTransforms are those that are not supported, with what says so.
var refusedTransforms = map[string]Problem{
	"calculate": {Code: Expression, Message: "expressions are not run: have the query compute the value"},
	"lookup":    {Code: ForeignData, Message: "the rows are all there is to draw: have the query join them"},
	"extent":    {Code: Unsupported, Message: "its parameter is of use in expressions only, which are not run"},
	"flatten":   {Code: Unsupported, Message: "rows have no lists"},
}

const filledIn = "Gaps are filled with values that the rows do not have."

func (l *linter) transform(o object, path string, sc *scope) *scope {
	for _, name := range slices.Sorted(maps.Keys(refusedTransforms)) {
		if p := refusedTransforms[name]; hasKey(o, name) {
			p.Path = pointer(path, name)
			l.report(p)
			// What follows may use what it would have made.
			out := sc.with(nil)
			out.open = true
			return out
		}
	}
	kind := ""
	for _, name := range slices.Sorted(maps.Keys(transformKeys)) {
		// window and pivot have keys that others are named after
		if hasKey(o, name) && (kind == "" || !slices.Contains(transformKeys[kind], name)) {
			kind = name
		}
	}
	if kind == "" {
		l.report(Problem{Code: UnknownName, Path: path, Message: "there is no such transform", Candidates: similar(firstKey(o), slices.Sorted(maps.Keys(transformKeys)))})
		return sc
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, key)
		if !l.word(at, "property of "+kind, key, transformKeys[kind]) {
			continue
		}
		switch key {
		case "filter", "aggregate", "joinaggregate", "window", "bin", "timeUnit", "fold", "sort", "field", "groupby":
		case "as":
			l.made(o[key], at)
		default:
			if !l.runs(at, o[key]) {
				l.member(at, key, o[key])
			}
		}
	}
	groupby := l.names(o["groupby"], path+"/groupby", sc)
	if list, ok := o["sort"].([]any); ok {
		for i, e := range list {
			l.sort(e, item(path+"/sort", i), sc)
		}
	}
	one := func(key string) *column {
		s, ok := o[key].(string)
		if !ok {
			l.fault(Malformed, pointer(path, key), "it is the name of a field")
			return nil
		}
		col, _ := l.field(s, pointer(path, key), sc)
		return col
	}
	measured := func(key string) {
		if col := one(key); col != nil && !numberLike(col) {
			l.misread(pointer(path, key), col, quantitative)
		}
	}
	as := func(usual ...string) []string {
		switch v := o["as"].(type) {
		case string:
			return append([]string{v}, usual[1:]...)
		case []any:
			for i, e := range v {
				if s, ok := e.(string); ok && i < len(usual) {
					usual[i] = s
				}
			}
		}
		return usual
	}
	switch kind {
	case "filter":
		l.predicate(o[kind], path+"/filter", sc)
		l.note("Rows that a filter of the chart leaves out are not drawn.")
		out := *sc
		out.filtered = true
		return &out
	case "sample":
		l.between(path+"/sample", o[kind], 0, math.MaxInt32)
		l.note("A sample of at most %v rows is drawn, which a browser takes anew each time.", o[kind])
		out := *sc
		out.filtered = true
		return &out
	case "aggregate":
		return sc.only(groupby).with(l.operations(o[kind], path+"/aggregate", sc, aggregateOps))
	case "joinaggregate":
		return sc.with(l.operations(o[kind], path+"/joinaggregate", sc, aggregateOps))
	case "window":
		return sc.with(l.operations(o[kind], path+"/window", sc, slices.Concat(aggregateOps, windowOps)))
	case "bin":
		col := one("field")
		if col != nil && !numberLike(col) {
			l.misread(path+"/field", col, quantitative)
		}
		if b, ok := o[kind].(object); ok {
			l.bins(b, path+"/bin", col)
		} else if o[kind] != true {
			l.fault(Malformed, path+"/bin", "it is true or an object")
		}
		start := as("bin", "")
		if start[1] == "" {
			start[1] = start[0] + "_end"
		}
		return sc.with(start)
	case "timeUnit":
		l.timeUnit(o[kind], path+"/timeUnit")
		if col := one("field"); col != nil {
			l.dated[col.name] = true
			if !dateLike(col) {
				l.misread(path+"/field", col, temporal)
			}
		}
		return sc.with(as("timeUnit"))
	case "stack":
		measured(kind)
		return sc.with(as("stack_start", "stack_end"))
	case "fold":
		names := l.names(o[kind], path+"/fold", sc)
		out := sc.with(as("key", "value"))
		out.rows *= float64(max(1, len(names)))
		return out
	case "density":
		measured(kind)
		steps := 200.0
		for _, key := range []string{"steps", "maxsteps", "minsteps"} {
			if o[key] != nil {
				l.between(pointer(path, key), o[key], 1, 1000)
				n, _ := number(o[key])
				steps = max(steps, n)
			}
		}
		out := sc.only(groupby).with(as("value", "density"))
		out.rows = steps
		if len(groupby) > 0 {
			out.rows *= float64(sc.groups(groupby))
		}
		return out
	case "regression", "loess":
		measured(kind)
		measured("on")
		if o["order"] != nil {
			l.between(path+"/order", o["order"], 0, 10)
		}
		x, _ := o["on"].(string)
		y, _ := o[kind].(string)
		made := as(x, y)
		if o["params"] == true {
			made = append(made, "coef", "rSquared")
		}
		out := sc.only(groupby).with(made)
		out.rows = sc.rows * 10
		return out
	case "quantile":
		measured(kind)
		if o["step"] != nil {
			l.between(path+"/step", o["step"], 1e-3, 1)
		}
		out := sc.only(groupby).with(as("prob", "value"))
		out.rows = 1000 * float64(sc.groups(groupby))
		return out
	case "impute":
		one(kind)
		l.note(filledIn)
		key := one("key")
		n := sc.rows
		if key != nil {
			n = float64(key.distinct)
		}
		n += keys(o["keyvals"])
		out := *sc
		out.rows = max(sc.rows, n*float64(sc.groups(groupby)))
		return &out
	default: // pivot
		one(kind)
		one("value")
		if s, ok := o["op"].(string); ok {
			l.word(path+"/op", "aggregate", s, aggregateOps)
		}
		if n, ok := number(o["limit"]); ok && n > 0 {
			l.note("At most %v of the columns that the chart makes of values are drawn.", o["limit"])
		}
		out := sc.only(groupby)
		out.open = true
		return out
	}
}

// made checks the names of new fields, which become part of expressions.
func (l *linter) made(v any, path string) {
	list, several := v.([]any)
	if !several {
		list = []any{v}
	}
	for _, e := range list {
		if name, _ := e.(string); inherited[name] || strings.ContainsFunc(name, unsafeInName) {
			l.fault(Unsupported, path, "a name with quotes, backslashes or control characters, or one that every object has, such as constructor, cannot be drawn")
		}
	}
}
