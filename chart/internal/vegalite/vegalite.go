// Package vegalite has the rules for names in Vega-Lite specs that packages
// chart and chart/lint share.
package vegalite

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/refusal"
)

// Schema is the value of a spec's $schema.
const Schema = "https://vega.github.io/schema/vega-lite/v6.json"

// Style is the house style, a config of Vega-Lite. It sets no color of texts and
// backgrounds, which are those of the page.
//
//go:embed style.json
var Style json.RawMessage

// A Measure is the type of a field.
type Measure string

const (
	Quantitative Measure = "quantitative"
	Temporal     Measure = "temporal"
	Ordinal      Measure = "ordinal"
	Nominal      Measure = "nominal"
)

// Kind returns the kind of the values of a measure.
func (m Measure) Kind() column.Kind {
	switch m {
	case Temporal:
		return column.Times
	case Quantitative, Ordinal:
		return column.Numbers
	}
	return column.Texts
}

// MaxText is the maximum length of a title and of a category, in bytes.
const MaxText = 200

// inherited has the names that every object in a browser has. Vega finds the
// wrong value under them.
var inherited = map[string]bool{
	"__proto__": true, "__defineGetter__": true, "__defineSetter__": true, "__lookupGetter__": true, "__lookupSetter__": true,
	"constructor": true, "hasOwnProperty": true, "isPrototypeOf": true, "propertyIsEnumerable": true,
	"toLocaleString": true, "toString": true, "valueOf": true,
}

// IsInherited reports whether every object in a browser has a property of that
// name.
func IsInherited(name string) bool { return inherited[name] }

// IsUnsafe reports whether r in a name could end the string that the name
// becomes part of. Vega-Lite writes names into expressions and does not escape
// all of them.
func IsUnsafe(r rune) bool {
	return r == '\'' || r == '"' || r == '`' || r == '\\' || r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029'
}

// Escape returns a field name as Vega-Lite reads it: dots and brackets are part
// of the name and not a path.
func Escape(field string) string { return escaper.Replace(field) }

var escaper = strings.NewReplacer(`\`, `\\`, `.`, `\.`, `[`, `\[`, `]`, `\]`, `'`, `\'`, `"`, `\"`)

// Unescape reads the name of a field as Vega-Lite does. steps reports whether it
// contains the characters of a path.
func Unescape(name string) (plain string, steps bool) {
	return escape.ReplaceAllString(name, "$1"), strings.ContainsAny(escape.ReplaceAllString(name, ""), `.[]'"`)
}

var escape = regexp.MustCompile(`(?s)\\(.?)`)

// UnknownWord is the problem that got is not one of words; what is their kind,
// such as "aggregate".
func UnknownWord[W ~string](path, what string, got W, words []W) refusal.Problem {
	known := make([]string, len(words))
	for i, w := range words {
		known[i] = string(w)
	}
	return refusal.Problem{
		Code: "unknown_name", Path: path,
		Message:    fmt.Sprintf("there is no %s %s", what, Quoted(string(got))),
		Candidates: Similar(string(got), known),
	}
}

// synonyms are words that people and other libraries use for those of Vega-Lite.
var synonyms = map[string]string{
	"avg": "mean", "pie": "arc", "donut": "arc", "doughnut": "arc", "scatter": "point", "bubble": "circle",
	"column": "bar", "histogram": "bar", "heatmap": "rect", "group": "color", "label": "text",
	"daily": "yearmonthdate", "weekly": "yearweek", "monthly": "yearmonth", "quarterly": "yearquarter", "yearly": "year",
}

// Similar returns the words that may have been meant, or all words if there are
// few.
func Similar(word string, words []string) []string {
	if meant := synonyms[strings.ToLower(word)]; slices.Contains(words, meant) {
		return []string{meant}
	}
	if near := refusal.Nearest(word, words, 3); len(near) > 0 {
		return near
	}
	if len(words) <= 12 {
		return words
	}
	return nil
}

// Quoted returns a name for an error text, shortened.
func Quoted(name string) string { return prompt.Quote(prompt.Clip(name, 60)) }

// The limits of a chart.
const (
	MaxRows       = 5000      // of data
	MaxBytes      = 512 << 10 // of a spec with its data, which a durable run saves by default
	MaxCategories = 20        // colors, shapes, slices and small charts
)

// AddsUp reports whether the numbers of parts add up to that of the whole. An empty
// aggregate is a sum.
func AddsUp(aggregate string) bool {
	return slices.Contains([]string{"", "sum", "count", "distinct", "missing", "valid"}, aggregate)
}

// Values names the values of a column, for an error text.
func Values(k column.Kind) string { return English.Values(k) }

// NoAggregate is the problem that the values of a column do not have an aggregate.
func NoAggregate(path, name string, k column.Kind, aggregate string) refusal.Problem {
	return refusal.Problem{
		Code: "aggregate_type", Path: path, Candidates: []string{"count", "distinct"},
		Message: fmt.Sprintf("%s has %s, which have no %s: use count, or a column of numbers", Quoted(name), Values(k), aggregate),
	}
}

// TooMany is the problem that a column has more values than can be distinguished.
func TooMany(path, name string, values, most int) refusal.Problem {
	return refusal.Problem{Code: "too_many_categories", Path: path, Message: fmt.Sprintf(
		"%s has %d different values, and at most %d can be distinguished there: show the largest, or use it as x or y",
		Quoted(name), values, most)}
}
