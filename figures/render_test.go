package figures_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
)

// table returns a table with the given columns and rows. A column may have a type
// after a colon.
func table(t testing.TB, columns string, rows ...[]any) qed.Table {
	t.Helper()
	var out qed.Table
	for name := range strings.SplitSeq(columns, ",") {
		name, typ, _ := strings.Cut(name, ":")
		out.Columns = append(out.Columns, qed.Column{Name: name, Type: typ})
	}
	for _, row := range rows {
		if err := out.Append(row...); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// work returns two tables: hours of technicians, and deliveries.
func work(t testing.TB) []figures.Table {
	return []figures.Table{
		{Query: 0, Rows: table(t, "name,hours,cost:DECIMAL,late hours,year,since,load,empty,mixed",
			[]any{"Rosa Ferreira", 37.75, "1234.50", 4, 2026, "2026-03-23", "12.5 kg", nil, "12.5 kg"},
			[]any{"Pekka Åkesson", 28.5, "800.00", -2, 2026, "2026-03-01", "7 kg", nil, "7 kg"},
			[]any{"Pier 17", 0.0123456, "9999999.99", nil, 2025, "2025-12-31T10:30:00Z", "3 kg", nil, "3 t"},
		)},
		{Name: "late", Query: 1, Rows: table(t, "id,days,Days,price,month",
			[]any{4711, 3, 5, "$1,234.50", "2026-03"}, []any{12345, 4, 6, "-$2.00", "2026-02"})},
	}
}

func render(t testing.TB, l figures.Language, question, text string) figures.Result {
	out := figures.NewText(figures.Source{Language: l, Tables: work(t), Data: []any{question}}, nil)
	out.Write(text)
	return out.Close(context.Background())
}

func TestRender(t *testing.T) {
	for _, tt := range []struct{ text, english, german string }{
		{"{r1.hours}", "37.75", "37,75"},
		{"{ R1 . Hours }", "37.75", "37,75"},
		{"{r1.cost} {r3.cost}", "1,234.50 9,999,999.99", "1.234,50 9.999.999,99"},
		{"{r3.hours}", "0.0123", "0,0123"},
		{"{r3.hours:1}", "0.0", "0,0"},
		{`{r2."late hours"}`, "-2", "-2"},
		{`{-r2."late hours"}`, "2", "2"},
		{`{r3."late hours"}`, "(no value)", "(kein Wert)"},
		{`{r1.hours - r3."late hours"}`, "(no value)", "(kein Wert)"},
		{"{sum empty}", "(no value)", "(kein Wert)"},
		{"{r1.year}", "2026", "2026"},
		{"{r1.year - r3.year}", "1", "1"},
		{"{late.r2.id}", "12345", "12345"},
		{"{late.r1.days} {late.r1.Days}", "3 5", "3 5"},
		{"{r1.since}", "23 March 2026", "23. März 2026"},
		{"{r3.since}", "31 December 2025, 10:30", "31. Dezember 2025, 10:30"},
		{"{r1.since - r2.since}", "22 days", "22 Tage"},
		{"{max since}", "23 March 2026", "23. März 2026"},
		{"{r1.load} {late.r1.price} {late.r2.price}", "12.5 kg $1,234.50 -$2.00", "12.5 kg $1,234.50 -$2.00"},
		{"{late.r1.month} {max late.month}", "March 2026 March 2026", "März 2026 März 2026"},
		{"{r1.name}", "Rosa Ferreira", "Rosa Ferreira"},
		{"{sum hours} {avg hours} {min hours} {median hours}", "66.26 22.09 0.0123 28.5", "66,26 22,09 0,0123 28,5"},
		{"{sum(hours)} {count} {count(late)} {count \"late hours\"} {distinct year}", "66.26 3 2 2 2", "66,26 3 2 2 2"},
		{"{count late}", "2", "2"},
		{"{share r1.hours of sum hours}", "57%", "57 %"},
		{"{share r1.hours of (r1.hours + r2.hours)}", "57%", "57 %"},
		{"{share r1.hours of sum hours:2}", "56.97%", "56,97 %"},
		{"{r2.hours / r1.hours :%}", "75.5%", "75,5 %"},
		{"{(r1.hours + r2.hours) * r1.hours - -r2.hours}", "2,529.44", "2.529,44"},
		{"{r3.cost:1M} million, {sum cost:k}k", "10.0 million, 10,002.03k", "10,0 million, 10.002,03k"},
		{"{r1.cost/r1.hours}", "32.7", "32,7"},
		{"{r9}, {}, {a}, {\"json\": 1}, {x\n}, { and }", "{r9}, {}, {a}, {\"json\": 1}, {x\n}, { and }", "{r9}, {}, {a}, {\"json\": 1}, {x\n}, { and }"},
		{"{{r1.hours}}", "{37.75}", "{37,75}"},
	} {
		for l, want := range map[figures.Language]string{figures.English: tt.english, figures.German: tt.german} {
			got := render(t, l, "", tt.text)
			if got.Text != want {
				t.Errorf("%s in %s: %q, want %q", tt.text, l, got.Text, want)
			}
			for _, f := range got.Figures {
				if got.Text[f.Offset:f.Offset+len(f.Text)] != f.Text {
					t.Errorf("%s: the figure %q is not at %d of %q", tt.text, f.Text, f.Offset, got.Text)
				}
			}
		}
	}
}

func TestFiguresNameTheirSources(t *testing.T) {
	got := render(t, figures.English, "", "{r1.HOURS - late.r2.days}, {sum hours}, {count}")
	want := []qed.Figure{
		{Text: "33.75", Reference: "r1.HOURS - late.r2.days", Sources: []qed.FigureSource{
			{Query: 0, Row: 1, Column: "hours"}, {Query: 1, Row: 2, Column: "days"},
		}},
		{Text: "66.26", Offset: 7, Reference: "sum hours", Sources: []qed.FigureSource{{Query: 0, Column: "hours"}}},
		{Text: "3", Offset: 14, Reference: "count", Sources: []qed.FigureSource{{Query: 0}}},
	}
	if diff := cmp.Diff(want, got.Figures); diff != "" {
		t.Error(diff)
	}
}

func TestUnknown(t *testing.T) {
	for _, tt := range []struct {
		text       string
		candidates []string
	}{
		{"{r1.hour}", []string{"hours", "late hours"}},
		{"{r4.hours}", nil},
		{"{sum hourss}", []string{"hours"}},
		{"{lat.r1.days}", []string{"late"}},
		{"{late.r1.DAYS}", []string{"Days", "days"}},
		{"{sum name}", nil},
		{"{sum mixed}", nil},
		{"{r1.mixed - r3.mixed}", nil},
		{"{r1.name + r2.hours}", nil},
		{"{r1.hours / (r1.year - r2.year)}", nil},
		{"{r1.hours:9}", nil},
		{"{r1.load:%}", nil},
		{"{r1.since:k}", nil},
		{"{r1.hours:kk}", nil},
		{"{share r1.hours}", nil},
		{"{sum}", nil},
		{"{r1.hours r2.hours}", nil},
		{"{r1.hours + 5}", nil},
		{"{" + strings.Repeat("(", 20) + "r1.hours" + strings.Repeat(")", 20) + "}", nil},
	} {
		out := figures.NewText(figures.Source{Tables: work(t)}, nil)
		out.Write("It is " + tt.text + ".")
		if tt.text == "{sum}" {
			continue // a word in braces
		}
		unknown := out.Unknown()
		if len(unknown) != 1 || unknown[0].Reason == "" {
			t.Errorf("%s: %v", tt.text, unknown)
			continue
		}
		if diff := cmp.Diff(tt.candidates, unknown[0].Candidates); diff != "" {
			t.Errorf("%s: %v", tt.text, diff)
		}
		if got := out.Close(context.Background()); got.Text != "It is (unknown)." || !slices.Equal(got.Unproved, []string{tt.text}) {
			t.Errorf("%s: %+v", tt.text, got)
		}
	}
}

// The word for an unknown reference proves nothing, unless it is a value of the data.
func TestUnknownInWords(t *testing.T) {
	table := &qed.Table{Columns: []qed.Column{{Name: "owner"}}, Rows: [][]any{{"(unknown)"}}}
	for text, want := range map[string][]string{"It is (unknown).": {"(unknown)"}, "It is {r1.owner}.": nil} {
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Name: "all", Rows: *table}}}, nil)
		out.Write(text)
		if got := out.Close(context.Background()); got.Text != "It is (unknown)." || !slices.Equal(got.Unproved, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestCorrect(t *testing.T) {
	var shown strings.Builder
	out := figures.NewText(figures.Source{Tables: work(t)}, func(s string) { shown.WriteString(s) })
	out.Write("{r1.hours} of {r1.hour} or {r7.hours}, then {r2.hours}.")
	if shown.String() != "37.75 of " {
		t.Errorf("before the correction %q is shown", shown.String())
	}
	if unknown := out.Unknown(); len(unknown) != 2 {
		t.Errorf("unknown: %v", unknown)
	}
	out.Correct(map[string]string{"r1.hour": "{r1.hours}", "r7.hours": "r8.hours"})
	got := out.Close(context.Background())
	if want := "37.75 of 37.75 or (unknown), then 28.5."; got.Text != want || shown.String() != want {
		t.Errorf("%q, shown %q, want %q", got.Text, shown.String(), want)
	}
	if len(got.Figures) != 3 || len(got.Unproved) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestUnproved(t *testing.T) {
	for _, tt := range []struct {
		question, text string
		want           []string
	}{
		{"", "{r1.hours} hours, as 37.75 or 37.8.", nil},
		{"", "{r1.hours} million", []string{"37.75 million"}},
		{"", "{r3.cost:0M} million or {sum cost:M} Mio., {r3.cost:0k} kB", nil},
		{"", "{sum cost:k}; {sum cost:1M} thousand", []string{"10,002.03", "10.0 thousand"}},
		{"", "1{r1.hours}", []string{"137.75"}},
		{"", "-{r1.hours} is fine, +{r1.hours} too", nil},
		{"", "{r1.hours}%", nil},                   // a column may have percentages
		{"", "{r3.hours} %", []string{"0.0123 %"}}, // or fractions
		{"", "{r2.hours / r1.hours:2}% and {r2.hours / r1.hours:2%}", []string{"0.75%"}},
		{"more than 20 hours", "More than 20 hours: {r1.name}, {r2.name}.", nil},
		{"", "More than 20 hours: {r1.name}.", []string{"20"}},
		{"", "{r3.name} on {r1.since}; Pier 17", nil},
		{"", "The 3 largest, the 10 most expensive, and die 10 größten: die 10 besten und die 10 ältesten: {r1.name}; 47 Kosten", []string{"47"}},
		{"", "1. {r1.name}\n2. {r2.name}\n 3) {r3.name}\n", nil},
		{"", "1. {r1.name}\n9. {r2.name}\n", nil}, // a list may begin anywhere
		{"", "– “{r1.hours}” – and 41", []string{"41"}},
		{"", "In all 3 rows, 4711 and 12345", nil},
		{"", "It is 66.26.", []string{"66.26"}}, // the sum is not in the data
		{"", "It is {sum hours}: 66.26, about 66.3.", nil},
		{"", "It is {sum hours}, and not 67.26 or -66.26.", []string{"67.26", "-66.26"}},
	} {
		got := render(t, figures.English, tt.question, tt.text)
		if diff := cmp.Diff(tt.want, got.Unproved); diff != "" {
			t.Errorf("%s: %s", tt.text, diff)
		}
	}
}

// What may be the beginning of a reference is no text if the reply broke off there.
func TestCutOff(t *testing.T) {
	table := &qed.Table{Columns: []qed.Column{{Name: "hours"}}, Rows: [][]any{{int64(37)}}}
	for text, want := range map[string]string{
		"It is {r1.ho":            "It is ",
		"It is {r1.hours":         "It is ",
		"It is {r1.hours}.":       "It is 37.",
		"It is {r1.hours}, {":     "It is 37, ",
		"It is {r1.minutes}, {r1": "It is (unknown), {r1",
		"It is {so}.":             "It is {so}.",
	} {
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: *table}}}, nil)
		out.Write(text)
		out.CutOff()
		if got := out.Close(t.Context()).Text; got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A figure is read as its language writes it.
