package tabular

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/textfile"
)

// A shape says which lines of a CSV file are what. The rows are read once to find the types of
// the columns. Only these show what the first lines are, so the rows are read again if the
// shape turns out to be another one.
type shape struct {
	lenient  bool // a quote inside a cell stands for itself
	above    int  // records above the header
	noHeader bool
	double   bool // the names of the columns have two lines
	units    bool // the line below the header has units
	year     bool // the header is one only because a year may be a name
}

// maxAbove is how many lines above the header are looked for.
const maxAbove = 50

// linesAbove returns how many of the first records have fewer cells than most: a title, or
// the parameters of a report.
func (l *loader) linesAbove(head []byte) int {
	if len(head) == textfile.HeadBytes { // the last line is cut off
		head = head[:bytes.LastIndexByte(head, '\n')+1]
	}
	r := csv.NewReader(bytes.NewReader(head))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = l.comma, -1, true, !unicode.IsSpace(l.comma)
	var widths []int
	for len(widths) < 2*maxAbove {
		record, err := r.Read()
		if err != nil {
			break
		}
		if isRule(record) {
			continue
		}
		width := len(record)
		if l.sheet != nil {
			line, _ := r.FieldPos(0)
			width = l.sheet.span(record, line)
		}
		widths = append(widths, width)
	}
	if l.preamble && len(widths) > 0 {
		widths = widths[1:]
	}
	count, usual := map[int]int{}, 0
	for _, w := range widths {
		if count[w]++; count[w] > count[usual] {
			usual = w
		}
	}
	if n := len(widths); n > 0 && widths[n-1] > usual && count[widths[n-1]] > 1 {
		usual = widths[n-1] // a long report above a short table
	}
	at := slices.Index(widths, usual)
	if usual < 2 || at <= 0 || at > maxAbove || slices.Max(widths[:at]) > usual {
		return 0
	}
	return at
}

// isRule reports whether a record is a line between the rows of a printed table: ----+----.
func isRule(record []string) bool {
	found := false
	for _, text := range record {
		text = strings.TrimSpace(text)
		switch {
		case text == "":
		case len(text) < len("---") || strings.Trim(text, textfile.Rule) != "":
			return false
		default:
			found = true
		}
	}
	return found
}

// reshape looks at the first lines with the types of the columns. It returns true if the rows
// have to be read again.
func (l *loader) reshape() (again bool, err error) {
	if l.isJSON || l.opt.HeaderLine != 0 {
		return false, nil
	}
	proven, data := l.headerEvidence()
	switch {
	case l.shape.above == 1 && !proven && len(l.columns) == 2 && l.comma == ',':
		return false, optionf("Separator", ErrFormat, l.headerLine, func(t *texts) string { return t.DecimalCommas })
	case l.shape.above > 0 && !proven:
		return false, optionf("HeaderLine", ErrFormat, l.headerLine, func(t *texts) string { return t.LinesAbove },
			"sign", strconv.QuoteRune(l.comma))
	case l.shape.double || l.shape.units || l.shape.noHeader:
		return false, nil
	case !proven && data:
		l.shape.noHeader = true
	case l.isUnits():
		l.shape.units = true
	case l.isSecondHeader():
		l.shape.double = true
	default:
		return false, nil
	}
	return true, nil
}

// headerEvidence reports whether the first line is certainly a header, because a column of
// numbers or times has another text there, and whether it looks like a row of data: its
// cells fit the columns, or are repeated below.
func (l *loader) headerEvidence() (proven, data bool) {
	repeats, years := 0, 0
	for _, c := range l.columns {
		header := cell{text: c.header}
		if c.repeats > 0 {
			repeats++
		}
		miss := c.kind == Text && c.missesOnly(l.firstLine)
		if header.blank() {
			continue
		}
		r := read(header)
		switch {
		case c.kind == Text && !miss:
			best := c.commonest()
			isValue := c.values() == 0 && r.forms != 0 || c.fits[best]*2 > c.values() && r.isLike(best) ||
				c.codes > 0 && c.codes == c.filled
			data = data || isValue && !isYear(c.header) && !l.counted()
		case r.placeholder:
		case miss && r.forms == 0, !miss && !r.isLike(c.form):
			proven = true
		case isYear(c.header) && !c.years():
			years++
		case !l.counted():
			data = true
		}
	}
	data = data || repeats > 0 && repeats < len(l.columns)
	l.shape.year = years == 1 && !proven && !data
	return proven || years > 0 && !data, data
}

// counted reports whether the names of the columns are 1, 2, 3 or 0, 1, 2, which may be
// numbers as well as names.
func (l *loader) counted() bool {
	for start := range 2 {
		all := true
		for i, c := range l.columns {
			all = all && strings.TrimSpace(c.header) == fmt.Sprint(start+i)
		}
		if all {
			return true
		}
	}
	return false
}

