package todoagent

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/likeness"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/llm"
)

const (
	retrieveTool   = "retrieve_query_metadata"
	mostRemembered = 100 // of the queries, the newest
	mostListed     = 10  // in an error
	longListed     = 120 // bytes of each
	longCompared   = 4 << 10
)

type retrieveInput struct {
	Request string `json:"request,omitempty" jsonschema_description:"what the query was about, in words; without it, the latest query is meant"`
	TurnID  int    `json:"turn_id,omitempty" jsonschema:"minimum=1" jsonschema_description:"the number of the memory entry that has the query, where it is known"`
	Refresh bool   `json:"refresh,omitempty" jsonschema_description:"true to run the query again, though its rows are still there"`
}

type retrieveResult struct {
	qed.Finding
	Cached bool `json:"cached"` // the rows are those that were found then
}

// NewRetrievalTool returns the tool retrieve_query_metadata, with which a later question can be about the rows of an earlier query of the
// conversation. Its arguments are {"request", "turn_id", "refresh"}, all optional; its result is a [Finding] with the query's metadata, its rows and
// what ran, and {"cached"}.
//
// The query is the one with the turn_id. Without that it is the one that the request is most like: by the vectors of e, or where e is nil or
// fails, by words; and where the same query ran several times, the newest of these. Without a request that names anything it is the newest of
// all. A request that is like none of them is an error, which lists them.
//
// The rows are those that the thread keeps. Where they are not kept any more, and with refresh, the tool that found them is called with the same
// arguments again, by registry, so that everything is checked as it was then, and a user who approves its calls is asked. It must be one that may
// be repeated, or an agent. It asks no model.
//
// Nobody checks again whether the user may see rows that are kept: where his rights were narrowed since, he still gets them from the thread, as
// he does its messages. Where that must not be, delete the thread.
func NewRetrievalTool(registry *qed.Registry, e llm.Embedder) qed.Tool {
	if registry == nil {
		return qed.InvalidTool(retrieveTool, errors.New("todoagent: tool "+retrieveTool+" needs the Registry whose tools run queries"))
	}
	r := &retrieval{registry, e}
	t := qed.NewTool(retrieveTool, "Gets an earlier query of this conversation with its rows, so that they can be analysed, shown or asked about again.", r.retrieve)
	t.Kind, t.Idempotent = qed.FunctionTool, true
	return t
}

type retrieval struct {
	registry *qed.Registry
	embedder llm.Embedder
}

