package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
)

type agentInput struct {
	Question string `json:"question" jsonschema_description:"the question, complete in itself"`
}

// FromAgent returns an agent as a tool. Its arguments are {"question"}, and its
// result is a [finding.Finding]: the text of the answer, its rows and large
// artifacts as references, and its queries and citations. If the answer is
// partial, so are the finding and its rows.
//
// The agent acts for the user and the tenant of the turn that calls it, without
// the conversation. It may interrupt the run. The text of its answer is emitted
// on [qed.ChannelTool], because the tool is Nested: see [qed.Tool].
func FromAgent(name, description string, a qed.Agent) qed.Tool {
	t := qed.NewTool(name, description, func(ctx context.Context, in agentInput) (finding.Finding, error) {
		turn := qed.Info(ctx).Turn
		answer, err := qed.Ask(ctx, a, qed.Turn{Text: in.Question, Language: turn.Language, User: turn.User, Tenant: turn.Tenant})
		if err != nil {
			return finding.Finding{}, err
		}
		return findingOf(ctx, name, in, &answer)
	})
	t.Kind, t.Interrupts, t.Nested = qed.ModelTool, true, true
	if a == nil {
		t.Err = fmt.Errorf("tools: tool %q needs an agent", name)
	}
	return t
}

// findingOf returns an answer as a [finding.Finding]. It saves the rows and the
// large artifacts of the answer.
func findingOf(ctx context.Context, tool string, in agentInput, a *qed.Answer) (f finding.Finding, err error) {
	f = finding.Finding{Text: a.Text, Figures: a.Figures, Unproved: a.Unproved, Dates: a.Dates, Used: a.Used, Citations: a.Citations}
	for _, q := range a.Queries {
		f.Queries = append(f.Queries, shortProof(q))
	}
	if a.Partial {
		f.Partial = cmp.Or(prompt.Clip(a.PartialReason, maxPartial), textsOf(ctx).Uncovered)
	}
	for _, artifact := range a.Artifacts {
		saved, err := finding.SaveArtifact(ctx, artifact)
		if err != nil {
			return f, err
		}
		f.Artifacts = append(f.Artifacts, saved)
	}
	if a.Table != nil {
		if f.Rows, err = finding.SaveRows(ctx, a.Table); err != nil {
			return f, err
		}
		f.Rows.Partial = f.Partial
	}
	last := f.Proof()
	if last == nil {
		return f, nil
	}
	arguments, err := json.Marshal(in)
	if err != nil {
		return f, err
	}
	rows := last.Rows
	if f.Rows != nil {
		rows = f.Rows.Count
	}
	f.Metadata = &finding.QueryMetadata{
		QueryType:     last.Language,
		Query:         queryJSON(cmp.Or(last.Written, last.Executed)), // Written has no fields hidden from the model
		Summary:       (&finding.RowsRef{Count: rows}).String(),
		HowToRetrieve: fmt.Sprintf("%s, asked: %s", tool, prompt.Clip(in.Question, maxAsked)),
		ExecutedAt:    qed.TurnTime(ctx),
		Request:       in.Question,
		Tool:          tool,
		Arguments:     arguments,
		Rows:          f.Rows,
	}
	return f, nil
}

// Limits of texts in a finding, in bytes.
const (
	maxAsked           = 300 // of the question in HowToRetrieve
	maxQuery           = 4 << 10
	maxCorrection      = 1 << 10 // of a query that was replaced
	maxCorrectionCause = 300
)

// shortProof returns q with its texts cut, to limit the size of a tool's result.
func shortProof(q qed.Query) qed.Query {
	q.Written, q.Executed = prompt.Clip(q.Written, maxQuery), prompt.Clip(q.Executed, maxQuery)
	q.Corrections = slices.Clone(q.Corrections)
	for i, c := range q.Corrections {
		q.Corrections[i].Query = prompt.Clip(c.Query, maxCorrection)
		q.Corrections[i].Reason = prompt.Clip(c.Reason, maxCorrectionCause)
	}
	return q
}

// queryJSON returns a query for [finding.QueryMetadata]: a JSON object
// unchanged, and any other text as a JSON string.
func queryJSON(text string) json.RawMessage {
	if raw := json.RawMessage(text); len(text) > 0 && text[0] == '{' && json.Valid(raw) {
		return raw
	}
	return json.RawMessage(prompt.Quote(text))
}
