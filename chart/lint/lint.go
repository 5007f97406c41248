// Package lint checks Vega-Lite specs that a model or another program wrote against
// the rows that they are to show, and puts the rows into them.
//
// [Check] accepts specs that only draw: they use marks, channels, transforms, scales
// and interactions of Vega-Lite 6, or of 4 and 5 where these are the same. It refuses
// specs that
//
//   - are not valid under the JSON schema of Vega-Lite 6.4;
//   - load, link or run something: a url or href, images, maps, data from
//     elsewhere, expressions in any form, parameters bound to elements of a page,
//     usermeta;
//   - make no sense for the rows: unknown fields, types and aggregates that the
//     values do not have, more colors than can be distinguished, stacked parts that
//     do not add up, sums of averages, several rows in one bar, bars that do not begin
//     at zero, percent signs behind percentages, filters that no row passes, negative
//     slices, logarithms of numbers that are not positive;
//   - repeat a view for several fields;
//   - are too expensive to check or to draw: more than 5000 rows, more than
//     2000 objects and lists, an unbounded number of bins or ticks.
//
// The schema is compiled for the first spec, which takes about half a second.
// Columns are read by the rules of packages [chart] and [tools].
//
// [chart]: https://pkg.go.dev/github.com/qedkit/qed/chart
// [tools]: https://pkg.go.dev/github.com/qedkit/qed/tools
package lint

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/chart"
	"github.com/qedkit/qed/chart/internal/vegalite"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Codes of refusals. A refused spec is a [*refusal.Error] whose problems have
// these codes. Their paths are JSON Pointers into the spec.
const (
	ErrInvalidJSON refusal.Code = "invalid_json" // not JSON, or an object has a key twice
	ErrTooLarge    refusal.Code = "too_large"    // longer, deeper or more rows than allowed
	ErrMalformed   refusal.Code = "malformed"    // a part is missing, or has another type
	ErrUnknownName refusal.Code = "unknown_name" // there is no such property, mark, channel or word
	ErrUnsupported refusal.Code = "unsupported"  // it exists in Vega-Lite and is not supported here
	ErrExternal    refusal.Code = "external"     // it would load or link to something
	ErrExpression  refusal.Code = "expression"   // it would run an expression
	ErrNoData      refusal.Code = "no_data"      // there is nothing to draw
	ErrOtherKind   refusal.Code = "other_kind"   // it draws another kind of chart than Options.Kind
	ErrForeignData refusal.Code = "foreign_data" // data of its own in a spec that gets rows

	ErrUnknownField      refusal.Code = "unknown_field"       // the rows have no such field
	ErrFieldPath         refusal.Code = "field_path"          // dots or brackets in the name would be read as a path
	ErrFieldType         refusal.Code = "field_type"          // the values of the field do not have the type
	ErrAggregateType     refusal.Code = "aggregate_type"      // the values have no such aggregate, as texts have no sum
	ErrTooManyCategories refusal.Code = "too_many_categories" // more colors or slices than can be distinguished
)

// Options are the options of [Check]. The zero value accepts every kind of chart
// and uses the defaults.
type Options struct {
	Kind  chart.Kind // the spec has to draw it; empty allows every kind
	Title string     // replaces the title of the spec; empty keeps it

	// Language is that of the texts and numbers, as in [chart.Options].
	Language string
}

// The limits of a spec.
const (
	maxRows       = vegalite.MaxRows
	maxBytes      = vegalite.MaxBytes // of the spec with its data
	maxCategories = vegalite.MaxCategories
)

func refuse(problems ...refusal.Problem) error {
	return &refusal.Error{Package: "lint", Problems: problems}
}

