package tabular

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textfile"
	"github.com/qedkit/qed/internal/usertext"
)

// A cell is a value of the input.
type cell struct {
	text   string
	number bool // a number of JSON or Excel, whose decimal sign is a point
	quoted bool // a text by a formula of a spreadsheet: ="0012"
	null   bool
}

func (c cell) blank() bool { return c.null || strings.TrimSpace(c.text) == "" }

// A loader reads an input twice: from the reader of the caller, and from the
// copy in UTF-8 that the first time wrote.
type loader struct {
	ctx      context.Context
	opt      Options
	dir      string
	texts    *texts
	isJSON   bool
	comma    rune
	preamble bool // the first line names the separator, and is not the header
	columns  []*tableColumn
	names    map[string]bool // of the columns, in lower case
	index    map[string]int  // of the columns of JSON, by header
	lastIn   []int           // the last object that has the column of JSON
	path     []string        // the keys around the rows of JSON
	cutOff   int             // the object of JSON in which the input ends
	rows     int
	warnings []Warning

	shape      shape
	headerLine int
	firstRow   []string // below the header
	firstLine  int

	lineBreaks       bool // cells have them, which programs read as \n or as they are
	ragged, raggedAt int
	again            int // rows that repeat the header
	rules            int // lines such as -----
	totals, totalAt  int

	text  string // the path of the copy in UTF-8
	sheet *sheet // nil unless the input is a workbook
}

// maxWarnings bounds the warnings, of which each column may have several.
const maxWarnings = 100

// warn adds a warning with its text.
func (l *loader) warn(w Warning, text string, values ...string) {
	l.addWarning(w.message(text, values...))
}

func (l *loader) addWarning(w Warning) {
	if w.Option != "" {
		w.Message += " " + usertext.Fill(l.texts.Decides, "option", strings.ToLower(w.Option))
	}
	n := len(l.warnings)
	switch {
	case n < maxWarnings:
		l.warnings = append(l.warnings, w)
		return
	case n == maxWarnings:
		l.warnings = append(l.warnings, Warning{Kind: Omitted})
	}
	last := &l.warnings[maxWarnings]
	last.Count++
	*last = last.message(l.texts.Omitted)
}

// scan reads the input, copies it in UTF-8 and finds the types.
func (l *loader) scan(r io.Reader) error {
	if err := l.copyText(r); err != nil {
		return err
	}
	if err := l.detect(); err != nil {
		return err
	}
	l.shape.noHeader = l.opt.HeaderLine < 0
	before := len(l.warnings)
	for {
		err := l.addRows()
		if own, ok := errors.AsType[*Error](err); ok && own.Kind == ErrFormat && (own.lenient || l.isJSON) && !l.shape.lenient {
			l.shape.lenient = true
			l.forget(before)
			continue
		}
		if err != nil {
			return err
		}
		sign, order, found := l.decimalSign(), l.dateOrder(), []Warning{}
		for _, c := range l.columns {
			found = append(found, c.decide(sign, l.opt.Decimal != 0, order)...)
		}
		again, err := l.reshape()
		if err != nil {
			return err
		}
		if again {
			l.forget(before)
			continue
		}
		l.warnShape()
		for _, w := range found {
			l.addWarning(w)
		}
		return nil
	}
}

// forget makes the loader read the rows again, after the first warnings.
func (l *loader) forget(warnings int) {
	l.warnings = l.warnings[:warnings]
	l.columns, l.names, l.lastIn = nil, nil, nil
	l.rows, l.ragged, l.raggedAt, l.again, l.rules, l.totals, l.totalAt = 0, 0, 0, 0, 0, 0, 0
	l.firstRow, l.firstLine = nil, 0
	if l.isJSON {
		l.index = map[string]int{}
	}
}

