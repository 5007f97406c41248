package rag

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// ToolOptions are the limits of [NewTool]. A nil ToolOptions and zero fields mean the
// defaults; a negative number is an error.
type ToolOptions struct {
	// Name is the tool's: vectordb_tool. Description says for a model what can be found:
	// passages of documents.
	Name, Description string
	// Chunks is how many chunks a call finds that does not say it: 5. MaxChunks is how many
	// it may ask for: 20.
	Chunks, MaxChunks int
	// MinScore is above what score a chunk is found: 0.
	MinScore float64
	// MaxChunkBytes is how much of a chunk is returned: 4000 bytes.
	MaxChunkBytes int
	// MaxBytes is how long the JSON of a result is: 48 KiB. The last chunks are left out
	// where it would be longer, and the result says so.
	MaxBytes int
}

// toolArguments are what the tool takes.
type toolArguments struct {
	Query string `json:"query" jsonschema:"minLength=1,maxLength=4000" jsonschema_description:"what to look for, in words, complete in itself"`
	K     int    `json:"k,omitempty" jsonschema:"minimum=1" jsonschema_description:"how many passages to find at most"`
}

// toolHit is a chunk that was found, as a model and later tools read it.
type toolHit struct {
	Title    string  `json:"title"`
	Location string  `json:"location"`
	Text     string  `json:"text"`
	Score    float64 `json:"score"`
}

// toolResult has the sources in the order of the hits.
type toolResult struct {
	Hits      []toolHit      `json:"hits"`
	Citations []qed.Citation `json:"citations"`
	Truncated bool           `json:"truncated,omitempty"` // more was found than fits
}

// NewTool returns the tool vectordb_tool: it finds passages of documents with searcher,
// and writes no answer.
//
// It is called with {query, k}; k may be missing, and more than MaxChunks is as many as
// that. It returns {hits, sources, truncated}: hits are {title, location, text, score}, the
// best first, sources are where each is from, which an agent shows beside its answer, and
// truncated says that more was found than fits. That nothing was found is no error.
//
// The searcher gets the context of the call, and so knows who asks. Its errors are the
// tool's.
func NewTool(searcher Searcher, opt *ToolOptions) (qed.Tool, error) {
	if searcher == nil {
		return qed.Tool{}, errors.New("rag: NewTool needs a searcher")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return qed.Tool{}, err
	}
	t := qed.NewTool(o.Name, o.Description, func(ctx context.Context, in toolArguments) (toolResult, error) {
		if blank(in.Query) {
			return toolResult{}, errors.New("rag: the query is empty: say what to look for")
		}
		k := in.K
		if k == 0 {
			k = o.Chunks
		}
		k = min(k, o.MaxChunks)
		hits, err := searcher.Search(ctx, in.Query, k)
		if err != nil {
			return toolResult{}, err
		}
		found := o.result(hits, k)
		qed.Emit(ctx, qed.Retrieved{Query: in.Query, Citations: found.Citations})
		return found, nil
	})
	t.Kind, t.Idempotent = qed.CoreTool, true
	return t, o.tell(&t)
}

// tell has the schema of the tool's arguments say how many chunks there are at most, and
// if nothing is said.
func (o ToolOptions) tell(t *qed.Tool) error {
	var input jsonschema.Schema
	if err := json.Unmarshal(t.Input, &input); err != nil {
		return fmt.Errorf("rag: %s: %w", o.Name, err)
	}
	k := input.Properties["k"]
	k.Maximum = new(float64(o.MaxChunks))
	k.Description += fmt.Sprintf("; if missing: %d", o.Chunks)
	text, err := json.Marshal(&input)
	if err != nil {
		return fmt.Errorf("rag: %s: %w", o.Name, err)
	}
	t.Input = text
	return nil
}

// result is what becomes of the hits: the best k, as far as they fit.
func (o ToolOptions) result(hits []Hit, k int) toolResult {
	r := toolResult{Hits: []toolHit{}, Citations: []qed.Citation{}}
	left := o.MaxBytes - 200 // for what is around them
	for _, h := range hits {
		if math.IsNaN(h.Score) || math.IsInf(h.Score, 0) || h.Score <= o.MinScore {
			continue
		}
		if len(r.Hits) == k {
			break // a searcher that found more than it was asked for
		}
		source := h.Chunk.source()
		source.Location = prompt.Clip(source.Location, maxTitle)
		hit := toolHit{source.Title, source.Location, prompt.Clip(h.Chunk.Text, o.MaxChunkBytes), h.Score}
		if left -= size(hit) + size(source); left < 0 {
			r.Truncated = true
			break
		}
		r.Hits, r.Citations = append(r.Hits, hit), append(r.Citations, source)
	}
	return r
}

// size is how many bytes v has in JSON, with a comma.
func size(v any) int {
	b, err := json.Marshal(v)
	if err != nil {
		return math.MaxInt32 // not reached: texts and a number have a JSON form
	}
	return len(b) + 1
}

func (o *ToolOptions) withDefaults() (ToolOptions, error) {
	var v ToolOptions
	if o != nil {
		v = *o
	}
	if v.Name == "" {
		v.Name = "vectordb_tool"
	}
	if v.Description == "" {
		v.Description = "Finds the passages of the documents that have to do with a query. Use it for what documents say, such as manuals and rules, and not for figures of a database."
	}
	if v.MinScore < 0 || math.IsNaN(v.MinScore) {
		return v, fmt.Errorf("rag: ToolOptions.MinScore is %v: a score of zero says already that a chunk is of no use", v.MinScore)
	}
	for _, f := range []struct {
		name        string
		value       *int
		usual, most int
	}{
		{"Chunks", &v.Chunks, 5, maxChunks},
		{"MaxChunks", &v.MaxChunks, 20, maxChunks},
		{"MaxChunkBytes", &v.MaxChunkBytes, 4000, maxOption},
		{"MaxBytes", &v.MaxBytes, 48 << 10, maxOption},
	} {
		if *f.value < 0 || *f.value > f.most {
			return v, fmt.Errorf("rag: ToolOptions.%s is %d: it lies between 0 and %d", f.name, *f.value, f.most)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	v.Chunks = min(v.Chunks, v.MaxChunks)
	return v, nil
}
