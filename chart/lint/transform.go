package lint

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/usertext"
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

// A transform is one transform of a view.
type transform struct {
	*linter
	o       object
	kind    string
	path    string
	scope   *scope // before the transform
	groupby []string
}

// transform checks one transform, and returns the scope after it.
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
	t := &transform{linter: l, o: o, path: path, scope: sc}
	for _, name := range slices.Sorted(maps.Keys(transformKeys)) {
		// window and pivot have properties with the names of other transforms.
		if hasKey(o, name) && (t.kind == "" || !slices.Contains(transformKeys[t.kind], name)) {
			t.kind = name
		}
	}
	if t.kind == "" {
		l.report(vegalite.UnknownWord(path, "transform", firstKey(o), slices.Sorted(maps.Keys(transformKeys))))
		return sc
	}
	t.common()
	switch t.kind {
	case "density", "regression", "loess", "quantile", "impute", "pivot":
		return t.model()
	}
	return t.rows()
}

// common checks the properties that several transforms have.
func (t *transform) common() {
	for _, key := range slices.Sorted(maps.Keys(t.o)) {
		at := pointer(t.path, key)
		if !t.word(at, "property of "+t.kind, key, transformKeys[t.kind]) {
			continue
		}
		switch key {
		case "filter", "aggregate", "joinaggregate", "window", "bin", "timeUnit", "fold", "sort", "field", "groupby":
		case "as":
			t.made(t.o[key], at)
		default:
			if !t.runs(at, t.o[key]) {
				t.member(at, key, t.o[key])
			}
		}
	}
	t.groupby = t.names(t.o["groupby"], t.path+"/groupby", t.scope)
	if list, ok := t.o["sort"].([]any); ok {
		for i, e := range list {
			t.sort(e, item(t.path+"/sort", i), t.scope)
		}
	}
}

// named returns the field that a property names.
func (t *transform) named(key string) *field {
	s, ok := t.o[key].(string)
	if !ok {
		t.fault(ErrMalformed, pointer(t.path, key), "it has to be the name of a field")
		return nil
	}
	f, _ := t.field(s, pointer(t.path, key), t.scope)
	return f
}

// measured returns the field that a property names, which must have numbers.
func (t *transform) measured(key string) *field {
	f := t.named(key)
	switch {
	case f == nil:
	case isNumber(f):
		t.use(f, use{number: true})
	default:
		t.misread(pointer(t.path, key), f, vegalite.Quantitative)
	}
	return f
}

// as returns the names of the new fields; usual are the defaults.
func (t *transform) as(usual ...string) []string {
	switch v := t.o["as"].(type) {
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

// groups returns channels that divide rows as the groups of the transform do.
func (t *transform) groups() object {
	var fields []any
	for _, name := range t.groupby {
		fields = append(fields, object{"field": name})
	}
	return object{"x": fields}
}

// rows checks the transforms that select, group or extend rows.
func (t *transform) rows() *scope {
	v, at := t.o[t.kind], pointer(t.path, t.kind)
	switch t.kind {
	case "filter":
		t.predicate(v, at, t.scope)
		t.note(t.texts.Filtered)
		return t.filter(v, at, t.scope)
	case "sample":
		t.between(at, v, 1, math.MaxInt32)
		t.note(usertext.Fill(t.texts.Sampled, "n", fmt.Sprint(v)))
		out := t.scope.remade()
		out.filtered = true
		return out
	case "aggregate":
		return t.operations(v, at, aggregateOps, t.scope.grouped(t.groupby))
	case "joinaggregate":
		return t.operations(v, at, aggregateOps, t.scope)
	case "window":
		return t.operations(v, at, slices.Concat(aggregateOps, windowOps), t.scope)
	case "bin":
		f := t.measured("field")
		if b, ok := v.(object); ok {
			t.bins(b, at, f)
		} else if v != true {
			t.fault(ErrMalformed, at, "it has to be true or an object")
		}
		made := t.as("bin", "")
		if made[1] == "" {
			made[1] = made[0] + "_end"
		}
		return t.scope.with(made)
	case "timeUnit":
		t.timeUnit(v, at)
		if f := t.named("field"); f != nil {
			t.use(f, use{time: true})
			if !isDate(f) {
				t.misread(t.path+"/field", f, vegalite.Temporal)
			}
		}
		return t.scope.with(t.as("timeUnit"))
	case "stack":
		if f := t.measured(t.kind); f != nil {
			t.addsUp(&measured{channel: object{"stack": t.o["offset"]}, field: f, stacked: true, others: t.groups(), rows: t.scope}, at)
		}
		return t.scope.with(t.as("stack_start", "stack_end"))
	}
	folded := t.names(v, at, t.scope)
	out := t.scope.remade().with(t.as("key", "value"))
	out.rows *= float64(max(1, len(folded)))
	return out
}

// model checks the transforms that compute rows of their own.
func (t *transform) model() *scope {
	out := t.scope.remade().only(t.groupby)
	switch t.kind {
	case "density":
		t.measured(t.kind)
		out = out.with(t.as("value", "density"))
		out.rows = 200
		for _, key := range []string{"steps", "maxsteps", "minsteps"} {
			if t.o[key] != nil {
				t.between(pointer(t.path, key), t.o[key], 1, 1000)
				n, _ := number(t.o[key])
				out.rows = max(out.rows, n)
			}
		}
		if len(t.groupby) > 0 {
			out.rows *= float64(t.scope.groups(t.groupby))
		}
	case "regression", "loess":
		t.measured(t.kind)
		t.measured("on")
		if t.o["order"] != nil {
			t.between(t.path+"/order", t.o["order"], 0, 10)
		}
		x, _ := t.o["on"].(string)
		y, _ := t.o[t.kind].(string)
		made := t.as(x, y)
		if t.o["params"] == true {
			made = append(made, "coef", "rSquared")
		}
		out = out.with(made)
		out.rows = t.scope.rows * 10
	case "quantile":
		t.measured(t.kind)
		if t.o["step"] != nil {
			t.between(t.path+"/step", t.o["step"], 1e-3, 1)
		}
		out = out.with(t.as("prob", "value"))
		out.rows = 1000 * float64(t.scope.groups(t.groupby))
	case "impute":
		t.named(t.kind)
		t.note(t.texts.FilledIn)
		n := t.scope.rows
		if key := t.named("key"); key != nil {
			n = float64(key.distinct)
		}
		n += keys(t.o["keyvals"])
		all := *t.scope
		all.kept, all.changed = nil, true
		out = &all
		out.rows = max(t.scope.rows, n*float64(t.scope.groups(t.groupby)))
	default: // pivot
		t.named(t.kind)
		t.named("value")
		if s, ok := t.o["op"].(string); ok {
			t.word(t.path+"/op", "aggregate", s, aggregateOps)
		}
		if n, ok := number(t.o["limit"]); ok && n > 0 {
			t.note(usertext.Fill(t.texts.MadeColumns, "n", fmt.Sprint(t.o["limit"])))
		}
		out.open, out.kept = true, nil
	}
	return out
}

const unsafeName = "names with quotes, backslashes or control characters, and names of every JavaScript object, " +
	"such as constructor, cannot be drawn"

// made checks the names of new fields, which become part of expressions.
func (l *linter) made(v any, path string) {
	for _, e := range listOf(v) {
		if name, _ := e.(string); vegalite.IsInherited(name) || strings.ContainsFunc(name, vegalite.IsUnsafe) {
			l.fault(ErrUnsupported, path, unsafeName)
		}
	}
}