func TestUnprovedNextToFigures(t *testing.T) {
	table := &qed.Table{Columns: []qed.Column{{Name: "cost"}}, Rows: [][]any{{int64(4000)}, {int64(217)}}}
	for text, want := range map[string][]string{
		"{sum cost}, also 4.217":       nil,
		"{sum cost}, also rund 4.220":  nil,
		"{sum cost}, also 4,217 Liter": {"4,217"},
	} {
		out := figures.NewText(figures.Source{Language: figures.German, Tables: []figures.Table{{Rows: *table}}}, nil)
		out.Write(text)
		if diff := cmp.Diff(want, out.Close(t.Context()).Unproved); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}

func TestRows(t *testing.T) {
	rows := table(t, "name,hours", []any{"a </rows>", 1.5}, []any{"b", nil}, []any{"c", 3})
	text, n := figures.Rows(&rows, 2, 1000)
	want := "[\"name\",\"hours\"]\nr1 [\"a \\u003c/rows\\u003e\",1.5]\nr2 [\"b\",null]"
	if text != want || n != 2 {
		t.Errorf("%d rows: %s", n, text)
	}
}

func TestTruncatedRows(t *testing.T) {
	tables := work(t)
	tables[0].Rows.Truncated = true
	out := figures.NewText(figures.Source{Tables: tables}, nil)
	out.Write("{r1.hours}, {sum hours}, {count}, {count late}")
	if unknown := out.Unknown(); len(unknown) != 2 {
		t.Errorf("%v", unknown)
	}
}

// Pieces of a text render as the whole text does, and no piece of text waits
// unless it may be part of a reference.
func FuzzWrite(f *testing.F) {
	f.Add("It is {r1.hours} and {a}, {sum hours} {\"x\": {r9.hours}}", uint64(1))
	f.Add("{{{r1.hours - (r2.hours}}} {share r1.hours of sum hours:1} 1{r1.hours} {r1.since - r3.since}", uint64(2))
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		if !utf8.ValidString(text) || len(text) > 2000 {
			return
		}
		want := render(t, figures.English, "", text)
		random := rand.New(rand.NewPCG(seed, 0))
		var shown strings.Builder
		out := figures.NewText(figures.Source{Tables: work(t)}, func(s string) { shown.WriteString(s) })
		for rest := text; rest != ""; {
			n := min(len(rest), 1+random.IntN(9))
			out.Write(rest[:n])
			rest = rest[n:]
		}
		out.Unknown()
		got := out.Close(context.Background())
		if diff := cmp.Diff(want, got); diff != "" || shown.String() != got.Text {
			t.Errorf("%q: shown %q, %s", text, shown.String(), diff)
		}
		for _, f := range got.Figures {
			if got.Text[f.Offset:f.Offset+len(f.Text)] != f.Text {
				t.Errorf("%q: the figure %+v is not in its place", text, f)
			}
		}
	})
}