func (r *retrieval) retrieve(ctx context.Context, in retrieveInput) (retrieveResult, error) {
	// What was chosen stays chosen when the run goes on, though an embedder may fail then, or more be remembered.
	chosen, err := qed.Step(ctx, "choose_query", in, func(ctx context.Context) (qed.QueryMetadata, error) { return r.choose(ctx, in) })
	if err != nil {
		if failed, ok := errors.AsType[*qed.CallError](err); ok {
			err = errors.New(failed.Message)
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
func (r *retrieval) choose(ctx context.Context, in retrieveInput) (qed.QueryMetadata, error) {
	remembered, err := qed.Remembered[qed.QueryMetadata](ctx, memoryName(ctx, queriesName), mostRemembered)
	if err != nil {
		return qed.QueryMetadata{}, err
	}
	if len(remembered) == 0 {
		return qed.QueryMetadata{}, errors.New("no query is remembered in this conversation: run one first")
	}
	newest := len(remembered) - 1
	if in.TurnID != 0 {
		for i := newest; i >= 0; i-- {
			if remembered[i].TurnID == in.TurnID {
				return remembered[i], nil
			}
		}
		return qed.QueryMetadata{}, fmt.Errorf("no query is remembered with turn_id %d. There are %s", in.TurnID, listQueries(remembered))
	}
	request := prompt.Clip(in.Request, longCompared)
	if len(likeness.SubjectWords(request)) == 0 {
		return remembered[newest], nil
	}
	candidates := slices.DeleteFunc(slices.Clone(remembered), func(q qed.QueryMetadata) bool { return !sameText(q.Request, request) })
	if len(candidates) == 0 { // else these are what was asked for, though there may be several
		candidates = remembered
	}
	chosen, err := r.meant(ctx, request, candidates)
	if err != nil {
		return qed.QueryMetadata{}, err
	}
	if chosen < 0 {
		return qed.QueryMetadata{}, fmt.Errorf("no query that is remembered is like the request. There are %s. "+
			"Give the turn_id of one, leave out the request for the newest, or write a new query", listQueries(remembered))
	}
	return lastRun(remembered, candidates[chosen]), nil
}

// meant returns the index of the query that is most like a request; negative: none is like it.
func (r *retrieval) meant(ctx context.Context, request string, queries []qed.QueryMetadata) (int, error) {
	texts, own := make([]string, len(queries)), make([]string, len(queries)) // own: without what other queries of its request have too
	for i, q := range queries {
		own[i] = prompt.Clip(q.Summary+"\n"+q.HowToRetrieve, longCompared)
		texts[i] = prompt.Clip(strings.Join([]string{q.Request, q.Summary, q.HowToRetrieve}, "\n"), longCompared)
	}
	asked := likeness.SubjectWords(request)
	words := likeness.InCommon(asked, texts)
	for i, score := range likeness.InCommon(asked, own) {
		words[i] += score
	}
	var near []float64
	if r.embedder != nil {
		var err error
		near, err = likeness.Nearness(ctx, r.embedder, request, texts)
		if done := ctx.Err(); err != nil && done != nil {
			return 0, done
		}
		if err != nil {
			qed.Emit(ctx, qed.MemoryIncomplete{Message: "earlier turns are compared by their words alone, as nothing could be embedded: " + prompt.Clip(err.Error(), maxReason)})
		}
	}
	if slices.Max(words) == 0 && (near == nil || slices.Max(near) < likeness.LeastNear) {
		return -1, nil
	}
	return likest(words, near), nil
}

// lastRun returns the newest of queries that is the same as one of them: it has newer rows.
func lastRun(queries []qed.QueryMetadata, one qed.QueryMetadata) qed.QueryMetadata {
	for i := len(queries) - 1; i >= 0; i-- {
		if q := &queries[i]; sameText(q.Request, one.Request) && q.Tool == one.Tool &&
			bytes.Equal(compact(q.Query), compact(one.Query)) && bytes.Equal(compact(q.Arguments), compact(one.Arguments)) {
			return *q
		}
	}
	return one
}

// sameText reports whether texts differ in spaces and in the case of letters at most.
func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// likest returns the index of what is nearest, where near is not nil, and has most words in common; of equals the last.
func likest(words, near []float64) int {
	best := 0
	if near == nil {
		near = make([]float64, len(words))
	}
	nearest := slices.Max(near)
	for i := range words {
		switch {
		case near[i] < nearest-likeness.SameNear:
		case near[best] < nearest-likeness.SameNear, words[i] > words[best]+likeness.SameSum, words[i] >= words[best]-likeness.SameSum && near[i] >= near[best]-likeness.SameSum:
			best = i
		}
	}
	return best
}

// listQueries says which queries there are, the newest first. What they are about is data.
func listQueries(queries []qed.QueryMetadata) string {
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
func cachedQuery(ctx context.Context, q *qed.QueryMetadata) (*qed.Finding, error) {
	if q.Rows == nil || q.Rows.Handle == "" && len(q.Rows.Sample.Rows) < q.Rows.Count {
		return nil, nil
	}
	switch _, err := q.Rows.Table(ctx); {
	case errors.Is(err, qed.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	// Where it is not remembered what ran, nothing says so: a query is not always what was written.
	proof := qed.Query{Language: q.QueryType, Written: queryText(q.Query), Rows: q.Rows.Count}
	if q.Proof != nil {
		proof = *q.Proof
	}
	proof.Cached, proof.Handle = true, q.Rows.Handle
	return &qed.Finding{Text: q.Summary, Rows: q.Rows, Metadata: q, Queries: []qed.Query{proof}, Partial: q.Rows.Partial}, nil
}

// again runs a query as it ran, and returns what it finds now.
func (r *retrieval) again(ctx context.Context, q *qed.QueryMetadata) (qed.Finding, error) {
	name := prompt.Clip(q.Tool, longListed)
	t, err := r.registry.Lookup(q.Tool)
	switch {
	case q.Tool == "" || q.Tool == retrieveTool:
		return qed.Finding{}, errors.New("the rows of the query are not kept any more, and what ran it is not known: write the query again")
	case err != nil:
		return qed.Finding{}, fmt.Errorf("the query cannot be run again: %w", err)
	case t.AtMostOnce():
		return qed.Finding{}, fmt.Errorf("the query cannot be run again: the tool %s must not be called twice", name)
	}
	results, err := r.registry.Do(ctx, llm.ToolCall{ID: retrieveTool, Name: q.Tool, Arguments: q.Arguments})
	if err != nil {
		return qed.Finding{}, err
	}
	if err := results[0].Err; err != nil {
		return qed.Finding{}, fmt.Errorf("%s failed when it ran the query again: %w", name, err)
	}
	found := qed.ParseFinding(results[0].Output)
	switch {
	case found.Rows == nil && q.Rows != nil:
		return qed.Finding{}, fmt.Errorf("%s ran the query again and gave no rows, though it did then", name)
	case found.Rows == nil && found.Text == "" && found.Metadata == nil:
		return qed.Finding{}, fmt.Errorf("%s ran the query again, and neither rows nor a text came of it", name)
	}
	now := *q
	switch {
	case found.Metadata != nil:
		now = *found.Metadata
	case found.Rows != nil:
		now.ExecutedAt, now.Summary = qed.TurnTime(ctx), found.Rows.String()
	default:
		now.ExecutedAt, now.Summary = qed.TurnTime(ctx), prompt.Clip(found.Text, maxReason)
	}
	if found.Rows != nil {
		found.Partial = cmp.Or(found.Partial, found.Rows.Partial)
		found.Rows.Partial = cmp.Or(found.Rows.Partial, found.Partial)
	}
	now.Request, now.TurnID, now.Tool, now.Arguments, now.Rows = q.Request, 0, q.Tool, q.Arguments, found.Rows
	now.Proof = found.Proof()
	found.Metadata = &now
	return found, nil
}

// queryText is the query of a [QueryMetadata] as text.
func queryText(q json.RawMessage) string {
	var text string
	if json.Unmarshal(q, &text) == nil {
		return text
	}
	return string(compact(q))
}

// compact returns JSON without spaces, as it is compared.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}
