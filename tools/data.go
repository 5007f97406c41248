package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// ModelToolData is what the prompts of [NewSummaryTool], [NewInsightsTool] and [NewLLMTool] are given. Texts must go through quote, but for Rows
// and Data: these are JSON in which no tag can end.
type PromptData struct {
	Request string // what is asked for; of llm_tool its prompt

	Rows    string // the names of the columns and the first rows, a JSON array a line; empty where there are no rows
	Shown   int    // how many rows these are
	Count   int    // how many there are
	More    bool   // in the data there are more than Count
	Partial string // why rows are missing; empty: for nothing but their number

	Data    string // findings, or what a prompt is about; empty where there is none
	DataCut bool   // it is cut off at its end

	// Of generate_insights alone: how many it may give, and of its last reply the insights that are taken, and those that are refused, each with its
	// numbers that do not stand in the data. The first time there are none.
	Most    int
	Taken   []string
	Refused map[string][]string
}

// toolData makes what a tool is given into what stands in its prompt, at most so many bytes of rows and of other data. Rows that are not kept any
// more are told as far as their sample goes. Where seen is not nil, it gets the numbers that are told.
func toolData(ctx context.Context, request string, rows *qed.RowsRef, data json.RawMessage, most int, seen *numberSet) (PromptData, error) {
	d := PromptData{Request: prompt.Clip(request, maxToolRequest)}
	if rows != nil {
		table, err := rows.Table(ctx)
		if errors.Is(err, qed.ErrNotFound) {
			table, err = &rows.Sample, nil
		}
		if err != nil {
			return d, err
		}
		d.Rows, d.Shown = rowLines(table, most, seen)
		d.Count = max(rows.Count, len(table.Rows))
		d.More = rows.Truncated
		d.Partial = prompt.Clip(rows.Partial, 300)
		seen.addInt(d.Shown)
		seen.addInt(d.Count)
		seen.addText(d.Partial)
	}
	d.Data, d.DataCut = jsonText(data, most)
	if d.DataCut {
		seen.addText(prompt.Clip(string(compact(data)), most))
	} else {
		seen.addJSON(data)
	}
	return d, nil
}

// longestCell is how much of a cell stands in a prompt, in bytes.
const longestCell = 300

// rowLines writes the names of a table's columns and then its rows as JSON arrays, one a line, until they have most bytes. It says how many rows
// these are.
func rowLines(t *qed.Table, most int, seen *numberSet) (text string, shown int) {
	// In a wide table each cell is cut shorter, so that one row cannot fill a prompt.
	longest := min(longestCell, max(10, most/max(1, 2*len(t.Columns))))
	head := make([]any, len(t.Columns))
	for i, c := range t.Columns {
		head[i] = c.Name
	}
	// Of columns without number the first are named, and each row is as long as that.
	for len(head) > 1 && len(cellLine(head, longest)) > most/2 {
		head = head[:len(head)/2]
	}
	var b strings.Builder
	b.WriteString(cellLine(head, longest))
	seen.addCells(head, longest)
	for _, row := range t.Rows {
		row = row[:min(len(row), len(head))]
		line := cellLine(row, longest)
		if b.Len()+1+len(line) > most {
			break
		}
		b.WriteString("\n" + line)
		seen.addCells(row, longest)
		shown++
	}
	return b.String(), shown
}

// cellLine writes cells as a JSON array, the texts cut after longest bytes.
func cellLine(cells []any, longest int) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, cell := range cells {
		if i > 0 {
			b.WriteByte(',')
		}
		switch cell := cell.(type) {
		case nil:
			b.WriteString("null")
		case string:
			b.WriteString(prompt.Quote(prompt.Clip(cell, longest)))
		default:
			b.WriteString(qed.FormatCell(cell)) // a number as a person writes it
		}
	}
	b.WriteByte(']')
	return b.String()
}

// escapedJSON returns JSON on one line, with < and > escaped.
func escapedJSON(raw json.RawMessage) []byte {
	var b bytes.Buffer
	json.HTMLEscape(&b, compact(raw))
	return b.Bytes()
}
