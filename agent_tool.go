package qed

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/prompt"
)

// AsTool returns an agent as a tool. Its arguments are {"question"}, and its
// result is a [Finding]: the text of the answer, its rows and large artifacts as
// references ([SaveRows], [SaveArtifact]), and its queries and citations. If the
// answer is partial, so are the finding and its rows.
//
// The agent acts for the user and the tenant of the turn that calls it, without
// the conversation. It may interrupt the run. The text of its answer is emitted
// on [ChannelTool]. [Registry.Add] returns an error for a nil agent.
func AsTool(name, description string, a Agent) Tool {
	t := NewTool(name, description, func(ctx context.Context, in taskInput) (Finding, error) {
		answer, err := askNested(ctx, a, in.Question)
		if err != nil {
			return Finding{}, err
		}
		return findingOf(ctx, name, in, &answer)
	})
	t.Kind, t.Interrupts, t.nested = ModelTool, true, true
	if a == nil {
		t.Err = fmt.Errorf("qed: tool %q needs an Agent", name)
	}
	return t
}

// findingOf returns an answer as a [Finding]. It saves the rows and the large
// artifacts of the answer.
func findingOf(ctx context.Context, tool string, in taskInput, a *Answer) (f Finding, err error) {
	f = Finding{Text: a.Text, Citations: a.Citations}
	for _, q := range a.Queries {
		f.Queries = append(f.Queries, shortProof(q))
	}
	if a.Partial {
		f.Partial = prompt.Clip(a.PartialReason, maxReason)
		if f.Partial == "" {
			f.Partial = "the answer of " + tool + " does not cover the whole question"
		}
	}
	for _, artifact := range a.Artifacts {
		kept, err := SaveArtifact(ctx, artifact)
		if err != nil {
			return f, err
		}
		f.Artifacts = append(f.Artifacts, kept)
	}
	if a.Table != nil {
		if f.Rows, err = SaveRows(ctx, a.Table); err != nil {
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
	f.Metadata = &QueryMetadata{
		QueryType:     last.Language,
		Query:         queryJSON(cmp.Or(last.Written, last.Executed)), // Written has no fields hidden from the model
		Summary:       (&RowsRef{Count: rows}).String(),
		HowToRetrieve: fmt.Sprintf("%s, asked: %s", tool, prompt.Clip(in.Question, maxReason)),
		ExecutedAt:    TurnTime(ctx),
		Request:       in.Question,
		Tool:          tool,
		Arguments:     arguments,
		Rows:          f.Rows,
	}
	return f, nil
}

// maxProof is how many bytes of each query the result of a tool has.
const maxProof = 4 << 10

// shortProof returns q with its texts cut, to limit the size of a tool's result.
func shortProof(q Query) Query {
	q.Written, q.Executed = prompt.Clip(q.Written, maxProof), prompt.Clip(q.Executed, maxProof)
	q.Corrections = slices.Clone(q.Corrections)
	for i, c := range q.Corrections {
		q.Corrections[i].Query = prompt.Clip(c.Query, maxProof/4)
		q.Corrections[i].Reason = prompt.Clip(c.Reason, maxReason)
	}
	return q
}

// queryJSON returns a query for [QueryMetadata]: a JSON object unchanged, and any
// other text as a JSON string.
func queryJSON(text string) json.RawMessage {
	if raw := json.RawMessage(text); len(text) > 0 && text[0] == '{' && json.Valid(raw) {
		return raw
	}
	return jsonString(text)
}

// taskInput has the arguments of a tool that is an agent.
type taskInput struct {
	Question string `json:"question" jsonschema_description:"the question, complete in itself"`
}

func askNested(ctx context.Context, a Agent, question string) (Answer, error) {
	sc := scopeOf(ctx)
	turn := Turn{Text: question}
	if sc.turn != nil {
		turn.User, turn.Tenant = sc.turn.User, sc.turn.Tenant
	}
	f := *sc.frame
	f.tool = true
	return Ask(&scope{ctx, sc.path, &f, sc.place}, a, turn)
}
