package toolagent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
)

// A short form of a result for the model.
type shortForm struct {
	output json.RawMessage
	note   string // what is missing, and how to get it
}

// shorten returns the short form of a result: rows as their first and last ones with
// statistics, and everything else as its beginning and end.
func (r *run) shorten(ctx context.Context, one *result) (shortForm, error) {
	limit := r.opt.MaxResultBytes
	var whole map[string]json.RawMessage
	if table := wholeTable(one.Output); table != nil && len(table.Rows) > 1 {
		return r.shortRows(ctx, one, table)
	}
	if json.Unmarshal(one.withoutData(), &whole) != nil || whole == nil {
		return cutForm(one.Output, limit), nil
	}
	short := shortForm{}
	views := map[string]bool{}
	if rows := one.finding.Rows; rows != nil {
		table, err := r.rowsOf(ctx, one)
		if err != nil {
			return short, err
		}
		delete(whole, "query_metadata") // it has the sample again
		whole["rows"], short.note = viewOf(rows, table, limit*3/4)
		views["rows"] = true
	}
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		if views[name] || len(whole[name]) <= limit/4 {
			continue
		}
		table := tableOf(whole[name], 2)
		if table == nil {
			continue
		}
		rows, err := r.keep(ctx, one, table)
		if err != nil {
			return short, err
		}
		whole[name], short.note = viewOf(rows, table, limit/2)
		views[name] = true
	}
	var err error
	if short.output, err = json.Marshal(whole); err != nil || len(short.output) <= limit {
		return short, err
	}
	for name, value := range whole {
		if !views[name] && len(value) > limit/8 {
			whole[name] = cutForm(value, limit/8).output
		}
	}
	if short.output, err = json.Marshal(whole); err != nil || len(short.output) <= limit {
		return shortForm{short.output, firstText(short.note, noteCut)}, err
	}
	return cutForm(short.output, limit), nil
}

// shortRows returns the short form of a result that is a table.
func (r *run) shortRows(ctx context.Context, one *result, table *qed.Table) (shortForm, error) {
	rows, err := r.keep(ctx, one, table)
	if err != nil {
		return shortForm{}, err
	}
	view, note := viewOf(rows, table, r.opt.MaxResultBytes)
	return shortForm{view, note}, nil
}

// keep saves rows that were read from a result, and returns their reference. It has
// no handle if they cannot be saved.
func (r *run) keep(ctx context.Context, one *result, table *qed.Table) (*rowsRef, error) {
	one.rows, one.columns = len(table.Rows), columnNames(table.Columns)
	if r.durable {
		rows, err := finding.SaveRows(ctx, table)
		if err != nil || rows.Handle != "" {
			r.refer(rows)
			return rows, err
		}
	}
	return &rowsRef{Count: len(table.Rows)}, nil
}

// refer lets later calls refer to rows by their handle.
func (r *run) refer(rows *rowsRef) {
	if rows == nil || rows.Handle == "" {
		return
	}
	if r.rows == nil {
		r.rows = map[string]*rowsRef{}
	}
	r.rows[rows.Handle] = rows
}

const noteCut = "The result is shortened. Call the tool with arguments that ask for less to see the rest."

// cutForm returns the beginning and the end of JSON. A string is cut as text.
func cutForm(raw json.RawMessage, limit int) shortForm {
	text := string(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil {
		text = s
	}
	for size := limit * 3 / 4; ; size = size * 3 / 4 { // quoting makes it longer
		head, tail := headTail(text, size)
		output, err := json.Marshal(map[string]any{
			"beginning": head, "left_out_bytes": len(text) - len(head) - len(tail), "end": tail,
		})
		if err != nil || len(output) <= limit || size < 16 {
			return shortForm{output, noteCut}
		}
	}
}

// headTail returns the first and the last runes of a text: two thirds and a third of
// size bytes.
func headTail(text string, size int) (head, tail string) {
	if len(text) <= size {
		return text, ""
	}
	n := size * 2 / 3
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	from := max(n, len(text)-size/3)
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return text[:n], text[from:]
}

// tableOf returns an array of at least so many objects as a table, or nil if raw is
// something else. Nested values become their JSON.
func tableOf(raw json.RawMessage, least int) *qed.Table {
	decoded, _ := strictjson.Any(raw)
	objects, _ := decoded.([]any)
	if len(objects) < least {
		return nil
	}
	table := &qed.Table{}
	at := map[string]int{}
	for _, o := range objects {
		object, ok := o.(map[string]any)
		if !ok {
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(object)) {
			if _, known := at[name]; !known {
				at[name] = len(table.Columns)
				table.Columns = append(table.Columns, qed.Column{Name: name})
			}
		}
	}
	for _, o := range objects {
		row := make([]any, len(table.Columns))
		for name, value := range o.(map[string]any) {
			row[at[name]] = strictjson.Cell(value)
		}
		table.Rows = append(table.Rows, row)
	}
	return table
}

// rowsNote returns what a model has to know about rows of which it sees some. read is
// how many rows the statistics are of.
func rowsNote(v *rowsView, read int) string {
	note := fmt.Sprintf("%d of %d rows are shown.", len(v.First)+len(v.Last), v.Count)
	if len(v.Statistics) > 0 {
		note += fmt.Sprintf(" The statistics are of %d rows.", read)
	}
	if v.Truncated {
		note += " There are more rows than these."
	}
	if v.Handle == "" {
		return note + " Call the tool with arguments that ask for less to see others."
	}
	return note + ` To give all of them to a tool that takes rows, use {"handle": ` + prompt.Quote(v.Handle) +
		`} as its argument.`
}
