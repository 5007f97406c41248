package rag

import (
	"strconv"
	"strings"
)

// An htmlTable is the outermost open table. Each of its rows is a line, in which a bar
// separates the cells. A cell that spans rows or columns stands in each of them, so that
// all rows have the same columns.
type htmlTable struct {
	row    int // where the text of the current row begins in the block
	cell   int // where that of the current cell begins
	column int // of the current or the next cell

	columns, rows int             // that the current cell spans; 0: no cell is open
	below         map[int]spanned // the cells of earlier rows that span the next ones, by column
	repeated      int             // how many bytes were written for spans

	inHead    bool // in a thead
	header    bool // all cells of the row are headers
	headLines int  // how many rows at the beginning are headers
	body      bool // another row has begun
}

// A spanned cell stands in further rows.
type spanned struct {
	text string
	rows int
}

// cell begins a cell.
func (h *htmlText) cell(header bool, attributes map[string]string) {
	if h.tables != 1 {
		h.space()
		return
	}
	t := &h.table
	h.endCell()
	h.spanned()
	t.header = header && (t.header || t.column == 0)
	h.bar()
	t.cell = h.block.Len()
	t.columns, t.rows = span(attributes["colspan"], 1), span(attributes["rowspan"], maxSpan)
}

// span returns how many columns or rows a cell spans. Zero rows are those to the end of the
// group of rows.
func span(text string, zero int) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	switch {
	case err != nil || n < 0:
		return 1
	case n == 0:
		return zero
	}
	return min(n, maxSpan)
}

const maxSpan = 1000

// endGroup ends a group of rows, beyond which no cell spans. tables is the number of open
// tables.
func (t *htmlTable) endGroup(tables int) {
	if tables == 1 {
		clear(t.below)
	}
}

// bar separates the next column from the one before.
func (h *htmlText) bar() {
	if h.table.column > 0 {
		h.space()
		h.block.WriteString("| ")
	}
}

// repeat writes the text of a cell into a further column. A page cannot make it write
// more than the page is long.
func (h *htmlText) repeat(text string) {
	if h.table.repeated += len(text) + 3; h.table.repeated <= len(h.data) {
		h.bar()
		h.block.WriteString(text)
	}
	h.table.column++
}

// endCell ends the open cell.
func (h *htmlText) endCell() {
	t := &h.table
	if t.columns == 0 {
		return
	}
	h.closeScript()
	text := strings.TrimSpace(string(h.block.Bytes()[t.cell:]))
	if t.rows > 1 && t.below == nil {
		t.below = map[int]spanned{}
	}
	for i := range t.columns {
		if t.rows > 1 {
			t.below[t.column] = spanned{text, t.rows - 1}
		}
		if i == 0 {
			t.column++
		} else {
			h.repeat(text)
		}
	}
	t.columns = 0
}

// spanned writes the cells of earlier rows that stand in the next columns.
func (h *htmlText) spanned() {
	t := &h.table
	for {
		cell, ok := t.below[t.column]
		if !ok {
			return
		}
		if cell.rows--; cell.rows == 0 {
			delete(t.below, t.column)
		} else {
			t.below[t.column] = cell
		}
		h.repeat(cell.text)
	}
}

// endRow ends the open row. One without text is left out.
func (h *htmlText) endRow() {
	if h.tables != 1 {
		h.space()
		return
	}
	t := &h.table
	cells := t.column > 0 || t.columns > 0
	h.endCell()
	if cells {
		h.spanned()
	}
	if strings.Trim(string(h.block.Bytes()[t.row:]), "| \n") == "" {
		h.block.Truncate(t.row)
	} else if t.inHead || t.header {
		if !t.body {
			t.headLines++
		}
		h.lineEnd()
	} else {
		t.body = true
		h.lineEnd()
	}
	t.row, t.cell, t.column, t.header = h.block.Len(), h.block.Len(), 0, false
}
