package tools

import (
	"context"
	"encoding/json"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/llm"
)

type summaryInput struct {
	Request  string           `json:"request" jsonschema_description:"what the user asked for, complete in itself"`
	Rows     *finding.RowsRef `json:"rows,omitempty" jsonschema_description:"the rows that were found"`
	Findings json.RawMessage  `json:"findings,omitempty" jsonschema_description:"what else was found, any JSON, such as the result of an analysis"`
}

type summaryResult struct {
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"` // the model reached its output limit
}

// NewSummary returns the tool llm_summary: a model writes the answer to a request
// from rows and findings. Its arguments are {"request", "rows", "findings"}, the
// last two optional. Its result is {"text"}, with "truncated" if the model
// reached its output limit.
//
//   - The text streams while it is written: see [Options.Channel].
//   - The prompt has the first rows, up to [Options.MaxData], the number of all
//     rows, and why rows are missing.
//   - The model request has the name "llm_summary" ([llm.Request.Name]). The
//     reply is text.
func NewSummary(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("llm_summary", model, opt, qed.ChannelFinal)
	t := qed.NewTool("llm_summary",
		"Writes the answer for the user from the rows and findings of earlier tasks. Usually the last task of a plan.",
		func(ctx context.Context, in summaryInput) (summaryResult, error) {
			data, _, err := newPromptData(ctx, in.Request, in.Rows, in.Findings, m.maxData)
			if err != nil {
				return summaryResult{}, err
			}
			text, cut, err := m.text(ctx, data)
			return summaryResult{text, cut}, err
		})
	return m.finish(t, qed.ModelTool, err)
}
