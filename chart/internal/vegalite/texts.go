package vegalite

import (
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
	OtherType, AsTexts                        string
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

	Filtered, Sampled, FilledIn, MadeColumns   string
	NegativeSlice, NotPositive                 string
	NothingToDraw, Bar, StackedBar, GroupedBar string
	Line, Area, Scatter, Histogram, Box        string
	Heatmap, Pie                               string
}

var shipped = usertext.New(map[string]Texts{
	usertext.English: {
		Row: "1 row", Rows: "{n} rows", Is: "is", Are: "are", Has: "has", Have: "have",
		MoreRows:  "There are more rows than the table has, and they are not drawn.",
		Missing:   "Rows may be missing: {reason}.",
		OtherType: "{n} of the {all} values of {column} {are} not drawn, because the column has {values}.",
		AsTexts:   "{column} is drawn as texts: not all of its values are dates.",
		AddedUp:   "Several rows have the same place, so their {column} is added up.",
		Averaged:  "Several rows have the same place, so the mean of their {column} is drawn.",
		ByUnit:    "Dates of {column} are drawn by {unit}.",

		NotCounted: "{rows} without a value {are} not counted.",
		NotDrawn:   "{rows} without a value {are} not drawn.",
		NoValueOf:  "{rows} without a value of {column} {are} not drawn{more}.",
		AlsoGone:   "; {n} of the {all} values of {column} {have} no other rows",

		Points:   "Of {all} points, {n} are drawn, taken evenly.",
		Boxes:    "The boxes are drawn from about {n} of {all} values, taken at even ranks.",
		Evenly:   "Of the {all} values of {column}, {n} are drawn, taken evenly.",
		Together: "The {n} smallest of the {all} values of {column} are drawn as {rest}.",
		Selected: "{n} of the {all} values of {column} are drawn{basis}.",
		Largest:  ", those of the largest {what}", Smallest: ", those of the smallest {what}",
		None: "(none)", Other: "(other)", Numbers: "numbers", Dates: "dates", Texts: "texts",
		Second: "second", Minute: "minute", Hour: "hour", Day: "day", Month: "month", Year: "year",

		NumberOfRows: "number of rows", NumberOf: "number of {column}", Sum: "sum of {column}", Mean: "mean of {column}",
		Median: "median of {column}", Min: "min of {column}", Max: "max of {column}",
		Distribution: "distribution of {column}", Against: "{y} against {x}", Spread: "spread of {column}", By: " by {column}",
		And: " and {column}", Average: "average",

		Filtered:      "A filter of the chart leaves rows out.",
		Sampled:       "A random sample of at most {n} rows is drawn, a different one each time.",
		FilledIn:      "Gaps are filled with values that are not in the rows.",
		MadeColumns:   "At most {n} of the columns that the chart makes from values are drawn.",
		NegativeSlice: "Some of the numbers of {column} are negative, and a slice cannot be.",
		NotPositive:   "Some of the numbers of {column} are not above 0, and cannot be drawn on a logarithmic scale.",

		NothingToDraw: "There is nothing to draw: there are no rows.",
		Bar:           "Bar chart", StackedBar: "Stacked bar chart", GroupedBar: "Grouped bar chart", Line: "Line chart",
		Area: "Area chart", Scatter: "Scatter chart", Histogram: "Histogram", Box: "Box plot", Heatmap: "Heatmap", Pie: "Pie chart",
	},
	usertext.German: {
		Row: "1 Zeile", Rows: "{n} Zeilen", Is: "wird", Are: "werden", Has: "hat", Have: "haben",
		MoreRows:  "Es gibt mehr Zeilen, als die Tabelle hat. Sie sind nicht gezeichnet.",
		Missing:   "Es können Zeilen fehlen: {reason}.",
		OtherType: "{n} der {all} Werte von {column} {are} nicht gezeichnet, weil die Spalte {values} hat.",
		AsTexts:   "{column} ist als Text gezeichnet: Nicht alle Werte sind Daten eines Kalenders.",
		AddedUp:   "Mehrere Zeilen haben denselben Platz, daher ist {column} summiert.",
		Averaged:  "Mehrere Zeilen haben denselben Platz, daher ist der Mittelwert von {column} gezeichnet.",
		ByUnit:    "{column} ist zusammengefasst: {unit}.",

		NotCounted: "{rows} ohne Wert {are} nicht gezählt.",
		NotDrawn:   "{rows} ohne Wert {are} nicht gezeichnet.",
		NoValueOf:  "{rows} ohne Wert in {column} {are} nicht gezeichnet{more}.",
		AlsoGone:   "; {n} der {all} Werte von {column} {have} keine anderen Zeilen",

		Points:   "Von {all} Punkten sind {n} gezeichnet, gleichmäßig ausgewählt.",
		Boxes:    "Gezeichnet sind etwa {n} von {all} Werten, gleichmäßig nach ihrem Rang ausgewählt.",
		Evenly:   "Von den {all} Werten von {column} sind {n} gezeichnet, gleichmäßig ausgewählt.",
		Together: "Die {n} kleinsten der {all} Werte von {column} sind als {rest} gezeichnet.",
		Selected: "{n} der {all} Werte von {column} sind gezeichnet{basis}.",
		Largest:  ", die größten nach: {what}", Smallest: ", die kleinsten nach: {what}",
		None: "(ohne)", Other: "(andere)", Numbers: "Zahlen", Dates: "Zeitangaben", Texts: "Texte",
		Second: "je Sekunde", Minute: "je Minute", Hour: "je Stunde", Day: "je Tag", Month: "je Monat", Year: "je Jahr",

		NumberOfRows: "Anzahl der Zeilen", NumberOf: "Anzahl: {column}", Sum: "Summe: {column}", Mean: "Mittelwert: {column}",
		Median: "Median: {column}", Min: "Minimum: {column}", Max: "Maximum: {column}",
		Distribution: "Verteilung: {column}", Against: "{y} gegen {x}", Spread: "Streuung: {column}", By: " nach {column}",
		And: " und {column}", Average: "Ø",

		Filtered:      "Ein Filter des Diagramms lässt Zeilen weg.",
		Sampled:       "Gezeichnet ist eine Zufallsauswahl von höchstens {n} Zeilen, jedes Mal eine andere.",
		FilledIn:      "Lücken sind mit Werten gefüllt, die nicht in den Zeilen stehen.",
		MadeColumns:   "Höchstens {n} der Spalten, die das Diagramm aus Werten bildet, sind gezeichnet.",
		NegativeSlice: "Einige Zahlen von {column} sind negativ, und ein Tortenstück kann das nicht sein.",
		NotPositive:   "Einige Zahlen von {column} sind nicht größer als 0 und auf einer logarithmischen Skala nicht darstellbar.",

		NothingToDraw: "Es gibt nichts zu zeichnen: Es sind keine Zeilen da.",
		Bar:           "Balkendiagramm", StackedBar: "Gestapeltes Balkendiagramm", GroupedBar: "Gruppiertes Balkendiagramm",
		Line: "Liniendiagramm", Area: "Flächendiagramm", Scatter: "Punktdiagramm", Histogram: "Histogramm", Box: "Boxplot",
		Heatmap: "Heatmap", Pie: "Kreisdiagramm",
	},
})

// TextsIn returns the texts of a language.
func TextsIn(language string) *Texts { return shipped.In(language) }

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
