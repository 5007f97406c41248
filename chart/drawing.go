package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// A drawing makes one Spec of a plan.
type drawing struct {
	plan
	rows       int // of data, at most
	categories int // of colour, at most

	fields map[string]bool // names that the data has
	notes  []string
	data   []map[string]any
}

// object is one of JSON.
type object = map[string]any

func (d *drawing) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// spec draws the plan. truncated says that there are more rows than those of the table, and partial
// why others may be missing.
func (d *drawing) spec(truncated bool, partial string) (*Spec, error) {
	d.fields = map[string]bool{}
	var body object
	var err error
	switch d.kind {
	case Scatter:
		body, err = d.scatter()
	case Histogram:
		body, err = d.histogram()
	case Box:
		body, err = d.box()
	default:
		body, err = d.places()
	}
	if err != nil {
		return nil, err
	}
	if len(d.data) == 0 {
		return nil, refuse(Problem{Code: NoData, Message: "no row has all of the values that the chart needs"})
	}
	for i, c := range []*column{d.x, d.y, d.by} {
		switch {
		case c == nil || c == d.x && i > 0:
		case c.undated > 0:
			d.note("%d of the %d values of %s %s no date, and not drawn.", c.undated, c.values+c.undated, c.name, isOrAre(c.undated))
		case c.someDates:
			d.note("%s is drawn as texts: not all of its values are dates.", c.name)
		}
	}
	if truncated {
		d.note(moreRows)
	}
	if partial != "" {
		d.note("Rows may be missing: %s.", prompt.Quote(prompt.Clip(partial, maxPartial)))
	}
	if d.title == "" {
		d.title = d.describe()
	}
	d.title = prompt.Clip(d.title, maxText)
	body["$schema"] = schemaURL
	body["title"] = d.title
	body["description"] = strings.Join(append([]string{d.title + "."}, d.notes...), " ")
	body["data"] = object{"values": d.data}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return &Spec{text: text, title: d.title, kind: d.kind, notes: d.notes}, nil
}

const moreRows = "There are more rows than the table has, and they are not drawn."

const maxPartial = 300 // bytes of why rows may be missing

// describe is the title of a chart that got none.
func (d *drawing) describe() string {
	switch d.kind {
	case Histogram:
		return "Distribution of " + d.x.name
	case Scatter:
		return d.y.name + " against " + d.x.name
	case Box:
		if d.x == nil {
			return "Spread of " + d.y.name
		}
		return "Spread of " + d.y.name + " by " + d.x.name
	}
	number, others := d.y, []*column{d.x, d.by}
	if d.kind == Heatmap {
		number, others = d.by, []*column{d.x, d.y}
	}
	title := d.numberTitle(number)
	for i, c := range others {
		if c != nil {
			title += []string{" by ", " and "}[min(i, 1)] + c.name
		}
	}
	return title
}

// numberTitle names the number of a chart, of a column or of the rows.
func (d *drawing) numberTitle(number *column) string {
	switch {
	case number == nil:
		return "Number of rows"
	case d.aggregate == "":
		return number.name
	case d.aggregate == Count:
		return "Number of " + number.name
	}
	return strings.ToUpper(string(d.aggregate[:1])) + string(d.aggregate[1:]) + " of " + number.name
}

// field reserves a name in the data, near to the one that is wanted. Vega-Lite puts names
// into expressions of its own, and does not escape all of them everywhere: quotes,
// backslashes and what ends a line become underscores.
func (d *drawing) field(name string) string {
	name = prompt.Clip(strings.Map(harmless, name), maxText)
	for name == "" || inherited[name] || d.fields[name] {
		name += "_"
	}
	d.fields[name] = true
	return name
}

func harmless(r rune) rune {
	if unsafeInName(r) {
		return '_'
	}
	return r
}

// inherited are names that every object of a browser has: as a field, Vega finds the wrong
// thing under them.
var inherited = map[string]bool{
	"__proto__": true, "__defineGetter__": true, "__defineSetter__": true, "__lookupGetter__": true, "__lookupSetter__": true,
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true,
	"toLocaleString": true, "toString": true, "valueOf": true,
}

// unsafeInName reports whether a name with r could end the text that it becomes part of.
func unsafeInName(r rune) bool {
	return r == '\'' || r == '"' || r == '`' || r == '\\' || r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029'
}

// escaped is a field's name as Vega-Lite reads it: without a path in it.
func escaped(field string) string { return pathEscaper.Replace(field) }

var pathEscaper = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `]`, `\]`, `'`, `\'`, `"`, `\"`)

// titled is the title of an axis or a legend. A tooltip's entry called image would be
// shown as the image at that address, and its title becomes part of an expression, in
// which only its quotes are escaped.
func titled(name string) string {
	if name == "image" {
		return "Image"
	}
	if inherited[name] {
		return name + "_"
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '\\':
			return '/'
		case r != '"' && r != '\'' && r != '`' && unsafeInName(r):
			return ' '
		}
		return r
	}, name)
	return prompt.Clip(name, maxText)
}

// channel is how a scale stands in an encoding. Categories stand in the order of the data's
// values, which are listed: the order of its rows is that of the first bar.
func (s *scale) channel(discrete bool) object {
	out := object{"field": escaped(s.field), "title": titled(s.column.name)}
	switch {
	case s.column.typ == temporal && s.unit != nil:
		out["type"], out["timeUnit"] = temporal, s.unit.name
	case s.column.typ == temporal:
		out["type"], out["scale"] = temporal, object{"type": "utc"}
	case s.column.typ == quantitative && !discrete:
		out["type"] = quantitative
	default:
		out["type"] = s.column.typ
		if s.column.typ == quantitative {
			out["type"] = ordinal
		}
		domain := make([]any, len(s.values))
		for i, v := range s.values {
			domain[i] = s.data(v)
		}
		out["sort"] = domain
	}
	return out
}

// sizes are the width and height of a chart.
func (d *drawing) size(body object, x, y any) {
	body["width"], body["height"] = x, y
}

const (
	usualWidth  = 480
	usualHeight = 300
)

// evenly returns n of m places, with the first and the last.
func evenly(m, n int) []int {
	if m <= n {
		n = m
	}
	out := make([]int, 0, n)
	for i := range n {
		at := 0
		if n > 1 {
			at = i * (m - 1) / (n - 1)
		}
		out = append(out, at)
	}
	return slices.Compact(out)
}
