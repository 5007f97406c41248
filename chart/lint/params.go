package lint

import (
	"maps"
	"slices"

	"github.com/qedkit/qed/refusal"
)

// selections checks the parameters of a view, which a reader sets with the mouse.
func (l *linter) selections(v any, path string, sc *scope) {
	if v == nil {
		return
	}
	l.each(v, path, func(o object, at string) {
		for _, key := range slices.Sorted(maps.Keys(o)) {
			where := pointer(at, key)
			switch key {
			case "name":
				if s, ok := o[key].(string); !ok || !isName(s) {
					l.fault(ErrMalformed, where, "it has to be letters, digits and underscores")
				}
			case "select":
				l.selection(o[key], where, sc)
			case "bind":
				if s, ok := o[key].(string); !ok || s != "scales" && s != "legend" {
					l.report(refusal.Problem{
						Code: ErrUnsupported, Path: where, Candidates: words("scales legend"),
						Message: "parameters cannot be bound to elements of the page",
					})
				}
			case "value", "views":
				l.plain(where, o[key])
			default:
				if !l.forbidden(where, key) {
					l.word(where, "property", key, words("name select bind value views"))
				}
			}
		}
	})
}

// isName reports whether s is a valid name of a parameter. Names become part of
// expressions.
func isName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != "" && len(s) <= 64
}

// selection checks a selection. Streams of events can contain expressions, so only
// names of events are allowed.
func (l *linter) selection(v any, path string, sc *scope) {
	if s, ok := v.(string); ok {
		l.word(path, "selection", s, words("point interval"))
		return
	}
	o, ok := v.(object)
	if !ok {
		l.fault(ErrMalformed, path, "it has to be point, interval, or an object with a type")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, key)
		s, isText := o[key].(string)
		switch key {
		case "type":
			l.word(at, "selection", s, words("point interval"))
		case "on", "clear", "toggle", "translate", "zoom":
			if _, isBool := o[key].(bool); isText && !slices.Contains(events, s) || !isText && !isBool {
				l.report(refusal.Problem{
					Code: ErrExpression, Path: at, Candidates: words("click pointerover"),
					Message: "it may contain an expression: write the name of an event, or leave it out",
				})
			}
		case "fields", "encodings":
			list, ok := o[key].([]any)
			if !ok {
				l.fault(ErrMalformed, at, "it has to be a list")
			}
			for i, e := range list {
				name, _ := e.(string)
				if key == "encodings" {
					l.word(item(at, i), "channel", name, channels)
				} else if sc.fields != nil {
					l.field(name, item(at, i), sc)
				}
			}
		case "nearest", "resolve", "mark":
			l.plain(at, o[key])
		default:
			if !l.forbidden(at, key) {
				l.word(at, "property", key, words("type on clear toggle translate zoom fields encodings nearest resolve mark"))
			}
		}
	}
}

var events = words(`click dblclick mouseover mouseout mousemove mousedown mouseup pointerover pointerout pointermove pointerdown
	pointerup wheel touchstart touchend`)
