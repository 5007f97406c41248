package lint

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/usertext"
)

// fields checks that the field of a channel exists, and that its values have the
// type that they are drawn as.
func (l *linter) fields(o object, path, channel, mark string, sc *scope) {
	aggregate := l.aggregate(o["aggregate"], path+"/aggregate", sc)
	kind, _ := o["type"].(string)
	switch f := o["field"].(type) {
	case nil:
		switch aggregate {
		case "":
		case "count":
			l.counted = true
			l.percents(o, path, nil, aggregate)
		default:
			l.fault(ErrMalformed, path, "the aggregate %s needs a field", aggregate)
		}
	case string:
		l.drawn(f, path+"/field", path, o, drawnAs{channel, mark, vegalite.Measure(kind), aggregate, o["timeUnit"] != nil}, sc)
	default:
		l.fault(ErrMalformed, path+"/field", "it has to be the name of a field")
	}
}

// aggregate returns the name of an aggregate.
func (l *linter) aggregate(v any, path string, sc *scope) string {
	o, _ := v.(object)
	for _, op := range words("argmax argmin") {
		if f, ok := o[op].(string); ok {
			l.field(f, path+"/"+op, sc)
			return op
		}
	}
	name, _ := v.(string)
	return name
}

// drawnAs is how a field is drawn.
type drawnAs struct {
	channel   string
	mark      string
	kind      vegalite.Measure
	aggregate string
	unit      bool
}

// drawn checks one field of a channel.
func (l *linter) drawn(name, at, path string, o object, as drawnAs, sc *scope) {
	if as.aggregate == "count" && name == "*" {
		l.counted = true
		return
	}
	col, ok := l.field(name, at, sc)
	if !ok {
		return
	}
	if plain, _ := vegalite.Unescape(name); plain == "image" && !hasKey(o, "title") && as.aggregate == "" {
		l.fault(ErrExternal, at,
			"a tooltip shows an entry with that name as an image from that address: add a title, such as Image")
	}
	if strings.ContainsAny(name, `.[]`) && slices.Contains(words("boxplot errorbar errorband"), as.mark) {
		l.fault(ErrUnsupported, at, "a %s cannot use a name with dots or brackets: rename the column in the query", as.mark)
	}
	bin := o["bin"]
	isBinned := bin == true
	if b, ok := bin.(object); ok {
		isBinned = b["binned"] != true
		l.bins(b, path+"/bin", col)
	}
	if col == nil {
		l.percents(o, path, sc.within[name], as.aggregate)
		return
	}
	l.percents(o, path, col, as.aggregate)
	summed := as.aggregate != "" && !slices.Contains(countingOps, as.aggregate)
	l.use(col, use{
		number: as.kind == vegalite.Quantitative || isBinned || summed && isNumber(col),
		time:   as.kind == vegalite.Temporal || as.unit,
	})
	switch {
	case as.aggregate != "" && slices.Contains(countingOps, as.aggregate):
		return
	case as.aggregate != "" && !isNumber(col) && !(isDate(col) && slices.Contains(orderingOps, as.aggregate)):
		if as.aggregate == "argmax" || as.aggregate == "argmin" {
			return // it is the field of the row with the extreme value
		}
		l.report(vegalite.NoAggregate(path+"/aggregate", col.name, col.plain.Kind, as.aggregate))
	case isBinned && !isNumber(col):
		l.misread(path+"/bin", col, vegalite.Quantitative)
	case as.unit && !isDate(col):
		l.misread(path+"/timeUnit", col, vegalite.Temporal)
	case as.kind == vegalite.Quantitative && !isNumber(col):
		l.misread(path+"/type", col, vegalite.Quantitative)
	case as.kind == vegalite.Temporal && !isDate(col):
		l.misread(path+"/type", col, vegalite.Temporal)
	}
	l.positive(col, path, o, as, sc, isBinned)
	if as.kind == vegalite.Quantitative && as.aggregate == "" || as.aggregate == "min" || as.aggregate == "max" {
		l.identified(col, path+"/type")
	}
	separate := slices.Contains(facetChannels, as.channel) || as.kind == vegalite.Nominal || as.kind == vegalite.Ordinal ||
		as.kind == "" && as.aggregate == "" && !as.unit
	combined := as.aggregate != "" || isBinned || as.unit || bin == "binned" || sc.filtered
	if combined || !separate || !slices.Contains(separatingChannels, as.channel) {
		return
	}
	if n := col.distinct; n > maxCategories {
		l.report(vegalite.TooMany(path, col.name, n, maxCategories))
	}
}

// positive refuses negative slices, and logarithms of numbers that are not
// positive. If it depends on transforms or aggregates, it adds a note instead.
func (l *linter) positive(col *field, path string, o object, as drawnAs, sc *scope, isBinned bool) {
	if as.unit || isBinned || as.kind == vegalite.Temporal || as.kind == vegalite.Nominal || as.kind == vegalite.Ordinal || !isNumber(col) {
		return
	}
	least, _ := col.span()
	scale, _ := o["scale"].(object)
	var what func(*vegalite.Texts) string
	switch {
	case as.mark == "arc" && (as.channel == "theta" || as.channel == "radius") && least < 0:
		what = func(t *vegalite.Texts) string { return t.NegativeSlice }
	case scale["type"] == "log" && least <= 0:
		what = func(t *vegalite.Texts) string { return t.NotPositive }
	default:
		return
	}
	if as.aggregate == "" && !sc.filtered {
		l.fault(ErrFieldType, path, "%s", usertext.Fill(what(vegalite.English), "column", vegalite.Quoted(col.name)))
		return
	}
	l.note(usertext.Fill(what(l.texts), "column", l.texts.Words(col.name)))
}

// bins refuses too many bins.
func (l *linter) bins(o object, path string, col *field) {
	known, low, high := col != nil, 0.0, 0.0
	if col != nil {
		low, high = col.span()
	}
	if pair, ok := o["extent"].([]any); ok && len(pair) == 2 {
		first, ok1 := number(pair[0])
		last, ok2 := number(pair[1])
		known, low, high = ok1 && ok2, first, last
	}
	tooMany := func(step, most float64) bool { return step <= 0 || known && high/step-low/step > most }
	if step, ok := number(o["step"]); ok && tooMany(step, 1000) {
		l.fault(ErrTooLarge, path+"/step", "it makes more than 1000 bins")
	} else if ok && !known {
		l.fault(ErrUnsupported, path+"/step", "the range of a computed field is not known: use maxbins")
	}
	list, _ := o["steps"].([]any)
	for i, s := range list {
		if n, ok := number(s); ok && tooMany(n, 1e6) {
			l.fault(ErrMalformed, item(path+"/steps", i), "it has to be a step that makes a number of bins")
		}
	}
}
