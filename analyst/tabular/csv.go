package tabular

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/prompt"
)

// A csvReader reads the rows of CSV.
type csvReader struct {
	*loader
	in  *records
	csv *csv.Reader
	row func(cells []cell, line int) error

	cells   []cell
	numbers []bool   // the cells of a sheet that are numbers
	above   []string // the row above that is no sum
}

// eachRecord reads CSV.
func (l *loader) eachRecord(in *records, row func(cells []cell, line int) error) error {
	r := &csvReader{loader: l, in: in, row: row, csv: csv.NewReader(bufio.NewReaderSize(in, readBytes))}
	r.csv.Comma, r.csv.FieldsPerRecord, r.csv.ReuseRecord = l.comma, -1, true
	r.csv.LazyQuotes, r.csv.TrimLeadingSpace = l.shape.lenient, l.shape.lenient && !unicode.IsSpace(l.comma)
	skip := l.shape.above
	if l.preamble {
		skip++
	}
	for {
		record, line, err := r.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if skip > 0 || line < l.opt.HeaderLine {
			skip--
			continue
		}
		if r.cells == nil {
			err = r.begin(record, line)
		} else {
			err = r.data(record, line)
		}
		if err != nil {
			return err
		}
	}
}

// next reads a record. One with a quote that stands for itself may not have several lines:
// the quote could have been left open, and hide the rows that follow.
func (r *csvReader) next() (record []string, line int, err error) {
	record, err = r.csv.Read()
	for ; err == nil && isRule(record); record, err = r.csv.Read() {
		r.rules++
	}
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, 0, brokenQuotes(broken.StartLine)
	}
	if err != nil {
		return nil, 0, err
	}
	if r.sheet != nil {
		record, r.numbers = r.sheet.read(record, r.numbers)
	}
	start := r.in.start
	if err := r.in.next(r.csv.InputOffset()); err != nil {
		return nil, 0, err
	}
	line, _ = r.csv.FieldPos(0)
	if r.sheet != nil {
		return record, line, nil
	}
	last, _ := r.csv.FieldPos(len(record) - 1)
	r.lineBreaks = r.lineBreaks || last > line || strings.Contains(record[len(record)-1], "\n")
	if r.shape.lenient && r.in.start > start && slices.ContainsFunc(record, func(s string) bool { return strings.Contains(s, "\n") }) {
		return nil, 0, brokenQuotes(line)
	}
	return record, line, nil
}

// brokenQuotes returns an error that reading quotes as they stand may avoid.
func brokenQuotes(line int) *Error {
	e := errorf(ErrFormat, line, func(t *texts) string { return t.BrokenQuotes })
	e.lenient = true
	return e
}

// begin reads the header, or the first row where there is none.
func (r *csvReader) begin(record []string, line int) error {
	names := record
	switch {
	case r.shape.noHeader:
		names = make([]string, len(record))
	case r.shape.double:
		first := slices.Clone(record)
		second, _, err := r.next()
		if err != nil {
			return err
		}
		names = joined(first, second)
	case r.shape.units:
		names = slices.Clone(record)
		units, _, err := r.next()
		if err != nil {
			return err
		}
		defer func() {
			for i, c := range r.columns {
				if i < len(units) {
					c.unit, _ = unitOf(units[i])
				}
			}
		}()
	}
	if r.columns == nil {
		r.headerLine = line
		if r.sheet != nil && len(names) < r.sheet.width {
			names = append(slices.Clone(names), make([]string, r.sheet.width-len(names))...)
		}
		if err := r.addColumns(names, line); err != nil {
			return err
		}
	}
	r.cells = make([]cell, len(r.columns))
	if r.shape.noHeader {
		return r.data(record, line)
	}
	return nil
}

func (r *csvReader) data(record []string, line int) error {
	if len(record) > len(r.columns) {
		return optionf("Separator", ErrFormat, line, func(t *texts) string { return t.LongRow },
			"cells", strconv.Itoa(len(record)), "columns", strconv.Itoa(len(r.columns)), "sign", strconv.QuoteRune(r.comma))
	}
	if len(record) < len(r.cells) && r.sheet == nil {
		if r.ragged++; r.raggedAt == 0 {
			r.raggedAt = line
		}
	}
	same := len(record) > 1 && len(record) == len(r.columns)
	for i := range r.cells {
		r.cells[i] = cell{null: true}
		if i < len(record) {
			r.cells[i] = cellOf(record[i])
			r.cells[i].number = r.sheet != nil && r.numbers[i]
			same = same && record[i] == r.columns[i].header
		}
	}
	if r.firstRow == nil {
		r.firstRow, r.firstLine = slices.Clone(record), line
	}
	switch {
	case same && !r.shape.noHeader:
		r.again++
		return nil
	case isTotal(r.cells, r.above):
		if r.totals++; r.totalAt == 0 {
			r.totalAt = line
		}
		if r.opt.SkipTotals {
			return nil
		}
	default:
		r.above = append(r.above[:0], record...)
	}
	return r.row(r.cells, line)
}

// cellOf reads a cell. Spreadsheets write ="0012" for a text that looks like a number.
func cellOf(text string) cell {
	if inner, ok := strings.CutPrefix(text, `="`); ok {
		if inner, ok = strings.CutSuffix(inner, `"`); ok && !strings.Contains(inner, `"`) {
			return cell{text: inner, quoted: true}
		}
	}
	return cell{text: text}
}

// warnShape says what the parts of the file are.
func (l *loader) warnShape() {
	t, path := l.texts, prompt.Quote(prompt.Clip(strings.Join(l.path, "."), 128))
	for _, w := range []struct {
		is   bool
		text string
		Warning
	}{
		{l.path != nil, t.List, Warning{Kind: Header}},
		{l.cutOff > 0, t.CutOff, Warning{Kind: Ragged, Count: l.cutOff}},
		{l.isJSON && l.shape.lenient, t.NotNumbers, Warning{Kind: Converted}},
		{!l.isJSON && l.shape.lenient, t.Quotes, Warning{Kind: Quotes}},
		{l.shape.above > 0, t.Above, Warning{Kind: Header, Line: l.headerLine, Count: l.shape.above, Option: "HeaderLine"}},
		{l.shape.noHeader && l.opt.HeaderLine == 0, t.NoHeader, Warning{Kind: Header, Line: l.headerLine, Option: "HeaderLine"}},
		{l.shape.double, t.TwoLines, Warning{Kind: Header, Line: l.headerLine, Option: "HeaderLine"}},
		{l.shape.units, t.Units, Warning{Kind: Header, Line: l.headerLine + 1, Option: "HeaderLine"}},
		{!l.isJSON && !l.shape.noHeader && len(l.columns) > 0 && (l.counted() || l.shape.year), t.NumberNames, Warning{Kind: Header, Line: l.headerLine, Option: "HeaderLine"}},
		{l.again > 0, t.Repeated, Warning{Kind: Header, Count: l.again}},
		{l.rules > 0, t.Rules, Warning{Kind: Header, Count: l.rules}},
		{l.ragged > 0, t.Ragged, Warning{Kind: Ragged, Line: l.raggedAt, Count: l.ragged}},
		{l.totals > 0 && l.opt.SkipTotals, t.TotalsLeftOut, Warning{Kind: Totals, Line: l.totalAt, Count: l.totals}},
		{l.totals > 0 && !l.opt.SkipTotals, t.Totals, Warning{Kind: Totals, Line: l.totalAt, Count: l.totals, Option: "SkipTotals"}},
	} {
		if w.is {
			l.warn(w.Warning, w.text, "path", path)
		}
	}
}
