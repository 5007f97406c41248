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
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/vector"
	"github.com/qedkit/qed/llm"
)

const (
	retrieveTool    = "retrieve_query_metadata"
	maxSearched     = 100     // the newest queries
	maxListed       = 10      // queries in an error
	maxListedText   = 120     // bytes of each
	maxComparedText = 4 << 10 // bytes
)

type retrieveInput struct {
	Request string `json:"request,omitempty" jsonschema_description:"what the query was about; without it, the latest query is used"`
	TurnID  int    `json:"turn_id,omitempty" jsonschema:"minimum=1" jsonschema_description:"the number of the memory entry of the query, if known"`
	Refresh bool   `json:"refresh,omitempty" jsonschema_description:"true to run the query again even if its rows are still saved"`
}

type retrieveResult struct {
	finding.Finding
	Cached bool `json:"cached"` // the rows are those that the query found when it ran
}

// NewRetrievalTool returns the tool retrieve_query_metadata, which makes a later
// request about the rows of an earlier query of the conversation possible. Its
// arguments are {"request", "turn_id", "refresh"}, all optional. Its result is a
// [finding.Finding] with the metadata, the rows and the proof of the query, and
// {"cached"}.
//
// The query is chosen as follows:
//
//   - With a turn_id, it is the query with that number.
//   - With a request, it is the query most similar to it: by the vectors of e or, if
//     e is nil or fails, by words. If the same query ran several times, it is the
//     last run. If no query is similar, the error lists the queries.
//   - Otherwise it is the last query.
//
// The rows are those that the thread has saved. If they are not saved any more,
// or with refresh, the tool that found them is called again through registry
// with the same arguments, so all checks and approvals apply. That tool must be
// idempotent or an agent. No model is called.
//
// Kept rows are returned without a new check of the user's permissions, like
// the messages of the thread. If permissions were withdrawn and the rows must
// not be returned any more, delete the thread.
func NewRetrievalTool(registry *qed.Registry, e llm.Embedder) qed.Tool {
	if registry == nil {
		return qed.Tool{Name: retrieveTool, Err: errors.New("todoagent: " + retrieveTool + " needs the registry of the tools that run queries")}
	}
	r := &retrieval{registry: registry, embedder: e}
	t := qed.NewTool(retrieveTool,
		"Gets an earlier query of this conversation with its rows, so that they can be analysed, shown or asked about again.",
		r.retrieve)
	t.Kind, t.Idempotent = qed.FunctionTool, true
	return t
}

type retrieval struct {
	registry *qed.Registry
	embedder llm.Embedder
}

func (r *retrieval) retrieve(ctx context.Context, in retrieveInput) (retrieveResult, error) {
	// A resumed run keeps the choice, even if the embedder fails then or more queries
	// are remembered.
	chosen, err := qed.Step(ctx, "choose_query", in, func(ctx context.Context) (finding.QueryMetadata, error) {
		return r.choose(ctx, in)
	})
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
			return retrieveResult{Finding: *found, Cached: true}, nil
		}
	}
	found, err := r.run(ctx, &chosen)
	return retrieveResult{Finding: found}, err
}

func (r *retrieval) choose(ctx context.Context, in retrieveInput) (finding.QueryMetadata, error) {
	remembered, err := qed.Remembered[finding.QueryMetadata](ctx, memoryName(ctx, queriesName), maxSearched)
	if err != nil {
		return finding.QueryMetadata{}, err
	}
	if len(remembered) == 0 {
		return finding.QueryMetadata{}, errors.New("no query is remembered in this conversation: run one first")
	}
	newest := len(remembered) - 1
	if in.TurnID != 0 {
		for i := newest; i >= 0; i-- {
			if remembered[i].TurnID == in.TurnID {
				return remembered[i], nil
			}
		}
		return finding.QueryMetadata{}, fmt.Errorf("no query is remembered with turn_id %d. There are %s",
			in.TurnID, listQueries(remembered))
	}
	request := prompt.Clip(in.Request, maxComparedText)
	if len(textmatch.SubjectWords(request)) == 0 {
		return remembered[newest], nil
	}
	candidates := slices.DeleteFunc(slices.Clone(remembered), func(q finding.QueryMetadata) bool {
		return !sameText(q.Request, request)
	})
	if len(candidates) == 0 { // else the request is that of a query, or of several
		candidates = remembered
	}
	chosen, err := r.mostSimilar(ctx, request, candidates)
	if err != nil {
		return finding.QueryMetadata{}, err
	}
	if chosen < 0 {
		return finding.QueryMetadata{}, fmt.Errorf("no remembered query is similar to the request. There are %s. "+
			"Give the turn_id of one, leave out the request to get the last one, or write a new query", listQueries(remembered))
	}
	return lastRun(remembered, candidates[chosen]), nil
}

