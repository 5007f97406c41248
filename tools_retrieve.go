package qed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

const (
	retrieveTool   = "retrieve_query_metadata"
	mostRemembered = 100 // of the queries, the newest
	mostListed     = 10  // in an error
	longListed     = 120 // bytes of each
	longCompared   = 4 << 10
	sameLikeness   = 0.02 // scores that differ by less say nothing
)

type retrieveInput struct {
	Request string `json:"request,omitempty" jsonschema_description:"what the query was about, in words; without it, the latest query is meant"`
	TurnID  int    `json:"turn_id,omitempty" jsonschema:"minimum=1" jsonschema_description:"the number of the memory entry that has the query, where it is known"`
	Refresh bool   `json:"refresh,omitempty" jsonschema_description:"true to run the query again, though its rows are still there"`
}

type retrieveResult struct {
	Finding
	Cached bool `json:"cached"` // the rows are those that were found then
}

// NewRetrievalTool returns the tool retrieve_query_metadata, with which a later question can be about the rows of an earlier query of the
// conversation. Its arguments are {"request", "turn_id", "refresh"}, all optional; its result is a [Finding] with the query's metadata, its rows and
// what ran, and {"cached"}.
//
// The query is the one with the turn_id. Without that it is the one that the request is most like: by the vectors of e, or where e is nil or
// fails, by words; and the newest of those that are about as like it as others, or without a request.
//
// The rows are those that the thread keeps. Where they are not kept any more, and with refresh, the tool that found them is called with the same
// arguments again, by registry, so that everything is checked as it was then, and a user who approves its calls is asked. It must be one that may
// be repeated, or an agent. It asks no model.
func NewRetrievalTool(registry *Registry, e llm.Embedder) Tool {
	r := &retrieval{registry, e}
	t := NewTool(retrieveTool, "Gets an earlier query of this conversation with its rows, so that they can be analysed, shown or asked about again.", r.retrieve)
	t.Kind, t.Repeat = TraditionalTool, true
	if registry == nil {
		t.err = errors.New("qed: tool " + retrieveTool + " needs the Registry whose tools run queries")
	}
	return t
}

type retrieval struct {
	registry *Registry
	embedder llm.Embedder
}

func (r *retrieval) retrieve(ctx context.Context, in retrieveInput) (retrieveResult, error) {
	// What was chosen stays chosen when the run goes on, though an embedder may fail then, or more be remembered.
	chosen, err := Memo(ctx, "choose_query", in, func(ctx context.Context) (QueryMetadata, error) { return r.choose(ctx, in) })
	if err != nil {
		if failed, ok := errors.AsType[*CallError](err); ok {
			err = toolError{failed}
		}
		return retrieveResult{}, err
	}
	if !in.Refresh {
		found, err := cachedQuery(ctx, &chosen)
		if err != nil {
			return retrieveResult{}, err
		}
		if found != nil {
			return retrieveResult{*found, true}, nil
		}
	}
	found, err := r.again(ctx, &chosen)
	return retrieveResult{found, false}, err
}

// choose returns the query that in means.
func (r *retrieval) choose(ctx context.Context, in retrieveInput) (QueryMetadata, error) {
	remembered, err := Remembered[QueryMetadata](ctx, memoryName(ctx, todoQueries), mostRemembered)
	if err != nil {
		return QueryMetadata{}, err
	}
	if len(remembered) == 0 {
		return QueryMetadata{}, errors.New("no query is remembered in this conversation: run one first")
	}
	newest := len(remembered) - 1
	if in.TurnID != 0 {
		for i := newest; i >= 0; i-- {
			if remembered[i].TurnID == in.TurnID {
				return remembered[i], nil
			}
		}
		return QueryMetadata{}, fmt.Errorf("no query is remembered with turn_id %d. There are %s", in.TurnID, listQueries(remembered))
	}
	if strings.TrimSpace(in.Request) == "" || newest == 0 {
		return remembered[newest], nil
	}
	scores, err := r.scores(ctx, prompt.Clip(in.Request, longCompared), remembered)
	if err != nil {
		return QueryMetadata{}, err
	}
	chosen, best := newest, slices.Max(scores)
	for chosen > 0 && scores[chosen] < best-sameLikeness {
		chosen--
	}
	return remembered[chosen], nil
}

