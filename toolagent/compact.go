package toolagent

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

// compact replaces results of the oldest steps by their digests, until the messages
// have half of the tokens that they may have. Less would change them, and with them
// the provider's cache, at every step. The results of the newest step stay.
func (r *run) compact() {
	r.messages = slices.Clone(r.messages) // a model may still trace the request that has them
	for _, one := range r.results[r.compacted:r.newest] {
		if r.tokens <= r.model.Room()/2 {
			break
		}
		r.compacted++
		if short := one.digest(); one.same == nil && len(short) < len(one.content) {
			one.brief = true
			r.replace(one, short+one.remark)
		}
	}
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
	short := lists.Map(names[:min(len(names), most)], func(name string) string { return prompt.Clip(name, 60) })
	if len(names) > most {
		short = append(short, fmt.Sprintf("and %d more", len(names)-most))
	}
	return short
}

func (one *result) forPrompt(content string) resultText {
	return resultText{Tool: one.Call.Name, Arguments: one.arguments(), Result: content}
}
