package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
)

// A drawing makes a Spec of a plan.
type drawing struct {
	plan
	rows  int // of data, at most
	texts *vegalite.Texts

	fields map[string]bool // names in the data
	notes  []string
	data   []map[string]any
}

// object is a JSON object.
type object = map[string]any

// note adds a note with values instead of the names in braces; numbers are written in
// digits.
func (d *drawing) note(text string, namesAndValues ...any) {
	all := make([]string, len(namesAndValues))
	for i, v := range namesAndValues {
		all[i] = fmt.Sprint(v)
	}
	d.notes = append(d.notes, usertext.Fill(text, all...))
}

// noteRows adds a note on a number of rows.
func (d *drawing) noteRows(text string, n int, namesAndValues ...any) {
	rows, are := d.texts.CountOf(n)
	d.note(text, append(namesAndValues, "rows", rows, "are", are)...)
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
		if c != nil && (c != d.x || i == 0) && c.other > 0 {
			d.notes = append(d.notes, d.texts.NotOfType(c.other, c.values+c.other, c.label, c.typ.Kind()))
		}
	}
	if truncated {
		d.note(d.texts.MoreRows)
	}
	if partial != "" {
		d.note(d.texts.Missing, "reason", quotedReason(partial))
	}
	if d.title == "" {
		d.title = vegalite.Sentence(d.describe())
	}
	d.title = prompt.Clip(d.title, vegalite.MaxText)
	body["$schema"] = vegalite.Schema
	body["title"] = d.title
	body["description"] = strings.Join(append([]string{d.title + "."}, d.notes...), " ")
	vegalite.Finish(body, d.data, d.texts)
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
		return usertext.Fill(d.texts.Distribution, "column", d.x.label)
	case Scatter:
		return usertext.Fill(d.texts.Against, "y", d.y.label, "x", d.x.label)
	}
	number, others := d.y, []*field{d.x, d.by}
	if d.kind == Heatmap {
		number, others = d.by, []*field{d.x, d.y}
	}
	title := d.numberTitle(number)
	if d.kind == Box {
		title = usertext.Fill(d.texts.Spread, "column", d.y.label)
	}
	for i, c := range others {
		if c != nil {
			title += usertext.Fill([]string{d.texts.By, d.texts.And}[min(i, 1)], "column", c.label)
		}
	}
	return title
}

// numberTitle names the number that a chart shows.
func (d *drawing) numberTitle(number *field) string {
	if number == nil {
		return d.texts.NumberOfRows
	}
	return d.texts.Aggregated(string(d.aggregate), number.label)
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

// channel encodes a scale. It lists the values of categories, because their order
// in the data is that of the first bar.
func (s *scale) channel(discrete bool) object {
	out := object{"field": vegalite.Escape(s.field), "title": vegalite.Title(s.column.label)}
	switch {
	case s.column.typ == vegalite.Temporal && s.unit != nil:
		out["type"], out["timeUnit"] = vegalite.Temporal, s.unit.name
	case s.column.typ == vegalite.Temporal:
		out["type"], out["scale"] = vegalite.Temporal, object{"type": "utc"}
	case s.column.typ == vegalite.Quantitative && !discrete:
		out["type"] = vegalite.Quantitative
	default:
		out["type"] = s.column.typ
		if s.column.typ == vegalite.Quantitative {
			out["type"] = vegalite.Ordinal
		}
		domain := make([]any, len(s.values))
		for i, v := range s.values {
			domain[i] = s.data(v)
		}
		out["sort"] = domain
	}
	return out
}

// evenly returns up to n indexes below m with equal distances, among them the
// first and the last.
func evenly(m, n int) []int {
	n = min(n, m)
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
