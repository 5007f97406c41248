package tabular

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
)

// A csvReader reads the rows of CSV.
type csvReader struct {
	*loader
	in  *records
	csv *csv.Reader
	row func(cells []cell, line int) error

	cells   []cell
	numbers []bool // the cells of a sheet that are numbers
}

// eachRecord reads CSV.
func (l *loader) eachRecord(in *records, row func(cells []cell, line int) error) error {
	r := &csvReader{loader: l, in: in, row: row, csv: csv.NewReader(bufio.NewReaderSize(in, readBytes))}
	r.csv.Comma, r.csv.FieldsPerRecord, r.csv.ReuseRecord = l.comma, -1, true
	r.csv.LazyQuotes, r.csv.TrimLeadingSpace = l.shape.lenient, l.shape.lenient
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
	var broken *csv.ParseError
	if errors.As(err, &broken) {
		return nil, 0, &Error{Kind: ErrFormat, Line: broken.StartLine, Err: err, Message: brokenQuotes}
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
		return nil, 0, errorf(ErrFormat, line, brokenQuotes)
	}
	return record, line, nil
}

const brokenQuotes = "the quotes of the record are broken; write \"\" for a quote inside a quoted cell"

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
		return optionf("Separator", ErrFormat, line, "the row has %d cells and the header %d; quote cells that contain %q",
			len(record), len(r.columns), r.comma)
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
	case isTotal(r.cells):
		if r.totals++; r.totalAt == 0 {
			r.totalAt = line
		}
		if r.opt.SkipTotals {
			return nil
		}
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
	rest := "; their last cells are NULL"
	for _, w := range []struct {
		is     bool
		kind   WarningKind
		line   int
		count  int
		text   string
		option string
	}{
		{l.path != nil, Header, 0, 0, "the rows are the list under " + prompt.Quote(prompt.Clip(strings.Join(l.path, "."), 128)) + "; the rest of the file is left out", ""},
		{l.cutOff > 0, Ragged, 0, 1, fmt.Sprintf("the file ends inside of object %d, which is left out", l.cutOff), ""},
		{l.isJSON && l.shape.lenient, Converted, 0, 0, "NaN and Infinity are NULL", ""},
		{!l.isJSON && l.shape.lenient, Quotes, 0, 0, "quotes inside of cells are not doubled; they are read as they stand", ""},
		{l.shape.above > 0, Header, l.headerLine, l.shape.above, fmt.Sprintf("the header is in line %d; the lines above are left out", l.headerLine), ""},
		{l.shape.noHeader && l.opt.HeaderLine == 0, Header, l.headerLine, 0, "the first line has data and no names, so the columns are named column_1, column_2 ...", "HeaderLine"},
		{l.shape.double, Header, l.headerLine, 0, "the names of the columns have two lines; they were joined", ""},
		{l.shape.units, Header, l.headerLine + 1, 0, "the line below the header has units; it is no row", ""},
		{!l.isJSON && !l.shape.noHeader && len(l.columns) > 0 && (l.counted() || l.shape.year), Header, l.headerLine, 0, "names of columns are numbers, so the first line may be a row instead of a header", "HeaderLine"},
		{l.again > 0, Header, 0, l.again, fmt.Sprintf("the header is repeated in %d lines below; they are no rows", l.again), ""},
		{l.ragged > 0, Ragged, l.raggedAt, l.ragged, fmt.Sprintf("%d rows are shorter than the header, first in line %d%s", l.ragged, l.raggedAt, rest), ""},
		{l.totals > 0 && l.opt.SkipTotals, Totals, l.totalAt, l.totals, fmt.Sprintf("%d rows of totals are left out, first in line %d", l.totals, l.totalAt), ""},
		{l.totals > 0 && !l.opt.SkipTotals, Totals, l.totalAt, l.totals, fmt.Sprintf("%d rows look like totals of others, first in line %d; sums count them twice", l.totals, l.totalAt), "SkipTotals"},
	} {
		if w.is {
			l.warn(Warning{Kind: w.kind, Line: w.line, Count: w.count, Message: w.text, Option: w.option})
		}
	}
}