// Check checks a Vega-Lite spec and returns it with the rows of t as its data. A
// refused spec is a [*refusal.Error] with all problems that were found, up to 50.
//
// The rows of t are the only data: a spec with data of its own is refused.
//
// Only the fields that the spec names are put in, as numbers or times where the
// spec uses them as such. Dates without a time of day are written so that a
// browser in any time zone shows the same day. The house style replaces the
// config and the background of the spec. The notes report that transforms leave
// rows out.
func Check(ctx context.Context, spec []byte, t *qed.Table, o Options) (*chart.Spec, error) {
	if len(spec) > maxBytes {
		return nil, refuse(refusal.Problem{
			Code: ErrTooLarge, Message: fmt.Sprintf("the spec has %d bytes, and at most %d are allowed", len(spec), maxBytes),
		})
	}
	root, err := parse(spec)
	if err != nil {
		return nil, err
	}
	delete(root, "config") // the house style replaces both
	delete(root, "background")
	switch all, nested := parts(root); {
	case all > maxParts:
		return nil, refuse(refusal.Problem{
			Code: ErrTooLarge, Message: fmt.Sprintf("the spec has %d values without its data, "+
				"and at most %d are allowed", all, maxParts),
		})
	case nested > maxNested:
		return nil, refuse(refusal.Problem{
			Code: ErrTooLarge, Message: fmt.Sprintf("the spec has %d objects and lists without its data, "+
				"and at most %d are allowed", nested, maxNested),
		})
	}
	s, err := schema()
	if err != nil {
		return nil, err
	}
	l := &linter{schema: s, texts: vegalite.TextsIn(ctx, o.Language), uses: map[string]use{}, params: map[string]bool{}}
	top, err := l.rows(t)
	if err != nil {
		return nil, err
	}
	entitle(root, o.Title)
	l.declare(root)
	// Each step relies on the steps before it having refused the rest.
	for _, step := range []func(){
		func() {
			if v, ok := root["$schema"].(string); root["$schema"] != nil && (!ok || !schemaNames.MatchString(v)) {
				l.fault(ErrUnsupported, "/$schema", "it is not Vega-Lite 4 to 6: write %s", vegalite.Schema)
			}
			l.safe(root, "", "", 0)
		},
		func() { err = l.valid(root) },
		func() { l.view(root, "", top) },
		func() {
			if len(l.uses) == 0 && !l.counted {
				l.fault(ErrNoData, "", "it shows no field of the rows")
			}
		},
		func() { l.kind(root, o.Kind) },
	} {
		if step(); err != nil {
			return nil, err
		}
		if len(l.problems) > 0 {
			return nil, refuse(l.problems...)
		}
	}
	rows := l.values(top, len(t.Rows))
	l.titles(root)
	vegalite.Finish(root, rows, l.texts)
	root["data"] = object{"values": rows}
	text, err := json.Marshal(root)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	if len(text) > maxBytes {
		return nil, refuse(refusal.Problem{Code: ErrTooLarge, Message: fmt.Sprintf(
			"the spec has %d bytes with its rows, and at most %d are allowed: change the query to find fewer rows",
			len(text), maxBytes)})
	}
	out := &chart.Spec{JSON: text, Title: titleOf(root), Kind: o.Kind, Notes: l.notes}
	if t.Truncated {
		out.Notes = append(out.Notes, l.texts.MoreRows)
	}
	return out, nil
}

// object is a JSON object.
type object = map[string]any

// entitle sets the title, and keeps its style and its subtitle.
func entitle(root object, title string) {
	if title == "" {
		return
	}
	if o, ok := root["title"].(object); ok {
		o["text"] = title
	} else {
		root["title"] = title
	}
}

// titleOf returns the first line of a spec's title.
func titleOf(root object) string {
	t := root["title"]
	if o, ok := t.(object); ok {
		t = o["text"]
	}
	if lines, ok := t.([]any); ok && len(lines) > 0 {
		t = lines[0]
	}
	text, _ := t.(string)
	return prompt.Clip(text, vegalite.MaxText)
}

// A linter collects the problems of one spec.
type linter struct {
	schema   *vegaLiteSchema
	texts    *vegalite.Texts
	problems []refusal.Problem
	params   map[string]bool
	uses     map[string]use // by the name of a column
	counted  bool           // the spec counts rows
	notes    []string
	views    int
}

// A use is how a spec uses a column.
type use struct{ number, time bool }

const maxProblems = 50

func (l *linter) fault(code refusal.Code, path, format string, args ...any) {
	l.report(refusal.Problem{Code: code, Path: path, Message: fmt.Sprintf(format, args...)})
}

func (l *linter) report(p refusal.Problem) {
	if len(l.problems) < maxProblems {
		l.problems = append(l.problems, p)
	}
}

// note adds a note once.
func (l *linter) note(text string) {
	l.notes = lists.Add(l.notes, text)
}

// listOf returns what a list has, or a value alone, as most properties accept both.
func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

// each calls f for each object of a list.
func (l *linter) each(v any, path string, f func(o object, at string)) {
	list, _ := v.([]any)
	for i, e := range list {
		if o, ok := e.(object); ok {
			f(o, item(path, i))
		}
	}
}

// textsOf returns the texts of a list.
func textsOf(v any) (texts []string) {
	list, _ := v.([]any)
	for _, e := range list {
		if s, ok := e.(string); ok {
			texts = append(texts, s)
		}
	}
	return texts
}

// between checks a number, if there is one.
func (l *linter) between(path string, v any, low, high float64) {
	if n, ok := number(v); ok && (n < low || n > high) {
		l.fault(ErrMalformed, path, "it has to be a number from %v to %v", low, high)
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