// mostSimilar returns the index of the query that is most similar to a request, or
// a negative number if none is similar.
func (r *retrieval) mostSimilar(ctx context.Context, request string, queries []finding.QueryMetadata) (int, error) {
	texts := make([]string, len(queries))
	own := make([]string, len(queries)) // without the request, which several queries can share
	for i, q := range queries {
		own[i] = prompt.Clip(q.Summary+"\n"+q.HowToRetrieve, maxComparedText)
		texts[i] = prompt.Clip(strings.Join([]string{q.Request, q.Summary, q.HowToRetrieve}, "\n"), maxComparedText)
	}
	asked := textmatch.SubjectWords(request)
	words := textmatch.InCommon(asked, texts)
	for i, score := range textmatch.InCommon(asked, own) {
		words[i] += score
	}
	var near []float64
	if r.embedder != nil {
		var err error
		near, err = vector.Nearness(ctx, r.embedder, request, texts)
		if done := ctx.Err(); err != nil && done != nil {
			return 0, done
		}
		if err != nil {
			qed.Emit(ctx, qed.Warning{Code: "memory_incomplete", Message: "earlier queries are compared by their words only, because the embedder failed: " + prompt.Clip(err.Error(), maxReason)})
		}
	}
	if slices.Max(words) == 0 && (near == nil || slices.Max(near) < vector.LeastNear) {
		return -1, nil
	}
	return best(words, near), nil
}

// sameJSON reports whether two JSON values differ only in their spaces.
func sameJSON(a, b json.RawMessage) bool {
	return bytes.Equal(strictjson.Compact(a), strictjson.Compact(b))
}

// lastRun returns the newest of the queries that are the same as one: it has the
// newest rows.
func lastRun(queries []finding.QueryMetadata, one finding.QueryMetadata) finding.QueryMetadata {
	for i := len(queries) - 1; i >= 0; i-- {
		if q := &queries[i]; sameText(q.Request, one.Request) && q.Tool == one.Tool &&
			sameJSON(q.Query, one.Query) && sameJSON(q.Arguments, one.Arguments) {
			return *q
		}
	}
	return one
}

// sameText reports whether texts differ at most in spaces and case.
func sameText(a, b string) bool {
	return strings.EqualFold(strings.Join(strings.Fields(a), " "), strings.Join(strings.Fields(b), " "))
}

// best returns the index of the text that is nearest, if near is not nil, and has
// most words in common; of equal ones the last.
func best(words, near []float64) int {
	at := 0
	if near == nil {
		near = make([]float64, len(words))
	}
	nearest := slices.Max(near)
	for i := range words {
		switch {
		case near[i] < nearest-vector.SameNear:
		case near[at] < nearest-vector.SameNear,
			words[i] > words[at]+vector.Precision,
			words[i] >= words[at]-vector.Precision && near[i] >= near[at]-vector.Precision:
			at = i
		}
	}
	return at
}

// listQueries lists queries for an error, the newest first. Their texts are data.
func listQueries(queries []finding.QueryMetadata) string {
	var b strings.Builder
	shown := 0
	for i := len(queries) - 1; i >= 0 && shown < maxListed; i-- {
		q := &queries[i]
		if shown > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d (%s)", q.TurnID, prompt.Quote(prompt.Clip(cmp.Or(q.Request, q.Summary), maxListedText)))
		shown++
	}
	if more := len(queries) - shown; more > 0 {
		fmt.Fprintf(&b, " and %d older ones", more)
	}
	return b.String()
}

// cachedQuery returns a query with the rows that the thread keeps, or nil if it
// does not keep all of them.
func cachedQuery(ctx context.Context, q *finding.QueryMetadata) (*finding.Finding, error) {
	if q.Rows == nil || q.Rows.Handle == "" && len(q.Rows.Sample.Rows) < q.Rows.Count {
		return nil, nil
	}
	switch _, err := q.Rows.Table(ctx); {
	case errors.Is(err, qed.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	// Without a remembered proof, Query.Executed stays empty: what ran can differ from
	// what was written.
	proof := qed.Query{Language: q.QueryType, Written: strictjson.Text(q.Query), Rows: q.Rows.Count}
	if q.Proof != nil {
		proof = *q.Proof
	}
	proof.Cached, proof.Handle = true, q.Rows.Handle
	return &finding.Finding{
		Text: q.Summary, Rows: q.Rows, Metadata: q, Queries: []qed.Query{proof}, Partial: q.Rows.Partial,
	}, nil
}

// run runs a query again, and returns what it finds now.
func (r *retrieval) run(ctx context.Context, q *finding.QueryMetadata) (finding.Finding, error) {
	name := prompt.Clip(q.Tool, maxListedText)
	t, err := r.registry.Lookup(q.Tool)
	switch {
	case q.Tool == "" || q.Tool == retrieveTool:
		return finding.Finding{}, errors.New("the rows of the query are not saved any more, and the tool that ran it is not known: write the query again")
	case err != nil:
		return finding.Finding{}, fmt.Errorf("the query cannot be run again: %w", err)
	case t.AtMostOnce():
		return finding.Finding{}, fmt.Errorf("the query cannot be run again: the tool %s must not be called twice", name)
	}
	results, err := r.registry.Do(ctx, llm.ToolCall{ID: retrieveTool, Name: q.Tool, Arguments: q.Arguments})
	if err != nil {
		return finding.Finding{}, err
	}
	if err := results[0].Err; err != nil {
		return finding.Finding{}, fmt.Errorf("%s failed when it ran the query again: %w", name, err)
	}
	found := finding.Parse(results[0].Output)
	switch {
	case found.Rows == nil && q.Rows != nil:
		return finding.Finding{}, fmt.Errorf("%s ran the query again and returned no rows, unlike before", name)
	case found.Rows == nil && found.Text == "" && found.Metadata == nil:
		return finding.Finding{}, fmt.Errorf("%s ran the query again and returned neither rows nor a text", name)
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