// Of 500 generated answers, half have wrong references or numbers that the model
// typed. All of these are listed, and nothing else.
func TestGeneratedAnswers(t *testing.T) {
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 17))
		rows := table(t, "name,hours,cost:DECIMAL,count", generatedRows(random)...)
		text, wrong := generatedAnswer(random, &rows, seed%2 == 1)
		l := []figures.Language{figures.English, figures.German}[random.IntN(2)]
		if l == figures.German {
			text = strings.ReplaceAll(text, "typed ", "getippt ")
		}
		out := figures.NewText(figures.Source{Language: l, Tables: []figures.Table{{Rows: rows}}}, nil)
		out.Write(text)
		got := out.Close(context.Background())
		slices.Sort(wrong)
		slices.Sort(got.Unproved)
		if diff := cmp.Diff(wrong, got.Unproved); diff != "" {
			t.Errorf("seed %d: %s: %s\n%s", seed, text, got.Text, diff)
		}
	}
}

// generatedRows returns 1 to 1,000 rows.
func generatedRows(random *rand.Rand) [][]any {
	n := []int{1, 2, 5, 40, 1000}[random.IntN(5)]
	rows := make([][]any, n)
	for i := range rows {
		rows[i] = []any{
			"Crew " + string(rune('A'+random.IntN(26))),
			float64(random.IntN(100_000)) / 4,
			strconv.FormatFloat(float64(random.IntN(10_000_000)-100_000)/100, 'f', 2, 64),
			random.IntN(5000),
		}
		if random.IntN(10) == 0 {
			rows[i][1+random.IntN(3)] = nil
		}
	}
	return rows
}

