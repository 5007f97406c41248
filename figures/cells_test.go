package figures_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
)

// A text is shown as it is, whatever it looks like and in each language.
func TestTextsAreShownAsTheyAre(t *testing.T) {
	for _, text := range []string{
		"WO-10229", "Room 010", "ISO 9001", "Warehouse 1", "Pier 17", "10229", "007", "1e5", "1E5", "2026-03", "1.10", "1,234", "1.234", "12,5",
		"12.5 kg", "$1,234.50", "1.234,50 €", "12 %", "3/4", "3:1", "14:30", "+49 30 1234", "(12)", "-5", " 12 ", "12\u00a0kg", "１２", "١٢", "½", "NaN",
		"Infinity", "0x1F", "1_000", "5 V", "Line 1\nLine 2", "{r1.a}", "{a", "**12**", "2026-03-31", "2026-03-31T14:30:00Z", "true", "null", "a b", "\u200f12",
	} {
		for _, other := range []string{text, "words", "12"} {
			for _, l := range []figures.Language{figures.English, figures.German} {
				for _, typ := range []string{"VARCHAR", "text", "keyword"} {
					rows := table(t, "name,code:"+typ, []any{"a", text}, []any{"b", other})
					out := figures.NewText(figures.Source{Language: l, Tables: []figures.Table{{Rows: rows}}}, nil)
					out.Write("It is {r1.code}.")
					if got := out.Close(t.Context()); got.Text != "It is "+text+"." || got.Unproved != nil {
						t.Errorf("%q in a %s column with %q: %q, not proved %q", text, typ, other, got.Text, got.Unproved)
					}
				}
			}
		}
	}
}

// A column without a type has texts too. Only times may be written out.
func TestTextsOfColumnsWithoutType(t *testing.T) {
	for _, tt := range []struct{ first, second, want string }{
		{"WO-10229", "WO-10230", "WO-10229"},
		{"10229", "10230", "10229"},
		{"1234.50", "2.00", "1234.50"},
		{"2026-03", "2026-04", "2026-03"},
		{"12.5 kg", "3 kg", "12.5 kg"},
		{"2026-03-31", "Easter", "2026-03-31"},
		{"2026-03-31", "2026-04-01", "31. März 2026"},
	} {
		rows := table(t, "thing", []any{tt.first}, []any{tt.second})
		out := figures.NewText(figures.Source{Language: figures.German, Tables: []figures.Table{{Rows: rows}}}, nil)
		out.Write("{r1.thing}")
		if got := out.Close(t.Context()); got.Text != tt.want {
			t.Errorf("%s: %q, want %q", tt.first, got.Text, tt.want)
		}
	}
}

// Texts are computed with only if the column says what they are.
func TestComputingWithTexts(t *testing.T) {
	const unknown = "(unknown)"
	for _, tt := range []struct {
		column string
		cells  []any
		want   string // of {sum c}
	}{
		{"c", []any{"12.5 kg", "7 kg"}, unknown},
		{"c", []any{"$1,234.50", "-$2.00"}, unknown},
		{"c", []any{"12.5 kg", "seven"}, unknown},
		{"c", []any{"12.5 kg", 7}, unknown},
		{"c", []any{"1,5 kg", "2.5 kg"}, unknown},
		{"c", []any{"Room 10", "Room 11"}, unknown},
		{"c", []any{"10 Room", "11 Room"}, unknown},
		{"c", []any{"WO-10", "WO-11"}, unknown},
		{"c", []any{"010 kg", "011 kg"}, unknown},
		{"c", []any{"1.50", "2"}, "3.50"},
		{"c", []any{"1.50", "x"}, unknown},
		{"c:VARCHAR", []any{"1.50", "2"}, unknown}, // codes
		{"c:DECIMAL", []any{"1.50", "2.25"}, "3.75"},
		{"c:NUMERIC", []any{"1e3", "2"}, "1,002"},
		{"c", []any{math.MaxFloat64, 1.0}, ""},
		{"c:DECIMAL", []any{strings.Repeat("9", 400), "1"}, unknown},
	} {
		var rows [][]any
		for _, c := range tt.cells {
			rows = append(rows, []any{c})
		}
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: table(t, tt.column, rows...)}}}, nil)
		out.Write("{sum c}")
		if why := out.Unknown(); tt.want == unknown && (len(why) != 1 || why[0].Reason == "") {
			t.Errorf("%v: %v", tt.cells, why)
		}
		if got := out.Close(t.Context()); tt.want != "" && got.Text != tt.want {
			t.Errorf("%v: %q, want %q", tt.cells, got.Text, tt.want)
		}
	}
}

// A cell that is too long to show is unknown, and is not cut.
func TestLongCells(t *testing.T) {
	rows := table(t, "note,n", []any{strings.Repeat("1 2026-03-31 ", 80_000), 1}, []any{strings.Repeat("x", 4000), 2})
	out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}}, nil)
	out.Write("{r2.note} {r2.n} 41 {r1.note}")
	if why := out.Unknown(); len(why) != 1 || !strings.Contains(why[0].Reason, "too long") {
		t.Errorf("%v", why)
	}
	got := out.Close(t.Context())
	if want := strings.Repeat("x", 4000) + " 2 41 (unknown)"; got.Text != want {
		t.Errorf("%.80q", got.Text)
	}
	if !slices.Equal(got.Unproved, []string{"41", "{r1.note}"}) {
		t.Errorf("%q", got.Unproved)
	}
}

// What stays in braces is not proved, unless it is code, JSON or of the user.
func TestBracesAreUnproved(t *testing.T) {
	rows := table(t, "a,note", []any{1, "{as written}"})
	for text, want := range map[string][]string{
		"It is {total} and {r1.a}.":              {"{total}"},
		"It is r1.total}.":                       {"r1.total}"},
		"It is {r1.a":                            {"{r1.a"},
		"It is {{r1.a}}.":                        {"{1}"},
		"It is {{total}}.":                       {"{total}"},
		"if x {\n\treturn y\n}\n":                nil,
		"if x {\n\treturn {total}\n}\n":          {"{total}"},
		"It is {r9.a} {r9.a}.":                   {"{r9.a}", "{r9.a}"},
		"{}":                                     nil,
		"{\"a\": {\"b\": [1, {}]}}":              nil,
		"It is `{total}` and ```\n{\n}\n``` {x}": {"{x}"},
		"{r1.note} is {r1.a}.":                   nil,
		"{name} stands for a name.":              nil,
	} {
		out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}, Data: []any{"What is {name}? 1"}}, nil)
		out.Write(text)
		if got := out.Close(t.Context()); !slices.Equal(got.Unproved, want) {
			t.Errorf("%s: %q: %q, want %q", text, got.Text, got.Unproved, want)
		}
	}
}

// Many figures, many numbers, and numbers without end.
func TestManyNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("checks 20,000 numbers")
	}
	var rows qed.Table
	rows.Columns = []qed.Column{{Name: "n"}}
	for i := range 1000 {
		if err := rows.Append(i); err != nil {
			t.Fatal(err)
		}
	}
	out := figures.NewText(figures.Source{Tables: []figures.Table{{Rows: rows}}}, nil)
	out.Write(strings.Repeat("{sum n} {median n} {r7.n} 123456789 ", 5_000) + strings.Repeat("9", 400) + " 1e99999 -1e-999 NaN Inf")
	got := out.Close(t.Context())
	if len(got.Figures) != 15_000 || len(got.Unproved) != 5_003 {
		t.Errorf("%d figures, %d unproved: %q", len(got.Figures), len(got.Unproved), got.Unproved[5000:])
	}
}
