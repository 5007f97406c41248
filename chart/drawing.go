package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// A drawing makes a Spec of a plan.
type drawing struct {
	plan
	rows int // of data, at most

	fields map[string]bool // names in the data
	notes  []string
	data   []map[string]any
}

// object is a JSON object.
type object = map[string]any

func (d *drawing) note(format string, args ...any) {
	d.notes = append(d.notes, fmt.Sprintf(format, args...))
}

// spec draws the plan. truncated reports that the table does not have all rows,
// and partial is another reason for missing rows.
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
		return nil, refuse(refusal.Problem{Code: ErrNoData, Message: "no row has all of the values that the chart needs"})
	}
	for i, c := range []*field{d.x, d.y, d.by} {
		switch {
		case c == nil || c == d.x && i > 0:
		case c.other > 0:
			d.note("%d of the %d values of %s %s not drawn, because the column has %s.",
				c.other, c.values+c.other, c.name, isOrAre(c.other), vegalite.Values(c.typ.kind()))
		case c.someDates:
			d.note("%s is drawn as texts: not all of its values are dates.", c.name)
		}
	}
	if truncated {
		d.note(vegalite.MoreRows)
	}
	if partial != "" {
		d.notes = append(d.notes, missingRows(partial))
	}
	if d.title == "" {
		d.title = d.describe()
	}
	d.title = prompt.Clip(d.title, vegalite.MaxText)
	body["$schema"] = vegalite.Schema
	body["title"] = d.title
	body["description"] = strings.Join(append([]string{d.title + "."}, d.notes...), " ")
	body["data"] = object{"values": d.data}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return &Spec{JSON: text, Title: d.title, Kind: d.kind, Notes: d.notes}, nil
}

// describe returns the title of a chart without one.
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
	number, others := d.y, []*field{d.x, d.by}
	if d.kind == Heatmap {
		number, others = d.by, []*field{d.x, d.y}
	}
	title := d.numberTitle(number)
	for i, c := range others {
		if c != nil {
			title += []string{" by ", " and "}[min(i, 1)] + c.name
		}
	}
	return title
}

// numberTitle names the number that a chart shows.
func (d *drawing) numberTitle(number *field) string {
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

// field reserves a name in the data that is close to the given one. Quotes,
// backslashes and line ends become underscores, because Vega-Lite writes names
// into expressions and does not escape all of them.
func (d *drawing) field(name string) string {
	name = prompt.Clip(strings.Map(harmless, name), vegalite.MaxText)
	for name == "" || vegalite.IsInherited(name) || d.fields[name] {
		name += "_"
	}
	d.fields[name] = true
	return name
}

func harmless(r rune) rune {
	if vegalite.IsUnsafe(r) {
		return '_'
	}
	return r
}

// titled is the title of an axis or a legend. A tooltip would show an entry with
// the name image as an image. A title becomes part of an expression, in which
// Vega-Lite escapes quotes only.
func titled(name string) string {
	if name == "image" {
		return "Image"
	}
	if vegalite.IsInherited(name) {
		return name + "_"
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '\\':
			return '/'
		case r != '"' && r != '\'' && r != '`' && vegalite.IsUnsafe(r):
			return ' '
		}
		return r
	}, name)
	return prompt.Clip(name, vegalite.MaxText)
}

// channel encodes a scale. It lists the values of categories, because their order
// in the data is that of the first bar.
func (s *scale) channel(discrete bool) object {
	out := object{"field": vegalite.Escape(s.field), "title": titled(s.column.name)}
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

func setSize(body object, width, height any) {
	body["width"], body["height"] = width, height
}

const (
	usualWidth  = 480
	usualHeight = 300
)

// evenly returns up to n indexes below m with equal distances, among them the
// first and the last.
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
