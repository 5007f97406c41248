package lint

import (
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

// predicate checks a condition on rows.
func (l *linter) predicate(v any, path string, sc *scope) {
	switch v := v.(type) {
	case string:
		l.fault(ErrExpression, path, "expressions are not supported: write an object, such as {\"field\": ..., \"gt\": ...}")
	case object:
		l.test(v, path, sc)
	default:
		l.fault(ErrMalformed, path, "it has to be an object, such as {\"field\": ..., \"gt\": ...}")
	}
}

// comparable refuses numbers in a condition on values that are written as texts. A browser
// finds no number equal to a text.
func (l *linter) comparable(o object, path string, col *field) {
	if col == nil || !slices.ContainsFunc(col.cells, rounded) {
		return
	}
	for _, key := range words("equal oneOf") {
		if slices.ContainsFunc(listOf(o[key]), func(v any) bool { _, ok := number(v); return ok }) {
			l.fault(ErrFieldType, pointer(path, key), "%s has numbers that a browser would round, so they are written as texts: "+
				`compare with texts, such as "%v"`, vegalite.Quoted(col.name), col.cells[0])
		}
	}
}

// comparing are the keys of a condition that compare a field.
var comparing = words("equal lt lte gt gte range oneOf valid")

func (l *linter) test(o object, path string, sc *scope) {
	if hasKey(o, "field") && !slices.ContainsFunc(comparing, func(key string) bool { return hasKey(o, key) }) {
		l.fault(ErrMalformed, path, "it compares the field with nothing: it needs %s", strings.Join(comparing, " or "))
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, key)
		switch key {
		case "and", "or":
			if list, ok := o[key].([]any); ok {
				for i, e := range list {
					l.predicate(e, item(at, i), sc)
				}
			} else {
				l.fault(ErrMalformed, at, "it has to be a list")
			}
		case "not":
			l.predicate(o[key], at, sc)
		case "param":
			l.param(at, o[key])
		case "field":
			if s, ok := o[key].(string); ok {
				col, ok := l.field(s, at, sc)
				if ok && col != nil && o["timeUnit"] != nil {
					l.use(col, use{time: true})
				}
				l.comparable(o, path, col)
			} else {
				l.fault(ErrMalformed, at, "it has to be the name of a field")
			}
		case "timeUnit":
			l.timeUnit(o[key], at)
		case "equal", "lt", "lte", "gt", "gte", "range", "oneOf", "valid", "empty":
			if !l.runs(at, o[key]) {
				l.plain(at, o[key])
			}
		default:
			if !l.forbidden(at, key) {
				l.word(at, "predicate", key, words("field equal lt lte gt gte range oneOf valid timeUnit param empty and or not"))
			}
		}
	}
}