// generatedAnswer returns a text about rows, and what is wrong in it.
func generatedAnswer(random *rand.Rand, rows *qed.Table, bad bool) (text string, wrong []string) {
	var b strings.Builder
	columns := []string{"hours", "cost", "count"}
	row := func() int { return 1 + random.IntN(len(rows.Rows)) }
	column := func() string { return columns[random.IntN(len(columns))] }
	for range 1 + random.IntN(8) {
		b.WriteString("so it is ")
		switch random.IntN(6) {
		case 0:
			fmt.Fprintf(&b, "{r%d.name} with {r%d.%s}", row(), row(), column())
		case 1:
			fmt.Fprintf(&b, "{%s %s}", []string{"sum", "avg", "min", "max", "median"}[random.IntN(5)], column())
		case 2:
			fmt.Fprintf(&b, "{r%d.%s - r%d.%s}", row(), columns[0], row(), columns[0])
		case 3:
			fmt.Fprintf(&b, "{count} of {distinct name}")
		case 4:
			fmt.Fprintf(&b, "{r%d.%s:1}", row(), column())
		case 5:
			fmt.Fprintf(&b, "{r%d.since}", len(rows.Rows)+1)
			b.Reset() // an answer may begin again
		}
		b.WriteString("; ")
	}
	if !bad {
		return b.String(), nil
	}
	for range 1 + random.IntN(3) {
		var reference string
		switch random.IntN(4) {
		case 0:
			reference = fmt.Sprintf("{r%d.%s}", len(rows.Rows)+1+random.IntN(5), column())
		case 1:
			reference = fmt.Sprintf("{sum %s}", []string{"hour", "costs", "number"}[random.IntN(3)])
		case 2:
			reference = fmt.Sprintf("{r%d.%s + r%d.name}", row(), column(), row())
		case 3: // larger than anything in the data
			reference = strconv.Itoa(200_000_000 + random.IntN(100_000_000))
			b.WriteString("typed ")
		}
		b.WriteString(reference + "; ")
		wrong = append(wrong, reference)
	}
	return b.String(), wrong
}

func BenchmarkFigures(b *testing.B) {
	rows := table(b, "name,hours,cost:DECIMAL,count", generatedRows(rand.New(rand.NewPCG(4, 17)))...)
	rows.Rows = rows.Rows[:min(20, len(rows.Rows))]
	text := strings.Repeat("The technicians of the company worked as much as the plan says, or a little more. ", 12)
	for i := range 10 {
		at := 100 * i
		text = text[:at] + fmt.Sprintf("{r%d.%s} ", 1+i%len(rows.Rows), []string{"hours", "cost", "name"}[i%3]) + text[at:]
	}
	b.Run("render", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}}, nil)
			out.Write(text)
			if got := out.Close(context.Background()); len(got.Figures) != 10 || len(got.Unproved) > 0 {
				b.Fatal(got)
			}
		}
	})
	b.Run("json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(rows); err != nil {
				b.Fatal(err)
			}
		}
	})
}
