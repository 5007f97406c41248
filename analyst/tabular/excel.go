package tabular

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/xlsx"
)

// A sheet of a workbook is copied to a CSV file whose lines are the rows of the sheet. In its
// cells a mark is before a number, and another one stands for an end of a line: characters
// that texts of Excel do not have.
type sheet struct {
	left  int // columns before the first one with cells
	width int // columns from there

	mergedTo map[int]int // the last column of merged cells, by their row

	errors, uncomputed, clocks int // cells
	errorAt, uncomputedAt      int // the first rows
}

const (
	numberMark = "\x01"
	lineMark   = "\x02"
)

// read returns the cells of a row from a record of the copy.
func (s *sheet) read(record []string, numbers []bool) ([]string, []bool) {
	record, numbers = record[min(s.left, len(record)):], numbers[:0]
	for i, text := range record {
		text, isNumber := strings.CutPrefix(text, numberMark)
		record[i] = strings.ReplaceAll(text, lineMark, "\n")
		numbers = append(numbers, isNumber)
	}
	return record, numbers
}

// span returns how many cells of a row a record of the copy stands for. A group of columns
// may end with merged cells; a title alone does not.
func (s *sheet) span(record []string, row int) int {
	if lists.Count(record, func(text string) bool { return text != "" }) < 2 {
		return len(record)
	}
	return max(len(record), s.mergedTo[row])
}

// copyWorkbook copies a sheet of an Excel file.
func (l *loader) copyWorkbook(plain *os.File, in io.Reader) error {
	size, err := io.Copy(plain, in)
	if err != nil {
		return l.copyError(err)
	}
	book, err := xlsx.Open(&endingAt{l.ctx, plain}, size, xlsx.Options{
		MaxBytes: l.opt.MaxBytes, MaxCellBytes: l.opt.MaxCellBytes, TempDir: l.dir})
	if err != nil {
		return l.workbookError(err)
	}
	if book == nil {
		return errorf(ErrFormat, 0, func(t *texts) string { return t.NoWorkbook })
	}
	return errors.Join(l.copySheets(book), book.Close())
}

// endingAt fails when ctx ends.
type endingAt struct {
	ctx context.Context
	r   io.ReaderAt
}

func (e *endingAt) ReadAt(p []byte, at int64) (int, error) {
	if e.ctx.Err() != nil {
		return 0, context.Cause(e.ctx)
	}
	return e.r.ReadAt(p, at)
}

// workbookError returns the error for a workbook that cannot be read.
func (l *loader) workbookError(err error) error {
	var own *Error
	switch {
	case errors.As(err, &own):
		return own
	case l.ctx.Err() != nil:
		return context.Cause(l.ctx)
	case errors.Is(err, xlsx.ErrTooLarge):
		return errorf(ErrTooLarge, 0, func(t *texts) string { return t.ExcelTooLarge }).because(err)
	}
	return errorf(ErrFormat, 0, func(t *texts) string { return t.ExcelBroken }).because(err)
}

// copySheets copies the chosen sheet, or the first visible one that has cells.
func (l *loader) copySheets(book *xlsx.Workbook) error {
	l.text = filepath.Join(l.dir, "text")
	for i, s := range book.Sheets {
		if l.opt.Sheet == "" && s.Hidden || l.opt.Sheet != "" && l.opt.Sheet != s.Name {
			continue
		}
		layout, err := l.copySheet(book, s)
		if err != nil {
			return l.workbookError(err)
		}
		if l.sheet.width > 0 || l.opt.Sheet != "" {
			l.sheet.warn(l, layout)
			if l.opt.Sheet == "" && len(book.Sheets) > 1 {
				others := slices.Delete(slices.Clone(book.Sheets), i, i+1)
				w := Warning{Kind: OtherSheets, Count: len(others), Option: "Sheet"}
				for _, other := range others[:min(maxSheetNames, len(others))] {
					if len(other.Name) <= maxSheetName {
						w.Choices = append(w.Choices, other.Name)
					}
				}
				l.warn(w, l.texts.OtherSheets, "sheet", l.sheetNames(s), "names", l.sheetNames(others...))
			}
			return nil
		}
	}
	if l.opt.Sheet != "" {
		return optionf("Sheet", ErrArgument, 0, func(t *texts) string { return t.NoSheet },
			"sheet", prompt.Quote(prompt.Clip(l.opt.Sheet, 128)), "names", l.sheetNames(book.Sheets...))
	}
	return optionf("Sheet", ErrEmpty, 0, func(t *texts) string { return t.NoCells }, "names", l.sheetNames(book.Sheets...))
}

