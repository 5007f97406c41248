package tools

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/llm"
)

type summaryInput struct {
	Request  string           `json:"request" jsonschema_description:"what the user asked for, complete in itself"`
	Rows     *finding.RowsRef `json:"rows,omitempty" jsonschema_description:"the rows that were found"`
	Findings json.RawMessage  `json:"findings,omitempty" jsonschema_description:"what else was found, any JSON, such as the result of an analysis"`
}

type summaryResult struct {
	Text      string       `json:"text"`
	Truncated bool         `json:"truncated,omitempty"` // the model reached its output limit
	Figures   []qed.Figure `json:"figures,omitempty"`   // as in a [finding.Finding]
	Unproved  []string     `json:"unproved,omitempty"`
	Partial   string       `json:"partial,omitempty"`
}

// NewSummary returns the tool llm_summary: a model writes the answer to a request
// from rows and findings. Its arguments are {"request", "rows", "findings"}, the
// last two optional. Its result is {"text"}, with "truncated" if the model
// reached its output limit, and "figures", "unproved" and "partial" as in a
// [finding.Finding].
//
//   - The model refers to the cells of the rows, and their values are filled in:
//     see package figures. It may correct wrong references once, in a request
//     with the name "correct_figures". Numbers that it typed and that are in none
//     of the request, the rows and the findings are "unproved"; "partial" and the end of the
//     text say so. Without rows and findings, "partial" says that nothing was looked up.
//   - The text streams while it is written.
//   - The prompt has the first rows, up to 8 KiB, the number of all
//     rows, and why rows are missing.
//   - The model request has the name "llm_summary" ([llm.Request.Name]). The
//     reply is text.
func NewSummary(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("llm_summary", model, opt, qed.ChannelFinal)
	t := qed.NewTool("llm_summary",
		"Writes the answer for the user from the rows and findings of earlier tasks. Usually the last task of a plan.",
		func(ctx context.Context, in summaryInput) (summaryResult, error) {
			data, rows, err := newPromptData(ctx, in.Request, in.Rows, in.Findings)
			if err != nil {
				return summaryResult{}, err
			}
			source := sourceOf(ctx, &data, rows, in.Findings)
			source.Data = append(source.Data, in.Request)
			out, err := m.summary(ctx, data, source)
			if in.Rows == nil && noJSON(in.Findings) && out.Partial == "" {
				out.Partial = textsOf(ctx).NotLookedUp
			}
			return out, err
		})
	return m.finish(t, qed.ModelTool, err)
}

// noJSON reports whether an optional argument is left out, or empty.
func noJSON(raw json.RawMessage) bool {
	return slices.Contains([]string{"", "null", "{}", "[]", `""`}, string(strictjson.Compact(raw)))
}

// summary asks for a text about a source and streams it.
func (m *toolModel) summary(ctx context.Context, data promptData, source figures.Source) (summaryResult, error) {
	req, err := m.model.Request(m.tool, m.template, &data, nil)
	if err != nil {
		return summaryResult{}, err
	}
	result, err := answertext.Text(ctx, m.model, req, source, answertext.Stream(ctx, m.channel))
	cut := errors.Is(err, llm.ErrTruncated) && result.Text != ""
	switch {
	case err != nil && !cut:
		return summaryResult{}, err
	case strings.TrimSpace(result.Text) == "":
		return summaryResult{}, errEmptyText
	}
	out := summaryResult{Text: result.Text, Truncated: cut, Figures: result.Figures, Unproved: result.Unproved}
	if out.Partial = answertext.Doubt(textsOf(ctx).Unproved, out.Unproved); out.Partial != "" {
		out.Text += "\n\n" + out.Partial
		m.emit(ctx, "\n\n"+out.Partial)
	}
	return out, nil
}
