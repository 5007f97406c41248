package tabular_test

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	utf16 "golang.org/x/text/encoding/unicode"

	"github.com/qedkit/qed/analyst/tabular"
)

// A style is how a person or a program writes a table.
type style struct {
	separator      rune
	decimal, group string
	negative       string // with %s for the number
	unit           string // with %s for the number
	date           string // a layout
	clock          string // a layout after the date, or ""
	end            string
	fixed          bool     // decimals have two digits
	missing        []string // what stands for a value that is not there; nil: all are there
	header         bool
	month          []string // the names of the months, nil: English
	encode         func(string) string
}

func randomStyle(rng *rand.Rand) style {
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	s := style{
		separator: []rune{',', ';', '\t', '|'}[rng.IntN(4)],
		decimal:   pick(".", ".", ","),
		negative:  pick("-%s", "-%s", "(%s)", "%s-", "\u2212%s"),
		unit:      pick("%s", "%s", "%s", "$%s", "%s €", "EUR %s", "%s%%"),
		date:      pick("2006-01-02", "02.01.2006", "2.1.2006", "02/01/2006", "01/02/2006", "2006/01/02", "02.01.06", "2-Jan-06", "January 2, 2006", "2 January 2006", "2. January 2006", "02-01-2006", "1/2/06", "20060102", "Mon, 02 Jan 2006"),
		clock:     pick("", "", " 15:04", " 15:04:05", " 3:04 PM", "T15:04:05", " 15:04:05.000", " 15.04"),
		end:       pick("\n", "\n", "\r\n"),
		fixed:     rng.IntN(2) == 0,
	}
	s.group = map[string]string{".": pick("", "", ",", " ", "'", "\u00a0", "\u2019", "lakh"), ",": pick("", "", ".", " ", "\u202f")}[s.decimal]
	s.header = rng.IntN(4) > 0
	s.missing = [][]string{nil, nil, {""}, {"N/A"}, {"-", ""}, {"#N/A", "null"}}[rng.IntN(6)]
	s.month = [][]string{nil, nil, german, french, spanish}[rng.IntN(5)]
	s.encode = []func(string) string{plain, plain, encoder(charmap.Windows1252), encoder(utf16.UTF16(utf16.LittleEndian, utf16.UseBOM)), encoder(utf16.UTF8BOM)}[rng.IntN(5)]
	return s
}

var (
	german  = strings.Fields("Januar Februar März April Mai Juni Juli August September Oktober November Dezember")
	french  = strings.Fields("janvier février mars avril mai juin juillet août septembre octobre novembre décembre")
	spanish = strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre")
)

func plain(text string) string { return text }

// encoder returns a function that writes a text as Windows programs do, with ? for a letter that
// is not in the encoding.
func encoder(e encoding.Encoding) func(string) string {
	return func(text string) string {
		text, err := e.NewEncoder().String(strings.NewReplacer("\u2212", "-", "\u202f", "\u00a0").Replace(text))
		if err != nil {
			panic(err)
		}
		return text
	}
}

// moment writes a date, and the time if there is one.
func (s style) moment(at time.Time) string {
	text := at.Format(s.date + s.clock)
	if s.month != nil {
		text = strings.Replace(text, at.Month().String(), s.month[at.Month()-1], 1)
	}
	return text
}

func (s style) number(v float64, whole bool) string {
	text := strconv.FormatFloat(max(v, -v), 'f', map[bool]int{true: 0, false: -1}[whole], 64)
	if !whole && s.fixed {
		text = strconv.FormatFloat(max(v, -v), 'f', 2, 64)
	}
	digits, fraction, has := strings.Cut(text, ".")
	if s.group == "lakh" { // 12,34,567
		for at := len(digits) - 3; at > 0; at -= 2 {
			digits = digits[:at] + "," + digits[at:]
		}
	} else if s.group != "" {
		for at := len(digits) - 3; at > 0; at -= 3 {
			digits = digits[:at] + s.group + digits[at:]
		}
	}
	if has {
		digits += s.decimal + fraction
	}
	if v < 0 {
		digits = fmt.Sprintf(s.negative, digits)
	}
	return fmt.Sprintf(s.unit, digits)
}

var (
	tables = flag.Int("tables", 3000, "number of random tables")
	series = flag.Uint64("series", 40, "the series of the random tables")
)

