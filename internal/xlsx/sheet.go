package xlsx

import (
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Kind is what a cell has.
type Kind int

const (
	Text    Kind = iota
	Number       // Text is as programs write numbers
	Boolean      // Text is true or false
	Date         // Text is 2006-01-02 or 2006-01-02 15:04:05
	Clock        // Text is 15:04:05; durations may have more hours
	Error        // of a formula, such as #N/A
	NoValue      // a formula that was not computed
)

// A Cell is a cell with a value.
type Cell struct {
	Column int // from 0
	Kind   Kind
	Text   string
	Unit   string // what the format of a number has with it, such as % or €
}

// A Layout is what a sheet has besides cells.
type Layout struct {
	HiddenRows    int // with cells
	HiddenColumns int
	MergedRows    int         // merged cells in several rows
	MergedTo      map[int]int // the last column of merged cells from 1, by their row, of the first rows
}

const maxMergedTo = 100 // the row up to which MergedTo is filled

// Rows calls each with the cells of each row that has any, by the number of the row from 1.
// The slice is used again.
func (w *Workbook) Rows(s Sheet, each func(row int, cells []Cell) error) (Layout, error) {
	r := &sheetReader{Workbook: w, each: each, layout: Layout{MergedTo: map[int]int{}}}
	err := w.walk(s.path, "worksheet", r.element)
	if err == nil {
		err = r.flush()
	}
	return r.layout, err
}

type sheetReader struct {
	*Workbook
	each   func(row int, cells []Cell) error
	row    int
	column int // the last one, from 1
	hidden bool
	cells  []Cell
	layout Layout
}

func (s *sheetReader) flush() error {
	if len(s.cells) == 0 {
		return nil
	}
	if s.hidden {
		s.layout.HiddenRows++
	}
	err := s.each(s.row, s.cells)
	s.cells = s.cells[:0]
	return err
}

func (s *sheetReader) element(in *reader, start xml.StartElement) error {
	switch start.Name.Local {
	case "col":
		if isTrue(attribute(start, "hidden")) {
			from, _ := strconv.Atoi(attribute(start, "min"))
			to, _ := strconv.Atoi(attribute(start, "max"))
			s.layout.HiddenColumns += max(0, min(to, MaxColumns)-max(from, 1)+1)
		}
	case "row":
		return s.beginRow(start)
	case "c":
		return s.cell(in, start)
	case "mergeCell":
		from, to, _ := strings.Cut(attribute(start, "ref"), ":")
		_, first, ok := position(from)
		column, last, too := position(to)
		if ok && too && last > first {
			s.layout.MergedRows++
		}
		if ok && too && first <= maxMergedTo {
			s.layout.MergedTo[first] = max(s.layout.MergedTo[first], column)
		}
	}
	return nil
}

func (s *sheetReader) beginRow(start xml.StartElement) error {
	if err := s.flush(); err != nil {
		return err
	}
	row, before := s.row+1, s.row
	if text := attribute(start, "r"); text != "" {
		row, _ = strconv.Atoi(text)
	}
	if row <= before || row > MaxRows {
		return fmt.Errorf("row %d does not follow row %d", row, before)
	}
	s.row, s.column, s.hidden = row, 0, isTrue(attribute(start, "hidden"))
	return nil
}

func (s *sheetReader) cell(in *reader, start xml.StartElement) error {
	column := s.column + 1
	var kind, styleID string
	for _, a := range start.Attr {
		switch a.Name.Local {
		case "r":
			at, row, ok := position(a.Value)
			if !ok || row != s.row {
				return fmt.Errorf("a cell of row %d has no valid position", s.row)
			}
			column = at
		case "t":
			kind = a.Value
		case "s":
			styleID = a.Value
		}
	}
	if column <= s.column || column > MaxColumns || s.row == 0 {
		return fmt.Errorf("the cells of row %d are not in their order", s.row)
	}
	s.column = column
	content, formula, err := in.content("c")
	if err != nil {
		return err
	}
	c := Cell{Column: column - 1}
	switch {
	case len(content) > 0:
		if c, err = s.value(c, kind, styleID, content); err != nil {
			return fmt.Errorf("row %d: %w", s.row, err)
		}
	case formula && kind != "str": // a text of a formula may be empty
		c.Kind = NoValue
	default:
		return nil
	}
	if c.Kind != Text || strings.TrimSpace(c.Text) != "" {
		s.cells = append(s.cells, c)
	}
	return nil
}

// value returns a cell with its value.
func (s *sheetReader) value(c Cell, kind, styleID string, content []byte) (_ Cell, err error) {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(string(content)))
		if err != nil {
			return c, errors.New("a cell has no valid text")
		}
		c.Text, err = s.texts.at(i)
		return c, err
	case "str", "inlineStr":
		c.Text = unescape(content)
		return c, nil
	case "b":
		c.Kind, c.Text = Boolean, strconv.FormatBool(isTrue(string(content)))
		return c, nil
	case "e":
		c.Kind = Error
		return c, nil
	case "d":
		c.Kind, c.Text = Date, strings.Replace(string(content), "T", " ", 1)
		return c, nil
	case "", "n":
		return s.number(c, styleID, strings.TrimSpace(string(content)))
	}
	return c, fmt.Errorf("a cell has the type %.20q, which does not exist", kind)
}

// number returns a cell with a number, as its format shows it.
func (s *sheetReader) number(c Cell, styleID, text string) (Cell, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE+-") != "" {
		return c, errors.New("a cell has a number that is none")
	}
	var of style
	if i, err := strconv.Atoi(styleID); err == nil && i >= 0 && i < len(s.styles) {
		of = s.styles[i]
	}
	c.Kind, c.Text, c.Unit = Number, text, of.unit
	switch of.kind {
	case plain:
	case percents:
		c.Text = percent(v)
	default:
		if text, noDate, ok := s.moment(v, of.kind); ok {
			c.Kind, c.Text = Date, text
			if noDate {
				c.Kind = Clock
			}
		}
	}
	return c, nil
}

// position returns the column and the row of a cell such as AB12, from 1.
func position(ref string) (column, row int, ok bool) {
	i := 0
	for ; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z' && i < 4; i++ {
		column = column*26 + int(ref[i]-'A') + 1
	}
	row, err := strconv.Atoi(ref[i:])
	return column, row, i > 0 && err == nil && row > 0
}

func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func isTrue(s string) bool { return s == "1" || s == "true" }
