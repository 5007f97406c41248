package lint

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/refusal"
)

const (
	maxTransforms = 30
	maxMadeRows   = 200_000 // that transforms may make
)

// transforms checks the transforms of a view, and returns the scope after them.
func (l *linter) transforms(v any, path string, sc *scope) *scope {
	if v == nil {
		return sc
	}
	if list, ok := v.([]any); ok && len(list) > maxTransforms {
		l.fault(ErrTooLarge, path, "there are more than %d transforms", maxTransforms)
		return sc
	}
	if list, ok := v.([]any); ok && len(list) == 0 {
		return sc
	}
	l.each(v, path, func(o object, at string) {
		sc = l.transform(o, at, sc)
		if sc.rows > maxMadeRows {
			l.fault(ErrTooLarge, at, "it could make more than %d rows", maxMadeRows)
			sc.rows = 0
		}
	})
	return sc
}

// transformKeys has the properties of each supported transform, by the property
// that names it.
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

// refusedTransforms are the transforms that are not supported.
var refusedTransforms = map[string]refusal.Problem{
	"calculate": {Code: ErrExpression, Message: "expressions are not supported: compute the value in the query"},
	"lookup":    {Code: ErrForeignData, Message: "a chart shows the given rows only: join them in the query"},
	"extent":    {Code: ErrUnsupported, Message: "its parameter is used in expressions only, which are not supported"},
	"flatten":   {Code: ErrUnsupported, Message: "rows have no lists"},
}

const filledIn = "Gaps are filled with values that are not in the rows."

func (l *linter) transform(o object, path string, sc *scope) *scope {
	for _, name := range slices.Sorted(maps.Keys(refusedTransforms)) {
		if p := refusedTransforms[name]; hasKey(o, name) {
			p.Path = pointer(path, name)
			l.report(p)
			// Later transforms may use the fields that it would have made.
			out := sc.with(nil)
			out.open = true
			return out
		}
	}
	kind := ""
	for _, name := range slices.Sorted(maps.Keys(transformKeys)) {
		// window and pivot have properties with the names of other transforms.
		if hasKey(o, name) && (kind == "" || !slices.Contains(transformKeys[kind], name)) {
			kind = name
		}
	}
	if kind == "" {
		l.report(vegalite.UnknownWord(path, "transform", firstKey(o), slices.Sorted(maps.Keys(transformKeys))))
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
	one := func(key string) *field {
		s, ok := o[key].(string)
		if !ok {
			l.fault(ErrMalformed, pointer(path, key), "it has to be the name of a field")
			return nil
		}
		col, _ := l.field(s, pointer(path, key), sc)
		return col
	}
	measured := func(key string) *field {
		col := one(key)
		switch {
		case col == nil:
		case l.isNumber(col):
			l.use(col, use{number: true})
		default:
			l.misread(pointer(path, key), col, quantitative)
		}
		return col
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
		l.note("A filter of the chart leaves rows out.")
		out := *sc
		out.filtered = true
		return &out
	case "sample":
		l.between(path+"/sample", o[kind], 0, math.MaxInt32)
		l.note("A random sample of at most %v rows is drawn, a different one each time.", o[kind])
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
		col := measured("field")
		if b, ok := o[kind].(object); ok {
			l.bins(b, path+"/bin", col)
		} else if o[kind] != true {
			l.fault(ErrMalformed, path+"/bin", "it has to be true or an object")
		}
		start := as("bin", "")
		if start[1] == "" {
			start[1] = start[0] + "_end"
		}
		return sc.with(start)
	case "timeUnit":
		l.timeUnit(o[kind], path+"/timeUnit")
		if col := one("field"); col != nil {
			l.use(col, use{time: true})
			if !l.isDate(col) {
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
			l.note("At most %v of the columns that the chart makes from values are drawn.", o["limit"])
		}
		out := sc.only(groupby)
		out.open = true
		return out
	}
}

const unsafeName = "names with quotes, backslashes or control characters, and names of every JavaScript object, " +
	"such as constructor, cannot be drawn"

// made checks the names of new fields, which become part of expressions.
func (l *linter) made(v any, path string) {
	list, several := v.([]any)
	if !several {
		list = []any{v}
	}
	for _, e := range list {
		if name, _ := e.(string); vegalite.IsInherited(name) || strings.ContainsFunc(name, vegalite.IsUnsafe) {
			l.fault(ErrUnsupported, path, unsafeName)
		}
	}
}