// detect finds the format, and the separator of CSV.
func (l *loader) detect() error {
	f, err := l.open()
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, textfile.HeadBytes)
	n, err := io.ReadFull(f, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return storage(err)
	}
	head = bytes.Trim(head[:n], " \r\n") // a tab is an empty cell
	text := bytes.TrimSpace(head)
	if len(text) == 0 {
		return errorf(ErrEmpty, 0, func(t *texts) string { return t.Empty })
	}
	if l.sheet == nil && (text[0] == '{' || text[0] == '[') {
		l.isJSON, l.index, l.path = true, map[string]int{}, jsonPath(text)
		return nil
	}
	l.comma = ','
	if l.sheet == nil {
		l.comma, l.preamble = textfile.Separator(head)
		l.comma = cmp.Or(l.opt.Separator, l.comma)
	}
	if l.opt.HeaderLine == 0 {
		l.shape.above = l.linesAbove(head)
	}
	if l.comma != ',' {
		l.warn(Warning{Kind: Delimiter}, l.texts.Separator, "sign", strconv.QuoteRune(l.comma))
	}
	return nil
}

// open opens the copy in UTF-8.
func (l *loader) open() (*os.File, error) {
	f, err := os.Open(l.text)
	if err != nil {
		return nil, storage(err)
	}
	return f, nil
}

// each calls row with the cells of each row and its line.
func (l *loader) each(row func(cells []cell, line int) error) error {
	f, err := l.open()
	if err != nil {
		return err
	}
	defer f.Close()
	in := &records{r: &limited{ctx: l.ctx, r: f, max: math.MaxInt64}, max: int64(l.opt.MaxRowBytes), line: 1}
	if l.isJSON {
		if l.shape.lenient {
			in.r = &nanReader{r: bufio.NewReader(in.r)}
		}
		return l.eachObject(in, row)
	}
	return l.eachRecord(in, row)
}

// addRows finds what the cells of all rows may be.
func (l *loader) addRows() error {
	err := l.each(func(cells []cell, at int) error {
		if l.rows == l.opt.MaxRows {
			return optionf("MaxRows", ErrTooLarge, at, func(t *texts) string { return t.TooManyRows }, "n", strconv.Itoa(l.opt.MaxRows))
		}
		l.rows++
		for i, c := range cells {
			if len(c.text) > l.opt.MaxCellBytes {
				return optionf("MaxCellBytes", ErrTooLarge, at, func(t *texts) string { return t.LongCell },
					"number", strconv.Itoa(i+1), "n", strconv.Itoa(l.opt.MaxCellBytes))
			}
			l.columns[i].add(c, at)
		}
		return nil
	})
	if err == nil && (len(l.columns) == 0 || l.rows == 0) {
		err = errorf(ErrEmpty, 0, func(t *texts) string { return t.Empty })
	}
	return err
}

func (l *loader) addColumns(headers []string, line int) error {
	if n := len(l.columns) + len(headers); n > l.opt.MaxColumns {
		return optionf("MaxColumns", ErrTooLarge, line, func(t *texts) string { return t.TooManyColumns },
			"n", strconv.Itoa(n), "max", strconv.Itoa(l.opt.MaxColumns))
	}
	if l.names == nil {
		l.names = map[string]bool{}
	}
	suffix := map[string]int{} // the last one, by name in lower case
	for _, header := range headers {
		name := strings.TrimSpace(strings.Join(strings.FieldsFunc(header, isInvisible), " "))
		if name == "" {
			name = fmt.Sprintf("column_%d", len(l.columns)+1)
		}
		if len(name) > 128 {
			return optionf("HeaderLine", ErrFormat, line, func(t *texts) string { return t.LongName }, "n", strconv.Itoa(len(l.columns)+1))
		}
		base := name
		for key := ascii.Lower(base); l.names[ascii.Lower(name)]; {
			suffix[key] = max(suffix[key], 1) + 1
			name = fmt.Sprintf("%s_%d", base, suffix[key])
		}
		l.names[ascii.Lower(name)] = true
		if name != header && !l.shape.noHeader {
			l.warn(Warning{Kind: Header, Column: name, Line: line}, l.texts.Named,
				"number", strconv.Itoa(len(l.columns)+1), "header", prompt.Quote(prompt.Clip(header, 128)))
		}
		l.columns = append(l.columns, &tableColumn{texts: l.texts, name: name, header: strings.Clone(header)})
	}
	return nil
}

// isInvisible reports whether a name of a column must not have c: control characters,
// ends of lines, and characters that change the direction of the text around them.
func isInvisible(c rune) bool {
	return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp, unicode.Bidi_Control) || c == '\ufeff'
}
