package toolagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// compact replaces results of the oldest steps by their digests, until the messages
// have half of the tokens that they may have. Less would change them, and with them
// the provider's cache, at every step. The results of the newest step stay.
func (r *run) compact(ctx context.Context) error {
	r.messages = slices.Clone(r.messages) // a model may still trace the request that has them
	var old []*result
	for _, one := range r.results[r.compacted:r.newest] {
		if r.tokens <= r.opt.MaxContextTokens/2 {
			break
		}
		r.compacted++
		if short := one.digest(); one.same == nil && len(short) < len(one.content) {
			old = append(old, one)
			one.brief = true
			r.replace(one, short+one.remark)
		}
	}
	if len(old) == 0 || r.summarizer == nil {
		return nil
	}
	text, err := r.summary(ctx, old)
	if err != nil || text == "" {
		return err
	}
	last := old[len(old)-1]
	r.replace(last, r.messages[last.message].Content+"\n"+framed("summary", prompt.Quote(text))+
		"\nThe summary is of the shortened results up to here.")
	return nil
}

// replace changes the message of a result.
func (r *run) replace(one *result, content string) {
	m := &r.messages[one.message]
	r.tokens += llm.EstimateTextTokens(content) - llm.EstimateTextTokens(m.Content)
	m.Content = content
}

// digest returns what is left of an old result.
func (one *result) digest() string {
	short := map[string]any{"tool": one.Call.Name, "arguments": json.RawMessage(one.arguments())}
	if one.Err != nil {
		short["error"] = prompt.Clip(one.Err.Error(), maxDigestArguments)
	}
	if one.columns != nil {
		short["rows"], short["columns"] = one.rows, clipped(one.columns)
	}
	if text := one.text(); text != "" {
		short["text"] = prompt.Clip(text, maxDigestArguments)
	}
	if one.finding.Rows != nil && one.finding.Rows.Handle != "" {
		short["handle"] = one.finding.Rows.Handle
	}
	raw, err := json.Marshal(short)
	if err != nil {
		raw = json.RawMessage(`{}`)
	}
	return framed("tool_result", untagged(raw)) +
		"\nThis is what is left of an older result. Call the tool again if you need it."
}

// clipped returns the first names of columns, cut.
func clipped(names []string) []string {
	const most = 30
	var short []string
	for _, name := range names[:min(len(names), most)] {
		short = append(short, prompt.Clip(name, 60))
	}
	if len(names) > most {
		short = append(short, fmt.Sprintf("and %d more", len(names)-most))
	}
	return short
}

// summary asks the Summarizer about results. If it cannot be asked the summary is
// empty, and the digests have to do.
func (r *run) summary(ctx context.Context, old []*result) (string, error) {
	data := SummaryData{Words: maxSummaryWords, Question: r.question}
	for _, one := range old {
		data.Findings = append(data.Findings, one.forPrompt(one.content+one.remark))
	}
	text, err := r.summarizer.Render("summarize_results", r.opt.Prompts.Summary, data)
	if err != nil {
		return "", err
	}
	req := r.summarizer.Send("summarize_results", llm.Message{Role: llm.RoleUser, Content: text})
	text, err = r.summarizer.Text(ctx, &r.usage, req, func(string) {})
	if _, failed := errors.AsType[*llm.Error](err); failed {
		return text, nil
	}
	return text, err
}

// forPrompt returns a result for a prompt.
func (one *result) forPrompt(content string) ResultText {
	return ResultText{Tool: one.Call.Name, Arguments: one.arguments(), Result: content}
}
