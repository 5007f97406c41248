// Package answertext has a model write an answer whose figures are looked up by
// code: see package figures. [SaveRows] saves the rows for it.
package answertext

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
)

//go:embed prompts/*.tmpl
var promptFiles embed.FS

var correctPrompt = promptset.Parse(promptFiles, "correct.tmpl")

// correctData is the data of the prompt that asks for corrections.
type correctData struct {
	Syntax  string
	Columns []string // of each table, with its name and its number of rows
	Unknown []figures.Unknown
}

// corrections is the reply to that prompt.
type corrections struct {
	Corrections []struct {
		Reference   string `json:"reference" jsonschema_description:"the reference as it was written"`
		Replacement string `json:"replacement" jsonschema_description:"the reference to use instead"`
	} `json:"corrections"`
}

// Text asks for a text that refers to values of a source, and passes it to stream
// with the values. The model may correct unknown references once, in a request
// with the name "correct_figures".
//
// With an error, Text returns the part that was streamed. If it is
// [modelcall.Unusable], the text was not complete.
func Text(
	ctx context.Context, m *modelcall.Model, req *llm.Request, source figures.Source, stream func(llm.Delta),
) (figures.Result, error) {
	write := func(piece string) { stream(llm.Delta{Text: piece}) }
	out := figures.NewText(source, write)
	streamed := false
	text, err := m.Text(ctx, req, func(d llm.Delta) {
		if d.Discard {
			stream(d)
			out, streamed = figures.NewText(source, write), false
			return
		}
		streamed = true
		out.Write(d.Text)
	})
	if !streamed {
		out.Write(text)
	}
	if err == nil {
		err = Correct(ctx, m, source.Tables, out)
	} else {
		out.CutOff()
	}
	return out.Close(ctx), err
}

// Said returns what the user said: the numbers in it may be repeated.
func Said(question string, history []llm.Message) []any {
	said := []any{question}
	for _, m := range history {
		if m.Role == llm.RoleUser {
			said = append(said, m.Content)
		}
	}
	return said
}

// Correct asks for corrections of the unknown references of a complete text. If the model fails,
// nothing is corrected: the text is complete without it.
func Correct(ctx context.Context, m *modelcall.Model, tables []figures.Table, out *figures.Text) error {
	unknown := out.Unknown()
	if len(unknown) == 0 {
		return nil
	}
	data := correctData{Syntax: figures.Syntax, Unknown: unknown[:min(len(unknown), maxUnknown)]}
	for i := range tables {
		data.Columns = append(data.Columns, describe(&tables[i]))
	}
	reply, err := modelcall.Reply[corrections](ctx, m, "correct_figures", correctPrompt, data, nil)
	if _, failed := errors.AsType[*llm.Error](err); err != nil && !failed && !errors.Is(err, budget.ErrExceeded) {
		return err
	}
	replacements := map[string]string{}
	for _, c := range reply.Corrections {
		replacements[c.Reference] = c.Replacement
	}
	out.Correct(replacements)
	return nil
}

// describe returns the names in a table to which a text can refer.
func describe(t *figures.Table) string {
	columns := make([]string, len(t.Rows.Columns))
	for i, c := range t.Rows.Columns {
		columns[i] = prompt.Quote(c.Name)
	}
	name := ""
	if t.Name != "" {
		name = "table " + prompt.Quote(t.Name) + ": "
	}
	return fmt.Sprintf("%srows r1 to r%d, columns %s", name, len(t.Rows.Rows), strings.Join(columns, ", "))
}

const maxUnknown = 20
