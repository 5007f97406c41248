package chart

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// Lint reads a Vega-Lite spec that somebody else wrote, such as a model, and returns it
// with the rows of t as its data. Where it is refused, the error is an [*Error] with all
// that is wrong. A nil limits means the defaults.
//
// It takes what only draws: the marks, channels, transforms, scales and interactions of
// Vega-Lite 6 (and 4 and 5, as far as they are alike), each property by its name and type.
// It refuses:
//   - what loads, links or runs something: a url or href, images, maps, data of other
//     places, expressions in any form, parameters bound to elements of a page, usermeta;
//   - what has no meaning in the rows: fields that they do not have, types and aggregates
//     that their values do not have, more colours than can be told apart, parts on each other
//     that do not add up, negative slices and logarithms of what is not above zero;
//   - what costs a browser too much: more rows than Limits.Rows, endless bins and ticks.
//
// The rows are all there is to draw: a spec with values of its own is refused. With a nil
// t, its own values are what it is checked against.
//
// What its transforms leave out or fill in is told in the notes. Only the fields that the
// spec names are put in. Dates without a time of day are written
// so that a browser in any time zone shows that day.
func Lint(spec []byte, t *qed.Table, limits *Limits) (*Spec, error) {
	lim := limits.withDefaults()
	if len(spec) > lim.Bytes {
		return nil, refuse(Problem{Code: TooLarge, Message: fmt.Sprintf("the spec has %d bytes, and at most %d are allowed", len(spec), lim.Bytes)})
	}
	root, p := parse(spec)
	if p != nil {
		return nil, refuse(*p)
	}
	l := &linter{limits: lim, used: map[string]bool{}, dated: map[string]bool{}, params: map[string]bool{}, inline: t == nil}
	top := &scope{open: true} // until there is data
	if t != nil {
		switch {
		case len(t.Rows) == 0 || len(t.Columns) == 0:
			return nil, refuse(Problem{Code: NoData, Message: "there are no rows to draw"})
		case len(t.Rows) > lim.Rows:
			return nil, refuse(Problem{Code: TooLarge, Message: fmt.Sprintf("there are %d rows, and a chart takes %d: have the query group them", len(t.Rows), lim.Rows)})
		}
		columns, err := read(t)
		if err != nil {
			return nil, err
		}
		top = newScope(columns, len(t.Rows))
	}
	l.declare(root, 0)
	l.top(root)
	l.view(root, "", top, 0, true)
	if len(l.problems) == 0 && len(l.used) == 0 && !l.counted {
		l.fault(NoData, "", "it shows no field of the rows")
	}
	if len(l.problems) > 0 {
		return nil, &Error{l.problems}
	}
	root["$schema"] = schemaURL
	if t != nil {
		root["data"] = object{"values": l.values(t)}
	}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	if len(text) > lim.Bytes {
		return nil, refuse(Problem{Code: TooLarge, Message: fmt.Sprintf("with its rows it has %d bytes, and at most %d are allowed: have the query find less", len(text), lim.Bytes)})
	}
	drawn := &Spec{text: text, title: titleOf(root), notes: l.notes}
	if t != nil && t.Truncated {
		drawn.notes = append(drawn.notes, moreRows)
	}
	return drawn, nil
}

// titleOf is the first line of a spec's title.
func titleOf(root object) string {
	t := root["title"]
	if o, ok := t.(object); ok {
		t = o["text"]
	}
	if lines, ok := t.([]any); ok && len(lines) > 0 {
		t = lines[0]
	}
	text, _ := t.(string)
	return prompt.Clip(text, maxText)
}

// A linter collects what is wrong with one spec.
type linter struct {
	limits   Limits
	inline   bool // the spec has its own data
	problems []Problem
	params   map[string]bool
	used     map[string]bool // columns that the spec names
	dated    map[string]bool // those of them that it reads as dates
	counted  bool            // it shows how many rows there are
	notes    []string        // what somebody who reads the chart should know
	views    int
}

const maxProblems = 50

func (l *linter) fault(code Code, path, format string, args ...any) {
	l.report(Problem{Code: code, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (l *linter) report(p Problem) {
	if len(l.problems) < maxProblems {
		l.problems = append(l.problems, p)
	}
}

// note adds one that is not there yet.
func (l *linter) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.notes, text) {
		l.notes = append(l.notes, text)
	}
}

// values are the rows, with the columns that the spec names.
func (l *linter) values(t *qed.Table) []object {
	rows := make([]object, len(t.Rows))
	for i, row := range t.Rows {
		rows[i] = object{}
		for j, c := range t.Columns {
			if l.used[c.Name] {
				rows[i][c.Name] = l.cell(c.Name, row[j])
			}
		}
	}
	return rows
}

// cell is a value as the data has it. A browser takes a date without a time as one in
// UTC, and shows it in its own zone: the day before, west of Greenwich.
func (l *linter) cell(column string, v any) any {
	text, ok := v.(string)
	if !ok || !l.dated[column] {
		return v
	}
	if when, err := time.Parse(time.DateOnly, text); err == nil {
		return when.Format("2006-01-02T15:04:05")
	}
	if when, err := time.Parse("2006-01-02 15:04:05", text); err == nil {
		return when.Format("2006-01-02T15:04:05.999")
	}
	return v
}

// each calls f for each object of a list.
func (l *linter) each(v any, path string, f func(o object, at string)) {
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		l.fault(Malformed, path, "it is a list with something in it")
		return
	}
	for i, e := range list {
		if o, ok := e.(object); ok {
			f(o, item(path, i))
		} else {
			l.fault(Malformed, item(path, i), "it is an object")
		}
	}
}

// word checks that one of some words stands there.
func (l *linter) word(path, what, got string, known []string) bool {
	if slices.Contains(known, got) {
		return true
	}
	l.report(*unknownWord(path, what, got, known))
	return false
}

// between checks a number.
func (l *linter) between(path string, v any, low, high float64) {
	n, ok := number(v)
	if !ok || n < low || n > high {
		l.fault(Malformed, path, "it is a number from %v to %v", low, high)
	}
}

func number(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	f, err := n.Float64()
	return f, err == nil
}
