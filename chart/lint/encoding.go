package lint

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/column"
)

// encoding checks the channels of a view.
func (l *linter) encoding(o object, path string, sc *scope, mark string) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, name)
		list, many := o[name].([]any)
		if !many {
			l.channel(o[name], at, name, sc, mark)
		}
		for i, e := range list {
			l.channel(e, item(at, i), name, sc, mark)
		}
	}
	l.cells(o, path, sc)
}

const maxCells = 2500 // most of which would be empty

// cells refuses too many rows and columns of small charts: there is one for each
// pair, even if the data do not have the pair.
func (l *linter) cells(o object, path string, sc *scope) {
	if o["row"] != nil && o["column"] != nil && sc.different(o["row"])*sc.different(o["column"]) > maxCells {
		l.fault(ErrTooLarge, path+"/row",
			"with the columns it could make more than %d small charts: change the query to find fewer rows", maxCells)
	}
}

// different returns the number of values that a channel may have.
func (sc *scope) different(channel any) float64 {
	o, _ := channel.(object)
	name, ok := o["field"].(string)
	switch {
	case !ok:
		return 1
	case o["timeUnit"] != nil, o["bin"] != nil && o["bin"] != "binned":
		return min(sc.rows, 20) // approximate
	}
	plain, _ := vegalite.Unescape(name)
	if c := sc.fields[plain]; c != nil {
		return float64(c.distinct)
	}
	return sc.rows
}

// channel checks one channel.
func (l *linter) channel(v any, path, name string, sc *scope, mark string) {
	o, ok := v.(object)
	if !ok {
		return
	}
	l.title(o["title"], path+"/title")
	for _, key := range words("axis legend header") {
		inner, _ := o[key].(object)
		l.title(inner["title"], pointer(path, key)+"/title")
	}
	l.sort(o["sort"], path+"/sort", sc)
	scale, _ := o["scale"].(object)
	axis, _ := o["axis"].(object)
	every, steps := axis["tickCount"], 1.0
	if step, ok := every.(object); ok {
		every = step["interval"]
		if n, ok := number(step["step"]); ok {
			steps = max(n, 1)
		}
	}
	days := steps * map[any]float64{"day": 1, "week": 7, "month": 30}[every]
	if days > 0 && (days < 30 && scale["domain"] != nil || sc.span(o) > maxTicks*days) {
		l.fault(ErrTooLarge, path+"/axis/tickCount", "it could make a tick for each %s of decades or centuries: write a number", every)
	}
	list, many := o["condition"].([]any)
	if !many {
		list = []any{o["condition"]}
	}
	for i, e := range list {
		at := path + "/condition"
		if many {
			at = item(at, i)
		}
		if c, ok := e.(object); ok {
			l.predicate(c["test"], at+"/test", sc)
			l.channel(c, at, name, sc, mark)
		}
	}
	l.fields(o, path, name, mark, sc)
}

const maxTicks = 10_000

// span returns how many days are between the first and the last time of a channel, if no
// filter leaves rows out.
func (sc *scope) span(channel object) float64 {
	name, _ := channel["field"].(string)
	plain, _ := vegalite.Unescape(name)
	f := sc.fields[plain]
	if f == nil || f.plain.Kind != column.Times || sc.filtered {
		return 0
	}
	first, last := slices.MinFunc(f.plain.Times, time.Time.Compare), slices.MaxFunc(f.plain.Times, time.Time.Compare)
	return float64(last.Unix()-first.Unix()) / (24 * 60 * 60)
}

// title checks the title of a channel. It is the name of an entry in a tooltip,
// and part of an expression in which Vega-Lite does not escape backslashes.
func (l *linter) title(v any, path string) {
	for _, line := range listOf(v) {
		switch text, _ := line.(string); {
		case text == "image":
			l.fault(ErrExternal, path, "a tooltip shows an entry with that name as an image from that address: write Image")
		case vegalite.IsInherited(text):
			l.fault(ErrUnsupported, path, "every JavaScript object has a property of that name: write another title")
		case strings.ContainsFunc(text, func(r rune) bool { return vegalite.IsUnsafe(r) && !strings.ContainsRune("\"'`", r) }):
			l.fault(ErrExpression, path,
				"it becomes part of an expression, and has a backslash or a control character: remove it, "+
					"and write lines as a list")
		}
	}
}

func hasKey(o object, key string) bool { _, ok := o[key]; return ok }

// sort checks an order by another field.
func (l *linter) sort(v any, path string, sc *scope) {
	o, _ := v.(object)
	if name, ok := o["field"].(string); ok {
		l.field(name, path+"/field", sc)
	}
}

// predicate checks a condition on rows.
func (l *linter) predicate(v any, path string, sc *scope) {
	o, _ := v.(object)
	for _, key := range words("and or") {
		list, _ := o[key].([]any)
		for i, e := range list {
			l.predicate(e, item(pointer(path, key), i), sc)
		}
	}
	if o["not"] != nil {
		l.predicate(o["not"], path+"/not", sc)
	}
	name, ok := o["field"].(string)
	if !ok {
		return
	}
	col, _ := l.field(name, path+"/field", sc)
	if col == nil {
		return
	}
	if o["timeUnit"] != nil {
		l.use(col, use{time: true})
	}
	if !slices.ContainsFunc(col.cells, rounded) {
		return
	}
	// A browser finds no number equal to a text.
	for _, key := range words("equal oneOf") {
		if slices.ContainsFunc(listOf(o[key]), func(v any) bool { _, ok := number(v); return ok }) {
			l.fault(ErrFieldType, pointer(path, key), "%s has numbers that a browser would round, so they are written as texts: "+
				`compare with texts, such as "%v"`, vegalite.Quoted(col.name), col.cells[0])
		}
	}
}
