package tools

import (
	"context"
	"encoding/json"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
)

type summaryInput struct {
	Request  string          `json:"request" jsonschema_description:"what the user asked for, complete in itself"`
	Rows     *qed.RowsRef    `json:"rows,omitempty" jsonschema_description:"the rows that were found"`
	Findings json.RawMessage `json:"findings,omitempty" jsonschema_description:"what else was found out, any JSON, such as the result of an analysis"`
}

type summaryResult struct {
	Text      string `json:"text"`
	Truncated bool   `json:"truncated,omitempty"` // the model was cut off
}

// NewSummaryTool returns the tool llm_summary: a model writes the answer to a request from rows and from what else was found. Its arguments are
// {"request", "rows", "findings"}, the last two optional; its result is {"text"}, with "truncated" where the model was cut off.
//
// The text streams while it is written: see [ModelToolOptions] Channel. The model sees the first rows, as far as MaxData goes, and is told how
// many there are, and where some are missing, why. It is asked by the request "llm_summary" ([llm.Request] Name), and replies with text.
func NewSummary(model llm.Model, opt *Options) qed.Tool {
	m, err := newToolModel("llm_summary", model, opt, qed.ChannelFinal)
	t := qed.NewTool("llm_summary", "Writes the answer for the user from the rows and findings of earlier tasks. Mostly the last task of a plan.",
		func(ctx context.Context, in summaryInput) (summaryResult, error) {
			data, err := toolData(ctx, in.Request, in.Rows, in.Findings, m.maxData, nil)
			if err != nil {
				return summaryResult{}, err
			}
			text, cut, err := m.text(ctx, data)
			return summaryResult{text, cut}, err
		})
	return m.made(t, qed.ModelTool, err)
}
