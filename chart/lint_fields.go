package chart

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fields checks a channel's field: that it exists, and that its values are of the type that
// it is drawn as. In a view that is repeated, for each field that stands there.
func (l *linter) fields(o object, path, channel, mark string, sc *scope) {
	aggregate := l.aggregate(o["aggregate"], path+"/aggregate", sc)
	kind, _ := o["type"].(string)
	if o["type"] != nil && !l.word(path+"/type", "type", kind, measures) {
		return
	}
	unit := l.timeUnit(o["timeUnit"], path+"/timeUnit")
	at := path + "/field"
	switch f := o["field"].(type) {
	case nil:
		if o["aggregate"] != nil {
			if aggregate == "count" {
				l.counted = true
			} else if aggregate != "" {
				l.fault(Malformed, path, "the %s of what: it needs a field", aggregate)
			}
		}
	case string:
		l.drawn(f, at, path, o, drawnAs{channel, mark, measure(kind), aggregate, unit}, sc)
	case object:
		of, _ := f["repeat"].(string)
		names, ok := sc.repeated[of]
		if len(f) != 1 || !ok {
			l.fault(Malformed, at, "it is the name of a field, or {\"repeat\": ...} in a view that is repeated")
			return
		}
		for _, name := range names {
			l.drawn(name, at, path, o, drawnAs{channel, mark, measure(kind), aggregate, unit}, sc)
		}
	default:
		l.fault(Malformed, at, "it is the name of a field")
	}
}

// aggregate checks one and returns its name; empty where there is none, or a wrong one.
func (l *linter) aggregate(v any, path string, sc *scope) string {
	switch v := v.(type) {
	case nil:
	case string:
		if l.word(path, "aggregate", v, aggregateOps) {
			return v
		}
	case object:
		for _, op := range words("argmax argmin") {
			if f, ok := v[op].(string); ok && len(v) == 1 {
				l.field(f, path+"/"+op, sc)
				return op
			}
		}
		l.fault(Malformed, path, "it is the name of an aggregate, or {\"argmax\": field}")
	default:
		l.fault(Malformed, path, "it is the name of an aggregate")
	}
	return ""
}

// timeUnit checks one and reports whether there is one.
func (l *linter) timeUnit(v any, path string) bool {
	switch v := v.(type) {
	case nil:
		return false
	case string:
		if !isTimeUnit(v) {
			l.report(Problem{Code: UnknownName, Path: path, Message: "there is no time unit " + quoted(v), Candidates: similar(v, words("year yearquarter yearmonth yearmonthdate month date day hours"))})
		}
	case object:
		if s, ok := v["unit"].(string); ok {
			l.timeUnit(s, path+"/unit")
		}
		l.plainNumber(path+"/step", v["step"], 1)
		l.properties(path, "timeunit", v)
	default:
		l.fault(Malformed, path, "it is a time unit, such as yearmonth")
	}
	return true
}

// drawnAs is how a field is drawn.
type drawnAs struct {
	channel   string
	mark      string
	kind      measure
	aggregate string
	unit      bool
}