func isYear(s string) bool {
	s = strings.TrimSpace(s)
	return len(s) == 4 && s >= "1900" && s <= "2100" && strings.Trim(s, "0123456789") == ""
}

// differInDigits reports whether texts of one length are the same except for digits, as the codes
// are.
func differInDigits(a, b string) bool {
	differ := false
	for i := range len(a) {
		if a[i] != b[i] {
			if differ = ascii.IsDigit(a[i]) && ascii.IsDigit(b[i]); !differ {
				return false
			}
		}
	}
	return differ
}

// years reports whether all cells of a column are years.
func (c *tableColumn) years() bool { return c.yearCells == c.values() }

// missesOnly reports whether a column would have a type without the cell of a line.
func (c *tableColumn) missesOnly(line int) bool {
	if c.kind != Text || c.values() < 2 {
		return false
	}
	for f := range formCount {
		if f != formBoolean && c.fits[f] == c.values()-1 && c.firstMiss[f].Line == line {
			return true
		}
	}
	return false
}

// isUnits reports whether the first row has the units of columns of numbers.
func (l *loader) isUnits() bool {
	known, misses := false, false
	for i, text := range l.firstRow {
		unit, bracketed := unitOf(text)
		miss := l.columns[i].missesOnly(l.firstLine)
		switch {
		case unit == "" || unit == "-":
		case !miss && !bracketed, unit[0] >= '0' && unit[0] <= '9':
			return false
		default:
			known = known || bracketed || slices.Contains(unitNames, unit)
			misses = misses || miss
		}
	}
	return known && misses
}

// unitOf returns a unit without its brackets.
func unitOf(text string) (unit string, bracketed bool) {
	text = strings.TrimSpace(text)
	for _, pair := range []string{"()", "[]"} {
		if len(text) > 2 && text[0] == pair[0] && text[len(text)-1] == pair[1] {
			return strings.TrimSpace(text[1 : len(text)-1]), true
		}
	}
	return text, false
}

// unitNames are units that stand without brackets below a header.
var unitNames = strings.Fields("s sec ms min h hr d m km cm mm mi ft in kg g mg t lb l ml m2 m² m3 m³ " +
	"°C °F degC degF C K Pa hPa kPa bar mbar V mV A mA W kW kWh MWh MW J kJ N Nm Hz kHz MHz " +
	"m/s km/h rpm % ppm EUR USD GBP CHF € $ £ pcs Stk deg rad lx dB")

// isSecondHeader reports whether the first row has the rest of the names: the header has
// empty cells, and the row has texts alone, also where the columns have numbers.
func (l *loader) isSecondHeader() bool {
	empty, misses := 0, 0
	for i, text := range l.firstRow {
		if strings.TrimSpace(text) == "" {
			return false
		}
		if strings.TrimSpace(l.columns[i].header) == "" {
			empty++
		}
		if l.columns[i].missesOnly(l.firstLine) {
			misses++
		}
	}
	return empty > 0 && misses > 0 && len(l.firstRow) == len(l.columns)
}

// joined returns the names of columns that have two lines. A name of the first line holds
// until the next one.
func joined(first, second []string) []string {
	names, group := slices.Clone(second), ""
	for i := range names {
		if i < len(first) && strings.TrimSpace(first[i]) != "" {
			group = strings.TrimSpace(first[i])
		}
		names[i] = strings.TrimSpace(group + " " + strings.TrimSpace(names[i]))
	}
	return names
}

// totals are what the first text of a row of sums says.
var totals = lists.Set(strings.Split("total,totals,grand total,subtotal,sub-total,sub total,sum,sums,"+
	"summe,gesamt,gesamtsumme,insgesamt,zwischensumme,gesamtergebnis,endsumme,"+
	"somme,sous-total,total général,suma,total general,total geral,totale,totaal", ","), strings.ToLower)

// totalsBegin are the first characters of cells that may be one of totals.
const totalsBegin = "tgsizeTGSIZE"

// isTotal reports whether a row has sums of other rows. above are the texts of the row above:
// spreadsheets name the sum of a group after it, as in North Total.
func isTotal(cells []cell, above []string) bool {
	for i, c := range cells {
		text := strings.TrimSpace(c.text)
		if text == "" || len(text) > 80 || c.number {
			continue
		}
		if strings.IndexByte(totalsBegin, text[0]) >= 0 && totals[strings.ToLower(strings.TrimRight(text, ": "))] {
			return true
		}
		if i < len(above) && above[i] != "" {
			word := strings.TrimSuffix(strings.TrimPrefix(text, above[i]+" "), " "+above[i])
			if word = strings.ToLower(word); totals[word] || word == "ergebnis" && len(word) < len(text) {
				return true
			}
		}
	}
	return false
}
