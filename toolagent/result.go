package toolagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
)

type rowsRef = finding.RowsRef

// A result is the result of a call, and what the model gets of it.
type result struct {
	qed.ToolResult
	finding finding.Finding // empty if it is none
	failed  bool            // it says nothing but that the call failed

	content string     // for the model, in its frame
	note    string     // the last part of it: the statistics of a result that was shortened
	message int        // the index of its message
	same    *result    // the earlier result that it refers to; nil if it has its own
	sorted  string     // see canonical
	brief   bool       // its message has the digest alone
	remark  string     // says how the tables of the result are named; empty if it has none
	table   *qed.Table // the rows of the finding, once they are loaded
	rows    int        // how many rows it has, and their columns
	columns []string
}

func (r *run) read(ctx context.Context, one *result) error {
	if one.same != nil {
		one.Output, one.Err = one.same.Output, one.same.Err
	}
	_, one.failed = one.Failed()
	switch {
	case one.same != nil && one.same.brief:
		// The model asks again for a result of which it has the digest alone.
		one.content, one.remark = one.same.content, one.same.remark
		one.rows, one.columns = one.same.rows, one.same.columns
		one.same = nil
		return nil
	case one.same != nil:
		one.content = "The result is the same as that of call " + one.same.Call.ID + " above. The tool was not called again."
		return nil
	case errors.Is(one.Err, budget.ErrExceeded):
		one.content = framed("tool_error", quoted(errNoResult))
		return nil
	case one.Err != nil:
		one.content = framed("tool_error", quoted(one.Err))
		return nil
	}
	one.finding = finding.Parse(one.Output)
	if err := r.tabulate(ctx, one); err != nil {
		return err
	}
	return r.show(ctx, one)
}

var errNoResult = errors.New("no result: the limit was reached before the call was made or while it was made, " +
	"so it is not known whether it had an effect")

// text returns the text for the user, or "".
func (one *result) text() string {
	if one.Err != nil || len(one.Output) == 0 {
		return ""
	}
	if one.Output[0] == '"' {
		var text string
		if json.Unmarshal(one.Output, &text) == nil {
			return text
		}
	}
	return one.finding.Text
}

// show sets the content of a result that has an output.
func (r *run) show(ctx context.Context, one *result) error {
	f := &one.finding
	if f.Rows != nil {
		one.rows, one.columns = f.Rows.Count, columnNames(f.Rows.Sample.Columns)
		r.refer(f.Rows)
	}
	hidden := f.Rows != nil && f.Rows.Count > len(f.Rows.Sample.Rows)
	if output := one.withoutData(); len(output) <= r.opt.MaxResultBytes && !hidden {
		one.content = framed("tool_result", untagged(output))
		return nil
	}
	short, err := r.shorten(ctx, one)
	if err != nil {
		return err
	}
	one.note = short.note
	one.content = framed("tool_result", untagged(short.output)) + "\n" + one.note
	return nil
}

// withoutData returns the output without the data of artifacts, such as a chart,
// which says nothing to the model that the call did not.
func (one *result) withoutData() json.RawMessage {
	if len(one.finding.Artifacts) == 0 && one.finding.Used == nil {
		return one.Output
	}
	refs := slices.Clone(one.finding.Artifacts)
	for i := range refs {
		refs[i].Data = nil
	}
	var whole map[string]json.RawMessage
	if json.Unmarshal(one.Output, &whole) != nil {
		return one.Output
	}
	raw, err := json.Marshal(refs)
	if err != nil {
		return one.Output
	}
	delete(whole, "used")
	if len(refs) > 0 {
		whole["artifacts"] = raw
	}
	if raw, err = json.Marshal(whole); err != nil {
		return one.Output
	}
	return raw
}

// untagged returns JSON in which no tag can be closed: < occurs in strings alone.
func untagged(raw json.RawMessage) string {
	if bytes.IndexByte(raw, '<') < 0 {
		return string(raw)
	}
	return strings.ReplaceAll(string(raw), "<", `\u003c`)
}

func framed(tag, text string) string { return "<" + tag + ">\n" + text + "\n</" + tag + ">" }

func columnNames(columns []qed.Column) []string {
	return lists.Map(columns, func(c qed.Column) string { return c.Name })
}

// arguments returns the arguments for a prompt, cut if they are long.
func (one *result) arguments() string {
	if len(one.Call.Arguments) <= maxDigestArguments {
		return untagged(one.Call.Arguments)
	}
	return prompt.Quote(prompt.Clip(string(one.Call.Arguments), maxDigestArguments))
}
