package lint

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
)

// encoding checks the channels of a view.
func (l *linter) encoding(v any, path string, sc *scope, mark string) {
	o, ok := v.(object)
	if !ok {
		l.fault(ErrMalformed, path, "it has to be an object")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, name)
		switch {
		case slices.Contains(linkingChannels, name):
			l.fault(ErrExternal, at, "charts cannot load or link to anything: leave it out")
		case slices.Contains(otherChannels, name):
			l.fault(ErrUnsupported, at, "animated charts are not supported")
		case l.word(at, "channel", name, channels):
			if list, ok := o[name].([]any); ok && slices.Contains(words("detail order tooltip"), name) {
				for i, e := range list {
					l.channel(e, item(at, i), name, sc, mark)
				}
				continue
			}
			l.channel(o[name], at, name, sc, mark)
		}
	}
	l.filled(o, path, sc)
	l.cells(o, path, sc)
}

// filled refuses gaps that are filled with too many rows: one for each value of
// the other axis and each group.
func (l *linter) filled(o object, path string, sc *scope) {
	for _, name := range words("x y") {
		c, _ := o[name].(object)
		impute, ok := c["impute"].(object)
		if !ok {
			continue
		}
		key := map[string]string{"x": "y", "y": "x"}[name]
		var groups []string
		for channel, v := range o {
			if slices.Contains(positionChannels, channel) {
				continue
			}
			for _, e := range listOf(v) {
				def, _ := e.(object)
				if field, _ := def["field"].(string); field != "" && def["aggregate"] == nil {
					groups = append(groups, field)
				}
			}
		}
		if rows := (sc.different(o[key]) + keys(impute["keyvals"])) * float64(sc.groups(groups)); rows > maxMadeRows {
			l.fault(ErrTooLarge, pointer(path, name)+"/impute", "it could make more than %d rows", maxMadeRows)
		}
	}
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

var channelKeys = words(`aggregate align axis band bandPosition bin bounds center columns condition datum field format formatType
	header impute legend scale sort spacing stack timeUnit title type value`)

// channel checks one channel.
func (l *linter) channel(v any, path, name string, sc *scope, mark string) {
	if v == nil {
		return
	}
	o, ok := v.(object)
	if !ok {
		l.fault(ErrMalformed, path, "it has to be an object, such as {\"field\": ...}")
		return
	}
	for _, key := range slices.Sorted(maps.Keys(o)) {
		at := pointer(path, key)
		switch {
		case l.forbidden(at, key):
		case !l.word(at, "property", key, channelKeys):
		default:
			l.channelPart(key, o[key], at, name, sc, mark)
		}
	}
	complete := len(o) == 0 || hasKey(o, "value") || hasKey(o, "datum") || hasKey(o, "bin") ||
		hasValue(o, words("field aggregate condition title axis scale legend stack type sort"))
	if !complete {
		l.fault(ErrMalformed, path, "it needs a field, a value, a datum, or the aggregate count")
	}
	l.title(o["title"], path+"/title")
	for _, key := range words("axis legend header") {
		if inner, ok := o[key].(object); ok {
			l.title(inner["title"], pointer(path, key)+"/title")
		}
	}
	l.fields(o, path, name, mark, sc)
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

// hasValue reports whether one of the keys has a value that is not null.
func hasValue(o object, keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return o[key] != nil })
}

// channelPart checks one property of a channel.
func (l *linter) channelPart(key string, v any, at, channel string, sc *scope, mark string) {
	switch key {
	case "axis", "legend", "header":
		l.properties(at, map[string]string{"axis": "Axis", "legend": "Legend", "header": "Header"}[key], v)
	case "scale":
		if o, ok := v.(object); ok {
			if s, ok := o["type"].(string); ok {
				l.word(at+"/type", "scale", s, scaleTypes)
			}
			if bins, ok := o["bins"].(object); ok {
				l.scaleBins(bins, at+"/bins")
			}
			if o["base"] != nil {
				l.between(at+"/base", o["base"], 1.1, 1000)
			}
		}
		l.properties(at, "Scale", v)
	case "impute":
		l.properties(at, "ImputeParams", v)
		if v != nil {
			l.note(l.texts.FilledIn)
		}
	case "sort":
		l.sort(v, at, sc)
	case "stack":
		switch s := v.(type) {
		case nil, bool:
		case string:
			l.word(at, "stack", s, words("zero center normalize"))
		default:
			l.fault(ErrMalformed, at, "it has to be zero, center, normalize, true, false or null")
		}
	case "condition":
		_, many := v.([]any)
		for i, c := range listOf(v) {
			where := at
			if many {
				where = item(at, i)
			}
			l.condition(c, where, channel, sc, mark)
		}
	case "formatType":
		l.formatType(at, v)
	case "type", "field", "aggregate", "timeUnit", "bin": // checked by fields
	default:
		l.exact(v, at)
		if !l.runs(at, v) {
			l.member(at, key, v)
		}
	}
}

// scaleBins refuses too many bins.
func (l *linter) scaleBins(o object, path string) {
	start, ok1 := number(o["start"])
	stop, ok2 := number(o["stop"])
	step, ok3 := number(o["step"])
	switch {
	case !ok1 || !ok2 || !ok3:
		l.fault(ErrMalformed, path, "it has to be a list of numbers, or a start, a stop and a step")
	case !(step > 0 && stop/step-start/step <= 1000):
		l.fault(ErrTooLarge, path, "it makes more than 1000 bins")
	}
}

func (l *linter) plainNumber(path string, v any, low float64) {
	if v == nil {
		return
	}
	l.between(path, v, low, math.MaxFloat64)
}

// condition checks what is drawn for rows that match a predicate, or are selected.
func (l *linter) condition(v any, path, channel string, sc *scope, mark string) {
	o, ok := v.(object)
	if !ok {
		l.fault(ErrMalformed, path, "it has to be an object")
		return
	}
	rest := maps.Clone(o)
	for _, key := range words("test param empty") {
		delete(rest, key)
	}
	switch {
	case o["test"] != nil:
		l.predicate(o["test"], path+"/test", sc)
	case o["param"] != nil:
		l.param(path+"/param", o["param"])
	default:
		l.fault(ErrMalformed, path, "it needs a test or a param")
	}
	l.channel(rest, path, channel, sc, mark)
}

// sort checks an order.
func (l *linter) sort(v any, path string, sc *scope) {
	switch v := v.(type) {
	case nil:
	case string:
		l.word(path, "order", v, words(`ascending descending x -x y -y color -color fill -fill stroke -stroke size -size shape -shape
			opacity -opacity text -text`))
	case []any:
		l.plain(path, v)
		for i, e := range v {
			l.exact(e, item(path, i))
		}
	case object:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			at := pointer(path, key)
			switch s, _ := v[key].(string); key {
			case "field":
				l.field(s, at, sc)
			case "op":
				l.word(at, "aggregate", s, aggregateOps)
			case "order":
				if v[key] != nil {
					l.word(at, "order", s, words("ascending descending"))
				}
			case "encoding":
				l.word(at, "channel", s, channels)
			default:
				l.word(at, "property", key, words("field op order encoding"))
			}
		}
	default:
		l.fault(ErrMalformed, path, "it has to be an order, a list, or {\"field\": ..., \"op\": ...}")
	}
}
