package lint

import (
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/lists"
)

const maxMadeRows = 200_000 // that transforms may make

// transforms checks the transforms of a view, and returns the scope after them.
func (l *linter) transforms(v any, path string, sc *scope) *scope {
	l.each(v, path, func(o object, at string) {
		sc = l.transform(o, at, sc)
		if sc.rows > maxMadeRows {
			l.fault(ErrTooLarge, at, "it could make more than %d rows", maxMadeRows)
			sc.rows = 0
		}
	})
	return sc
}

// kindOf returns the kind of a transform, or "" if it is not supported.
func kindOf(o object) string {
	for _, kind := range words("filter aggregate joinaggregate window bin timeUnit fold regression") {
		if hasKey(o, kind) {
			return kind
		}
	}
	return ""
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
	t := &transform{linter: l, o: o, kind: kindOf(o), path: path, scope: sc}
	t.made(o["as"], path+"/as")
	t.groupby = t.names(o["groupby"], path+"/groupby", sc)
	if list, ok := o["sort"].([]any); ok {
		for i, e := range list {
			t.sort(e, item(path+"/sort", i), sc)
		}
	}
	return t.rows()
}

// named returns the field that a property names.
func (t *transform) named(key string) *field {
	name, _ := t.o[key].(string)
	f, _ := t.field(name, pointer(t.path, key), t.scope)
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
	return object{"x": lists.Map(t.groupby, func(name string) any { return object{"field": name} })}
}

// rows returns the scope after a transform.
func (t *transform) rows() *scope {
	v, at := t.o[t.kind], pointer(t.path, t.kind)
	switch t.kind {
	case "filter":
		t.predicate(v, at, t.scope)
		t.note(t.texts.Filtered)
		return t.filter(v, at, t.scope)
	case "aggregate":
		return t.operations(v, at, t.scope.grouped(t.groupby))
	case "joinaggregate", "window":
		return t.operations(v, at, t.scope)
	case "bin":
		f := t.measured("field")
		if b, ok := v.(object); ok {
			t.bins(b, at, f)
		}
		made := t.as("bin", "")
		if made[1] == "" {
			made[1] = made[0] + "_end"
		}
		return t.scope.with(made)
	case "timeUnit":
		if f := t.named("field"); f != nil {
			t.use(f, use{time: true})
			if !isDate(f) {
				t.misread(t.path+"/field", f, vegalite.Temporal)
			}
		}
		return t.scope.with(t.as("timeUnit"))
	case "regression":
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
		out := t.scope.remade().only(t.groupby).with(made)
		out.rows = t.scope.rows * 10
		return out
	}
	folded := t.names(v, at, t.scope)
	out := t.scope.remade().with(t.as("key", "value"))
	out.rows *= float64(max(1, len(folded)))
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