const (
	maxSheetNames = 20  // in a message or a warning
	maxSheetName  = 128 // bytes; Excel has at most 31 characters
)

// sheetNames returns the names of sheets, up to a number.
func (l *loader) sheetNames(sheets ...xlsx.Sheet) string {
	var names []string
	for _, s := range sheets[:min(maxSheetNames, len(sheets))] {
		name := prompt.Quote(prompt.Clip(s.Name, maxSheetName))
		if s.Hidden {
			name += " (" + l.texts.HiddenSheet + ")"
		}
		names = append(names, name)
	}
	if len(sheets) > maxSheetNames {
		names = append(names, "...")
	}
	return strings.Join(names, ", ")
}

// copySheet copies a sheet.
func (l *loader) copySheet(book *xlsx.Workbook, from xlsx.Sheet) (layout xlsx.Layout, err error) {
	text, err := os.Create(l.text)
	if err != nil {
		return layout, storage(err)
	}
	defer text.Close()
	l.sheet = &sheet{left: xlsx.MaxColumns}
	to := &sheetWriter{sheet: l.sheet, opt: &l.opt, to: csv.NewWriter(&counted{w: text, left: l.opt.MaxBytes, max: l.opt.MaxBytes})}
	layout, err = book.Rows(from, to.row)
	to.to.Flush()
	l.sheet.width, l.sheet.mergedTo = max(0, l.sheet.width-l.sheet.left), layout.MergedTo
	return layout, errors.Join(err, to.to.Error())
}

// counted fails after some bytes.
type counted struct {
	w         io.Writer
	left, max int64
}

func (c *counted) Write(p []byte) (int, error) {
	if c.left -= int64(len(p)); c.left < 0 {
		return 0, tooManyBytes(c.max)
	}
	n, err := c.w.Write(p)
	if err != nil {
		err = storage(err)
	}
	return n, err
}

// A sheetWriter writes the rows of a sheet.
type sheetWriter struct {
	*sheet
	opt    *Options
	to     *csv.Writer
	line   int
	record []string
}

var breaks = strings.NewReplacer(numberMark, "", lineMark, "", "\n", lineMark)

func (w *sheetWriter) row(row int, cells []xlsx.Cell) error {
	w.record = w.record[:0]
	for _, c := range cells {
		text := ""
		switch c.Kind {
		case xlsx.Error:
			first(&w.errors, &w.errorAt, row)
		case xlsx.NoValue:
			first(&w.uncomputed, &w.uncomputedAt, row)
		case xlsx.Number:
			text = strings.TrimRight(numberMark+c.Text+" "+unitOfExcel(c.Unit), " ")
		case xlsx.Clock:
			w.clocks++
			text = c.Text
		default:
			text = breaks.Replace(c.Text)
		}
		if c.Column >= w.opt.MaxColumns {
			return optionf("MaxColumns", ErrTooLarge, row, func(t *texts) string { return t.TooManyColumns },
				"n", strconv.Itoa(c.Column+1), "max", strconv.Itoa(w.opt.MaxColumns))
		}
		for len(w.record) < c.Column {
			w.record = append(w.record, "")
		}
		w.record = append(w.record, text)
		w.left = min(w.left, c.Column)
	}
	w.width = max(w.width, len(w.record))
	for w.line++; w.line < row; w.line++ {
		if err := w.to.Write(nil); err != nil {
			return err
		}
	}
	return w.to.Write(w.record)
}

// first counts a cell, and notes the row of the first one.
func first(count, at *int, row int) {
	if *count++; *at == 0 {
		*at = row
	}
}

// unitOfExcel returns the unit of a format if it is one of those that numbers have in CSV.
func unitOfExcel(unit string) string {
	if unit == "%" || isCurrency(unit) {
		return unit
	}
	return ""
}

// warn says what the sheet has besides rows.
func (s *sheet) warn(l *loader, layout xlsx.Layout) {
	for _, w := range []struct {
		text string
		Warning
	}{
		{l.texts.HiddenRows, Warning{Kind: Hidden, Count: layout.HiddenRows}},
		{l.texts.HiddenColumns, Warning{Kind: Hidden, Count: layout.HiddenColumns}},
		{l.texts.Merged, Warning{Kind: Merged, Count: layout.MergedRows}},
		{l.texts.Uncomputed, Warning{Kind: Uncomputed, Line: s.uncomputedAt, Count: s.uncomputed}},
		{l.texts.Errors, Warning{Kind: Missing, Line: s.errorAt, Count: s.errors}},
		{l.texts.Clocks, Warning{Kind: Converted, Count: s.clocks}},
	} {
		if w.Count > 0 {
			l.warn(w.Warning, w.text)
		}
	}
}
