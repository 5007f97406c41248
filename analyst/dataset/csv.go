package dataset

import (
	"bufio"
	"encoding/csv"
	"errors"
	"io"
	"slices"

	"github.com/qedkit/qed/internal/column"
)

// eachRecord reads CSV.
func (l *loader) eachRecord(in *records, row func(cells []cell, line int) error) error {
	r := csv.NewReader(bufio.NewReaderSize(in, readBytes))
	r.Comma, r.FieldsPerRecord, r.ReuseRecord = l.comma, -1, true
	var cells []cell
	for skip, header := l.preamble, true; ; {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		var broken *csv.ParseError
		if errors.As(err, &broken) {
			return &Error{Kind: ErrFormat, Line: broken.StartLine, Err: err,
				Message: "the quotes of the record are broken; write \"\" for a quote inside a quoted cell"}
		}
		if err == nil {
			err = in.next(r.InputOffset())
		}
		if err != nil {
			return err
		}
		if skip {
			skip = false
			continue
		}
		line, _ := r.FieldPos(0)
		if header {
			header = false
			if err := l.header(record, line); err != nil {
				return err
			}
			cells = make([]cell, len(l.columns))
			continue
		}
		if len(record) > len(l.columns) {
			return errorf(ErrFormat, line, "the row has %d cells and the header %d; quote cells that contain %q, or "+
				"set Options.Separator", len(record), len(l.columns), l.comma)
		}
		if len(record) < len(cells) {
			if l.ragged++; l.raggedAt == 0 {
				l.raggedAt = line
			}
		}
		for i := range cells {
			cells[i] = cell{null: true}
			if i < len(record) {
				cells[i] = cell{text: record[i]}
			}
		}
		if err := row(cells, line); err != nil {
			return err
		}
	}
}

// header adds the columns of CSV, the first time that it is read.
func (l *loader) header(record []string, line int) error {
	if l.columns != nil {
		return nil
	}
	isName := func(s string) bool { _, ok := column.ParseNumber(s); return !ok }
	if len(record) > 0 && !slices.ContainsFunc(record, isName) {
		l.warn(Warning{Kind: Header, Line: line,
			Message: "all names of columns are numbers; if the first line is not a header, add one"})
	}
	return l.addColumns(record, line)
}
