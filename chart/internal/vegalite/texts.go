package vegalite

import (
	"context"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/usertext"
)

// Texts are what the charts of both packages say to a reader.
type Texts struct {
	Row, Rows, Is, Are, Has, Have string

	MoreRows, Missing                         string
	OtherType                                 string
	AddedUp, Averaged, ByUnit                 string
	NotCounted, NotDrawn, NoValueOf, AlsoGone string
	Points, Boxes, Evenly, Together           string
	Selected, Largest, Smallest               string
	None, Other                               string
	Numbers, Dates, Texts                     string
	Second, Minute, Hour, Day, Month, Year    string

	NumberOfRows, NumberOf, Sum, Mean, Median, Min, Max string
	Distribution, Against, Spread, By, And              string
	Average                                             string // at the start of a column's name

	Filtered                                   string
	NegativeSlice, NotPositive                 string
	NothingToDraw, Bar, StackedBar, GroupedBar string
	Line, Area, Scatter, Histogram, Box        string
	Heatmap, Pie                               string

	// How Vega writes numbers, amounts ({n}) and dates. Names are separated by spaces.
	Decimal, Thousands, Currency         string
	DateTime, Date                       string // in the format of D3
	Days, ShortDays, Months, ShortMonths string
}

var textTable = usertext.Of[Texts]("chart")

// English are the texts of this module in English, which texts for a model use as well.
var English = TextsIn(context.Background(), usertext.English)

// TextsIn returns the texts of a language.
func TextsIn(ctx context.Context, language string) *Texts { return textTable.In(ctx, language) }

// locale returns how Vega writes numbers and dates.
func (t *Texts) locale() map[string]any {
	list := func(words string) (all []any) {
		for word := range strings.FieldsSeq(words) {
			all = append(all, word)
		}
		return all
	}
	before, after, _ := strings.Cut(t.Currency, "{n}")
	return map[string]any{
		"number": map[string]any{
			"decimal": t.Decimal, "thousands": t.Thousands, "grouping": []any{3}, "currency": []any{before, after},
		},
		"time": map[string]any{
			"dateTime": t.DateTime, "date": t.Date, "time": "%H:%M:%S", "periods": []any{"AM", "PM"},
			"days": list(t.Days), "shortDays": list(t.ShortDays), "months": list(t.Months), "shortMonths": list(t.ShortMonths),
		},
	}
}

// CountOf returns a number of rows in words, and the verb that follows it.
func (t *Texts) CountOf(n int) (rows, are string) {
	if n == 1 {
		return t.Row, t.Is
	}
	return usertext.Fill(t.Rows, "n", strconv.Itoa(n)), t.Are
}

// Values names the values of a column.
func (t *Texts) Values(k column.Kind) string {
	switch k {
	case column.Numbers:
		return t.Numbers
	case column.Times:
		return t.Dates
	}
	return t.Texts
}

// NotOfType is the note on values that do not have the type of their column.
func (t *Texts) NotOfType(other, all int, name string, k column.Kind) string {
	_, are := t.CountOf(other)
	return usertext.Fill(t.OtherType, "n", strconv.Itoa(other), "all", strconv.Itoa(all), "column", name, "are", are, "values", t.Values(k))
}

// Aggregated names an aggregate of a column. An empty one is the column itself.
func (t *Texts) Aggregated(aggregate, column string) string {
	form := map[string]string{
		"count": t.NumberOf, "valid": t.NumberOf, "distinct": t.NumberOf, "sum": t.Sum, "mean": t.Mean, "average": t.Mean,
		"median": t.Median, "min": t.Min, "max": t.Max,
	}[aggregate]
	switch {
	case aggregate == "count" && column == "":
		return t.NumberOfRows
	case aggregate == "":
		return column
	case form == "":
		return aggregate + " " + column
	}
	return usertext.Fill(form, "column", column)
}

// Words returns the name of a column as a person writes it: order_month and orderMonth
// are "order month", and margin_pct is "margin %".
func (t *Texts) Words(name string) string {
	words := strings.Fields(textmatch.Spaced(name))
	shout := len(words) > 1 && !strings.ContainsFunc(name, unicode.IsLower)
	for i, word := range words {
		switch lower := strings.ToLower(word); {
		case i > 0 && (lower == "pct" || lower == "percent"):
			words[i] = "%"
		case i == 0 && len(words) > 1 && lower == "avg":
			words[i] = t.Average
		case shout, i > 0 && !strings.ContainsAny(name, "_ ") && strings.ContainsFunc(word, unicode.IsLower):
			words[i] = lower
		}
	}
	return strings.Join(words, " ")
}

// Sentence returns a text with a capital letter at its start.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Title is the title of an axis or a legend. A title becomes part of an expression, in
// which Vega-Lite escapes quotes only.
func Title(name string) string {
	name = Sentence(name) // a tooltip would show an entry with the name image as an image
	if IsInherited(name) {
		return name + "_"
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r == '\\':
			return '/'
		case r != '"' && r != '\'' && r != '`' && IsUnsafe(r):
			return ' '
		}
		return r
	}, name)
	return prompt.Clip(name, MaxText)
}
