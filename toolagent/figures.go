package toolagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// tabulate lets the texts of the model refer to the tables of a result, and says so in
// the remark after it.
func (r *run) tabulate(ctx context.Context, one *result) error {
	first := r.queries // the index of the result's first query in the answer
	r.queries += len(one.finding.Queries)
	query := -1
	for i, q := range one.finding.Queries {
		if q.Executed != "" {
			query = first + i
		}
	}
	if one.finding.Rows != nil {
		table, err := r.rowsOf(ctx, one)
		if err != nil {
			return err
		}
		r.name(one, "The rows", table, query)
		return nil
	}
	if !hasRows(one.Output) {
		return nil
	}
	if table := wholeTable(one.Output); table != nil {
		r.name(one, "The rows", table, query)
		return nil
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(one.Output, &whole) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		if slices.Contains(proofMembers, name) {
			continue
		}
		if table := wholeTable(whole[name]); table != nil {
			r.name(one, "The rows of "+prompt.Quote(prompt.Clip(name, maxDigestArguments)), table, query)
		}
	}
	return nil
}

// proofMembers are members of a finding that are lists, and no data.
var proofMembers = []string{"artifacts", "citations", "dates", "entities", "figures", "queries", "query_metadata"}

// name gives a table the name with which a text refers to it.
func (r *run) name(one *result, rows string, table *qed.Table, query int) {
	if len(table.Rows) == 0 {
		return
	}
	name := fmt.Sprint("t", len(r.tables)+1)
	if len(r.tables) == 0 {
		one.remark = "\n" + tableSyntax
	}
	r.tables = append(r.tables, figures.Table{Name: name, Rows: *table, Query: query})
	one.remark += fmt.Sprintf("\n%s are those of table %s, from %s.r1 to %s.r%d in their order.",
		rows, name, name, name, len(table.Rows))
}

// tableSyntax is the remark after the first result that has a table.
const tableSyntax = "In texts for the user, refer to the values of tables. Arguments of tools have plain values.\n" +
	figures.Syntax + "\nWrite the name of the table before the row or the column: {t1.r3.hours}, {sum t1.hours}, {count t1}."

// rowsOf returns the rows of a result that is a finding. If they were removed since,
// these are the first ones.
func (r *run) rowsOf(ctx context.Context, one *result) (*qed.Table, error) {
	if one.table != nil {
		return one.table, nil
	}
	rows := one.finding.Rows
	table, err := rows.Table(ctx)
	if errors.Is(err, qed.ErrNotFound) {
		sample := rows.Sample
		sample.Truncated = true
		table, err = &sample, nil
	}
	if err == nil && rows.Truncated {
		table.Truncated = true
	}
	one.table = table
	return table, err
}

// hasRows reports whether JSON has an array of arrays or of objects. It finds all of
// them, and costs less than decoding.
func hasRows(raw json.RawMessage) bool {
	for {
		at := bytes.IndexByte(raw, '[')
		if at < 0 {
			return false
		}
		raw = bytes.TrimLeft(raw[at+1:], " \t\r\n")
		if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
			return true
		}
	}
}

// wholeTable returns JSON that is a [qed.Table] or an array of objects as a table, or
// nil.
func wholeTable(raw json.RawMessage) *qed.Table {
	if raw = bytes.TrimSpace(raw); len(raw) > 0 && raw[0] == '{' {
		var members struct {
			Columns []qed.Column
			Rows    [][]json.RawMessage
		}
		table := new(qed.Table)
		if json.Unmarshal(raw, &members) != nil || len(members.Columns) == 0 || json.Unmarshal(raw, table) != nil {
			return nil
		}
		return table
	}
	return tableOf(raw, 1)
}

// source returns what a text of the model is about.
func (r *run) source() figures.Source {
	s := figures.Source{Language: r.language, Tables: r.tables}
	if len(r.tables) == 0 {
		return s // numbers are not checked
	}
	var found []any // as a whole: many results prove short numbers by chance
	for _, one := range r.results {
		found = append(found, one.data()...)
	}
	s.Data = append(answertext.Said(r.question, r.messages[1:r.before]), r.dates.String(), r.opt.Instructions, found)
	return s
}

// data returns the data of a result whose numbers a text may repeat. What repeats a number
// that the model wrote in a call that failed, or that a tool calls unproved, is no proof of it,
// and neither is the name of a chart, which the model wrote too.
func (one *result) data() []any {
	unproved := one.finding.Unproved
	switch {
	case one.same != nil:
		return nil
	case one.failed:
		text := string(one.Output)
		if one.Err != nil {
			text = one.Err.Error()
		}
		if repeats(text, string(one.Call.Arguments)) {
			return nil
		}
		return []any{text}
	}
	var data []any
	if len(unproved) == 0 {
		data = append(data, one.note)
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(one.Output, &whole) != nil {
		if len(unproved) == 0 {
			data = append(data, one.Output)
		}
		return data
	}
	if len(one.finding.Artifacts) > 0 {
		delete(whole, "artifacts")
	}
	if one.finding.Used != nil {
		delete(whole, "used")
	}
	maps.DeleteFunc(whole, func(_ string, raw json.RawMessage) bool {
		return len(unproved) > 0 && repeats(string(raw), strings.Join(unproved, " "))
	})
	data = append(data, whole)
	for _, v := range one.finding.Figures {
		data = append(data, v.Text)
	}
	return data
}

// repeats reports whether a text has a number of another one, as it is written there but for
// points and commas.
func repeats(text, other string) bool {
	plain := strings.NewReplacer(".", "", ",", "")
	written := digits.FindAllString(plain.Replace(other), -1)
	return slices.ContainsFunc(digits.FindAllString(plain.Replace(text), -1), func(number string) bool {
		return slices.Contains(written, number)
	})
}

var digits = regexp.MustCompile(`\d+`)

// A draft is the reply of a step while it arrives. Its text is the answer unless it
// is discarded.
type draft struct {
	r     *run
	out   *figures.Text // nil: no piece was written
	shown bool          // a piece was emitted
}

func (d *draft) emit(text string) {
	d.shown = true
	qed.Emit(d.r.ctx, qed.Token{Channel: qed.ChannelFinal, Content: text})
}

func (d *draft) read(piece llm.Delta) {
	if piece.Discard {
		d.discard()
		return
	}
	d.write(piece.Text)
}

func (d *draft) write(text string) {
	if d.out == nil {
		d.out = figures.NewText(d.r.source(), d.emit)
	}
	d.out.Write(text)
}

// discard says that the text is not the answer. Another one may follow.
func (d *draft) discard() {
	if d.shown {
		qed.Emit(d.r.ctx, qed.Token{Channel: qed.ChannelFinal, Discard: true})
	}
	d.out, d.shown = nil, false
}

// close returns the reply, whose text is given, with the values it refers to.
func (d *draft) close(ctx context.Context, text string) figures.Result {
	if d.out == nil {
		d.write(text)
	}
	return d.out.Close(ctx)
}

// answerOf returns the reply as an answer. The model may correct its references.
func (r *run) answerOf(ctx context.Context, d *draft, text string) (figures.Result, error) {
	if d.out == nil {
		d.write(text)
	}
	err := answertext.Correct(ctx, r.model, r.tables, d.out)
	return d.close(ctx, text), err
}