// drawn checks one field that is drawn.
func (l *linter) drawn(name, at, path string, o object, as drawnAs, sc *scope) {
	if as.aggregate == "count" && name == "*" {
		l.counted = true
		return
	}
	col, ok := l.field(name, at, sc)
	if !ok {
		return
	}
	if plain, _ := unescape(name); plain == "image" && !hasKey(o, "title") && as.aggregate == "" {
		l.fault(External, at, "a tooltip shows an entry of that name as the image at its address: give it a title, such as Image")
	}
	if strings.ContainsAny(name, `.[]`) && slices.Contains(words("boxplot errorbar errorband"), as.mark) {
		l.fault(Unsupported, at, "a %s takes no name with dots or brackets: name the column otherwise in the query", as.mark)
	}
	bin, isBinned := o["bin"], false
	switch b := bin.(type) {
	case nil:
	case bool:
		isBinned = b
	case string:
		l.word(path+"/bin", "bin", b, words("binned"))
	case object:
		isBinned = b["binned"] != true
		l.bins(b, path+"/bin", col)
	default:
		l.fault(Malformed, path+"/bin", "it is true, false, binned or an object")
	}
	if col == nil {
		return
	}
	if as.kind == temporal || as.unit {
		l.dated[col.name] = true
	}
	switch {
	case as.aggregate != "" && slices.Contains(countingOps, as.aggregate):
		return
	case as.aggregate != "" && !numberLike(col) && !(dateLike(col) && slices.Contains(orderingOps, as.aggregate)):
		if as.aggregate == "argmax" || as.aggregate == "argmin" {
			return // it is the field of the row that is the largest
		}
		l.report(Problem{Code: AggregateType, Path: path + "/aggregate", Message: quoted(col.name) + " holds " + holds(col) + ", of which there is no " + as.aggregate, Candidates: words("count distinct")})
	case isBinned && !numberLike(col):
		l.misread(path+"/bin", col, quantitative)
	case as.unit && !dateLike(col):
		l.misread(path+"/timeUnit", col, temporal)
	case as.kind == quantitative && !numberLike(col):
		l.misread(path+"/type", col, quantitative)
	case as.kind == temporal && !dateLike(col):
		l.misread(path+"/type", col, temporal)
	}
	l.positive(col, path, o, as, sc, isBinned)
	separate := slices.Contains(facetChannels, as.channel) || as.kind == nominal || as.kind == ordinal || as.kind == "" && as.aggregate == "" && !as.unit
	if as.aggregate != "" || isBinned || as.unit || bin == "binned" || sc.filtered || !separate || !slices.Contains(tellingChannels, as.channel) {
		return
	}
	if n := col.distinct; n > l.limits.Categories {
		l.fault(TooManyCategories, path, "%s has %d values, and %d can be told apart there: show the largest, or put it on x or y", quoted(col.name), n, l.limits.Categories)
	}
}

// positive refuses what is drawn of numbers that cannot be drawn so: slices of negative ones,
// and logarithms of those that are not above zero. Where it depends on what the chart makes of
// them, that is noted.
func (l *linter) positive(col *column, path string, o object, as drawnAs, sc *scope, isBinned bool) {
	if as.unit || isBinned || as.kind == temporal || as.kind == nominal || as.kind == ordinal || !numberLike(col) {
		return
	}
	least := math.Inf(1)
	for _, cell := range col.cells {
		if v, ok := cell.(float64); ok {
			least = min(least, v)
		} else if text, ok := cell.(string); ok {
			if v, err := strconv.ParseFloat(text, 64); err == nil {
				least = min(least, v)
			}
		}
	}
	scale, _ := o["scale"].(object)
	what := ""
	switch {
	case as.mark == "arc" && as.channel == "theta" && least < 0:
		what = "some of the numbers of %s are negative, and a slice has only a share"
	case scale["type"] == "log" && least <= 0:
		what = "some of the numbers of %s are not above 0, and have no place on a logarithmic scale"
	default:
		return
	}
	what = fmt.Sprintf(what, quoted(col.name))
	if as.aggregate == "" && !sc.filtered {
		l.fault(FieldType, path, "%s", what)
		return
	}
	l.note("%s%s.", strings.ToUpper(what[:1]), what[1:])
}

// bins refuses more of them than a browser can draw.
func (l *linter) bins(o object, path string, col *column) {
	l.properties(path, "bin", o)
	known, low, high := col != nil, 0.0, 0.0
	if col != nil {
		low, high = math.Inf(1), math.Inf(-1)
		for _, cell := range col.cells {
			if f, ok := cell.(float64); ok {
				low, high = min(low, f), max(high, f)
			}
		}
	}
	if pair, ok := o["extent"].([]any); ok && len(pair) == 2 {
		first, ok1 := number(pair[0])
		last, ok2 := number(pair[1])
		if ok1 && ok2 {
			known, low, high = true, first, last
		} else {
			l.fault(Malformed, path+"/extent", "it is two numbers")
		}
	}
	tooMany := func(step, most float64) bool { return step <= 0 || known && high/step-low/step > most }
	if step, ok := number(o["step"]); o["step"] != nil && (!ok || tooMany(step, 1000)) {
		l.fault(TooLarge, path+"/step", "it makes more than 1000 bins")
	} else if ok && !known {
		l.fault(Unsupported, path+"/step", "of a computed field, maxbins says how many bins there are")
	}
	l.plainNumber(path+"/base", o["base"], 2)
	if list, ok := o["steps"].([]any); ok {
		for i, s := range list {
			if n, ok := number(s); !ok || tooMany(n, 1e6) {
				l.fault(Malformed, item(path+"/steps", i), "it is a step that makes a number of bins")
			}
		}
	}
}