// TestStyles: what is read from a table in any style is what was written, or there is a warning
// about the column.
func TestStyles(t *testing.T) {
	dir := t.TempDir()
	decided, columns, wrong := 0, 0, 0
	n := *tables
	if testing.Short() {
		n = min(n, 500)
	}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, *series))
		s := randomStyle(rng)
		rows := 1 + rng.IntN(12)
		kinds := make([]string, 1+rng.IntN(5))
		names := make([]string, len(kinds))
		for i := range kinds {
			kinds[i] = []string{"whole", "decimal", "date", "text", "code"}[rng.IntN(5)]
			names[i] = []string{"name", "amount", "day", "Größe", "x y"}[rng.IntN(5)] + strings.Repeat("_", i)
		}
		var lines [][]string
		if s.header {
			lines = append(lines, names)
		}
		want := make([][]any, rows)
		for r := range rows {
			line := make([]string, len(kinds))
			for i, kind := range kinds {
				switch kind {
				case "whole":
					v := rng.IntN(20_000_000) >> rng.IntN(24) * (1 - 2*rng.IntN(2))
					line[i], want[r] = s.number(float64(v), true), append(want[r], float64(v))
				case "decimal":
					v := float64(rng.IntN(20_000_000)>>rng.IntN(24)) / []float64{10, 100, 1000}[rng.IntN(3)] * float64(1-2*rng.IntN(2))
					if s.fixed {
						v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 2, 64), 64)
					}
					line[i], want[r] = s.number(v, false), append(want[r], v)
				case "date":
					at := time.Date(1990+rng.IntN(40), time.Month(1+rng.IntN(12)), 1+rng.IntN(28), rng.IntN(24), rng.IntN(60), 0, 0, time.UTC)
					if s.clock == "" {
						at = at.Truncate(24 * time.Hour)
					}
					line[i], want[r] = s.moment(at), append(want[r], at)
				case "text":
					line[i] = []string{"", "x", "Ulm", "a,b", "c;d", `say "x"`, "5 m", "Total Wine", "N.N."}[rng.IntN(9)]
					want[r] = append(want[r], line[i])
				case "code":
					line[i] = fmt.Sprintf("0%04d", rng.IntN(9999))
					want[r] = append(want[r], line[i])
				}
				if kind != "text" && kind != "code" && s.missing != nil && rng.IntN(4) == 0 {
					line[i], want[r][i] = s.missing[rng.IntN(len(s.missing))], nil
				}
			}
			lines = append(lines, line)
		}
		var text strings.Builder
		w := csv.NewWriter(&text)
		w.Comma, w.UseCRLF = s.separator, s.end == "\r\n"
		if err := w.WriteAll(lines); err != nil {
			t.Fatal(err)
		}
		f, err := readAll(t, strings.NewReader(s.encode(text.String())), tabular.Options{TempDir: dir})
		if err != nil {
			other := slices.ContainsFunc(lines, func(line []string) bool { return !slices.Equal(line, lines[0]) })
			if len(kinds) > 1 && other { // one column of empty texts has no rows
				t.Errorf("seed %d, %+v: %v\n%s", seed, s, err, text.String())
			}
			continue
		}
		for i, kind := range kinds {
			columns++
			c := f.Columns[min(i, len(f.Columns)-1)]
			warned := slices.ContainsFunc(f.Warnings, func(w tabular.Warning) bool { return w.Column == c.Name || w.Column == "" })
			header := slices.ContainsFunc(f.Warnings, func(w tabular.Warning) bool { return w.Column == "" && w.Kind == tabular.Header })
			ok := len(f.rows) == rows && len(f.Columns) == len(kinds)
			for r := 0; ok && r < rows; r++ {
				ok = same(f.rows[r][i], want[r][i])
			}
			if c.Type != tabular.Text || kind == "text" || kind == "code" {
				decided++
			}
			switch {
			case ok:
			case c.Type == tabular.Text && warned:
			case len(kinds) == 1 && len(f.rows) < rows: // empty lines
			case !s.header && header:
			case c.Type == tabular.Integer && s.date == "20060102" && warned:
			case !s.header && !showsData(kinds, want[0]):
			case c.Type == tabular.Text && asWritten(f, lines[len(lines)-rows:], i) && onlyMissing(want, i):
			default:
				if wrong++; wrong > 10 {
					t.Fatal("and more")
				}
				t.Errorf("seed %d, %+v, column %d (%s) is %s %v, want %v\n%s%v", seed, s, i, kind, c.Type, f.rows, want, text.String(), f.Warnings)
			}
		}
	}
	t.Logf("%d of %d columns have their types", decided, columns)
}

// showsData reports whether a line can have no names, because one of its cells is a value.
func showsData(kinds []string, line []any) bool {
	for i, kind := range kinds {
		if kind != "text" && line[i] != nil {
			return true
		}
	}
	return false
}

// asWritten reports whether the texts of a column are those of the input.
func asWritten(f *loaded, lines [][]string, column int) bool {
	for r, row := range f.rows {
		if got, _ := row[column].(string); len(f.rows) != len(lines) || got != lines[r][column] {
			return false
		}
	}
	return true
}

// onlyMissing reports whether a column has no value, so that its placeholders may be texts.
func onlyMissing(want [][]any, column int) bool {
	return !slices.ContainsFunc(want, func(row []any) bool { return row[column] != nil })
}

func same(got, want any) bool {
	switch want := want.(type) {
	case nil:
		return got == nil
	case float64:
		switch got := got.(type) {
		case int64:
			return float64(got) == want
		case float64:
			return got == want
		}
	case time.Time:
		text, _ := got.(string)
		for _, layout := range []string{time.DateOnly, time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04:05"} {
			if at, err := time.Parse(layout, text); err == nil {
				return at.Equal(want)
			}
		}
	case string:
		return got == want || want == "" && got == nil
	}
	return false
}
