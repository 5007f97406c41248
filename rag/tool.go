package rag

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
)

// ToolOptions are the options of [NewTool]. A nil ToolOptions and zero fields
// mean the defaults.
type ToolOptions struct {
	// Filter returns what the user of a call may read. Its error is the tool's. Nil
	// means that every user may read everything.
	Filter func(ctx context.Context) (Filter, error)
}

const (
	toolTopK      = 5        // the passages that a call without k finds
	maxToolTopK   = 20       // the largest k of a call; a larger one is reduced to it
	maxPassage    = 4000     // bytes of a chunk that a model is shown
	maxToolResult = 48 << 10 // bytes of a result's JSON; hits that do not fit are left out
)

// toolArguments are the arguments of the tool.
type toolArguments struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=4000" jsonschema_description:"what to search for, in words, complete in itself"`
	K     int    `json:"k,omitempty" jsonschema:"minimum=1" jsonschema_description:"largest number of passages to find, up to 20; default 5"`
}

// toolResult is the result of the tool. Its citations are those of the hits, in
// their order.
type toolResult struct {
	Hits      []toolHit      `json:"hits"`
	Citations []qed.Citation `json:"citations"`
	Truncated bool           `json:"truncated,omitempty"` // more was found than fits
}

// toolHit is one hit as models and later tools read it.
type toolHit struct {
	Title    string  `json:"title"`
	Location string  `json:"location"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
}

// NewTool returns the tool vectordb_tool, which finds passages of documents with
// searcher. It does not write an answer.
//
// Its arguments are {"query", "k"}; k is optional. Its result is {"hits",
// "citations", "truncated"}: hits are {"title", "location", "text", "score"}, the
// best first, citations are their [qed.Citation] values in the same order, and
// truncated is true if more was found than fits. No hits is not an error.
//
// The searcher is called with the context of the call, so it knows the user. Its
// errors are returned as the tool's errors.
func NewTool(searcher Searcher, opt *ToolOptions) (qed.Tool, error) {
	if searcher == nil {
		return qed.Tool{}, errors.New("rag: NewTool needs a searcher")
	}
	o := option.Of(opt)
	t := qed.NewTool("vectordb_tool", toolDescription, func(ctx context.Context, in toolArguments) (toolResult, error) {
		if blank(in.Query) {
			return toolResult{}, errors.New("rag: the query is empty: say what to search for")
		}
		k := min(cmp.Or(in.K, toolTopK), maxToolTopK)
		q := Query{Text: in.Query, K: k}
		if o.Filter != nil {
			var err error
			if q.Filter, err = o.Filter(ctx); err != nil {
				return toolResult{}, err
			}
		}
		began := time.Now()
		hits, err := search(ctx, searcher, q)
		if err != nil {
			return toolResult{}, err
		}
		found := toolResultOf(hits, k)
		qed.Emit(ctx, qed.Retrieved{
			Query: in.Query, Citations: found.Citations, Millis: time.Since(began).Milliseconds(),
		})
		return found, nil
	})
	t.Kind, t.Idempotent = qed.CoreTool, true
	return t, nil
}

// toolResultOf returns the best k hits, as far as they fit.
func toolResultOf(hits []Hit, k int) toolResult {
	r := toolResult{Hits: []toolHit{}, Citations: []qed.Citation{}}
	left := maxToolResult - 200 // for the JSON around the hits
	for _, h := range hits {
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score <= 0 {
			continue
		}
		if len(r.Hits) == k {
			break // the Searcher returned more than k
		}
		c := h.Chunk.Citation()
		hit := toolHit{
			Title:    c.Title,
			Location: c.Location,
			Text:     prompt.Clip(h.Chunk.Text, maxPassage),
			Score:    h.Score,
		}
		if left -= jsonSize(hit) + jsonSize(c); left < 0 {
			r.Truncated = true
			break
		}
		r.Hits, r.Citations = append(r.Hits, hit), append(r.Citations, c)
	}
	return r
}

// jsonSize returns the length of v in JSON, with a comma.
func jsonSize(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return math.MaxInt32 // not reached: texts and finite numbers have a JSON form
	}
	return len(b) + 1
}

const toolDescription = "Finds the passages of the documents that are relevant to a query. " +
	"Use it for what documents say, such as manuals and rules, and not for figures of a database."