// scores says how much each query is like a request.
func (r *retrieval) scores(ctx context.Context, request string, queries []QueryMetadata) ([]float64, error) {
	texts := make([]string, len(queries), len(queries)+1)
	for i, q := range queries {
		texts[i] = prompt.Clip(strings.Join([]string{q.Request, q.Summary, q.HowToRetrieve}, "\n"), longCompared)
	}
	if r.embedder == nil {
		return alike(request, texts), nil
	}
	vectors, err := vectorsOf(ctx, r.embedder, append(texts, request))
	if done := cancelled(ctx); err != nil && done != nil {
		return nil, done
	}
	if err != nil {
		tellWords(ctx, err)
		return alike(request, texts), nil
	}
	scores := make([]float64, len(texts))
	for i := range texts {
		scores[i] = cosine(vectors[i], vectors[len(texts)])
	}
	return scores, nil
}

// listQueries says which queries there are, the newest first. What they are about is data.
func listQueries(queries []QueryMetadata) string {
	var b strings.Builder
	shown := 0
	for i := len(queries) - 1; i >= 0 && shown < mostListed; i-- {
		q := &queries[i]
		if shown > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d (%s)", q.TurnID, prompt.Quote(prompt.Clip(cmp.Or(q.Request, q.Summary), longListed)))
		shown++
	}
	if more := len(queries) - shown; more > 0 {
		fmt.Fprintf(&b, " and %d older ones", more)
	}
	return b.String()
}

// cachedQuery returns a query with the rows that the thread keeps, or nil where it has not all of them.
func cachedQuery(ctx context.Context, q *QueryMetadata) (*Finding, error) {
	if q.Rows == nil || q.Rows.Handle == "" && len(q.Rows.Sample.Rows) < q.Rows.Count {
		return nil, nil
	}
	switch _, err := q.Rows.Table(ctx); {
	case errors.Is(err, ErrNotKept):
		return nil, nil
	case err != nil:
		return nil, err
	}
	// Where it is not remembered what ran, nothing says so: a query is not always what was written.
	proof := Query{Language: q.QueryType, Written: queryText(q.Query), Rows: q.Rows.Count}
	if q.Proof != nil {
		proof = *q.Proof
	}
	proof.Cached, proof.Handle = true, q.Rows.Handle
	return &Finding{Text: q.Summary, Rows: q.Rows, Metadata: q, Queries: []Query{proof}, Partial: q.Rows.Partial}, nil
}

// again runs a query as it ran, and returns what it finds now.
func (r *retrieval) again(ctx context.Context, q *QueryMetadata) (Finding, error) {
	name := prompt.Clip(q.Tool, longListed)
	t, registered := r.registry.tools[q.Tool]
	switch {
	case q.Tool == "" || q.Tool == retrieveTool:
		return Finding{}, errors.New("the rows of the query are not kept any more, and what ran it is not known: write the query again")
	case !registered:
		return Finding{}, fmt.Errorf("the query cannot be run again: %w", r.registry.unknown(q.Tool))
	case !t.Repeat && !t.nested:
		return Finding{}, fmt.Errorf("the query cannot be run again: the tool %s must not be called twice", name)
	}
	results, err := r.registry.Do(ctx, llm.ToolCall{ID: retrieveTool, Name: q.Tool, Arguments: q.Arguments})
	if err != nil {
		return Finding{}, err
	}
	if err := results[0].Err; err != nil {
		return Finding{}, fmt.Errorf("%s failed when it ran the query again: %w", name, err)
	}
	var found Finding
	if err := json.Unmarshal(results[0].Output, &found); err != nil {
		return Finding{}, fmt.Errorf("what %s found when it ran the query again cannot be read: %w", name, err)
	}
	if found.Rows == nil {
		return Finding{}, fmt.Errorf("%s ran the query again and gave no rows", name)
	}
	now := *q
	if found.Metadata != nil {
		now = *found.Metadata
	} else {
		now.ExecutedAt, now.Summary = Now(ctx), rowsFound(found.Rows.Count)
	}
	found.Partial = cmp.Or(found.Partial, found.Rows.Partial)
	found.Rows.Partial = cmp.Or(found.Rows.Partial, found.Partial)
	now.Request, now.TurnID, now.Tool, now.Arguments, now.Rows = q.Request, q.TurnID, q.Tool, q.Arguments, found.Rows
	now.Proof = lastExecuted(found.Queries)
	found.Metadata = &now
	return found, nil
}
