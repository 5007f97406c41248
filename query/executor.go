package query

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// ExecutorOptions are limits of a [NewExecutor]. Nil and zero fields mean the defaults
// named at each field; a negative number is an error.
type ExecutorOptions struct {
	// MaxRows is how many rows of a query are kept: 1000. Where it finds more, the result
	// says so.
	MaxRows int
	// Timeout bounds one call of the tool: the registry's.
	Timeout time.Duration
}

type executor struct {
	sources sources
	maxRows int
}

type executeArguments struct {
	Source string          `json:"source,omitempty" jsonschema_description:"the source that the query is for"`
	Query  json.RawMessage `json:"query" jsonschema_description:"the query itself, or the whole result of the task that wrote it: {\"$result\": \"key\"}"`
}

// executed is the result of the tool.
type executed struct {
	qed.Finding
	Source string `json:"source"` // that ran the query
}

// NewExecutor returns a tool that runs queries: its source checks each, and then runs it.
// All sources must be of one language. The stock names are es_executor, graphql_executor
// and sql_executor.
//
// It is called with {source, query}; the source may be missing where there is but one, and
// the query may be a whole result of query_builder, of an executor or of
// retrieve_query_metadata. It returns a [qed.Finding] and {source}: how many rows were found
// as text, the rows, the query's metadata, the query as proof, and why rows are missing,
// where the source says so.
//
// A query that the source refuses is not run: the error wraps the [*Refusal]. Nor is one
// that says that it was written for another source, though that is of the same language:
// that is a [*SourceError]. A bare query does not say so, which is why plans should give
// whole results.
//
// Its description names the sources with what each holds ([Source]'s About).
func NewExecutor(name string, list []Source, opt *ExecutorOptions) (qed.Tool, error) {
	if strings.TrimSpace(name) == "" {
		return qed.Tool{}, errors.New("query: NewExecutor needs the tool's name, such as sql_executor")
	}
	s, err := newSources(name, list)
	if err != nil {
		return qed.Tool{}, err
	}
	language := list[0].Language()
	for _, source := range list {
		if source.Language() != language {
			return qed.Tool{}, fmt.Errorf("query: %s: source %s is of %s and source %s of %s: make an executor of each language",
				name, list[0].Name(), language, source.Name(), source.Language())
		}
	}
	var o ExecutorOptions
	if opt != nil {
		o = *opt
	}
	if o.MaxRows < 0 || o.Timeout < 0 {
		return qed.Tool{}, errors.New("query: ExecutorOptions.MaxRows and Timeout cannot be negative")
	}
	if o.MaxRows == 0 {
		o.MaxRows = 1000
	}
	e := &executor{s, o.MaxRows}
	t := qed.NewTool(name, "Runs a query in the language "+language+" and finds its rows. It only reads. "+
		`Later tasks are given the rows by {"$result": "key/rows"}.`, e.execute)
	t.Kind, t.Idempotent, t.Language, t.Timeout = qed.FunctionTool, true, language, o.Timeout
	return t, s.tell(&t, nil)
}

func (e *executor) execute(ctx context.Context, in executeArguments) (executed, error) {
	q := read(in.Query)
	if in.Source == "" && len(e.sources.list) > 1 {
		in.Source = q.source
	}
	source, err := e.sources.find(in.Source)
	switch {
	case err != nil:
		return executed{}, err
	case absent(q.query):
		return executed{}, errors.New("query is empty: give the query that is to run")
	case q.language != "" && q.language != source.Language():
		return executed{}, fmt.Errorf("the query is in %s, and %s runs %s",
			prompt.Quote(prompt.Clip(q.language, maxName)), e.sources.tool, source.Language())
	}
	if err := q.elsewhere(source); err != nil {
		return executed{}, err
	}
	if left, ok := qed.Remaining(ctx); ok && left.Rows < 0 {
		return executed{}, qed.Spend(ctx, qed.Limits{Rows: 1}) // says what is used up
	}
	checked, refusal, err := check(ctx, source, q.query)
	if err != nil {
		return executed{}, err
	}
	if refusal != nil {
		refused(ctx, text(q.query), refusal)
		return executed{}, fmt.Errorf("source %s refuses the query, so it was not run: %w", source.Name(), refusal)
	}
	begun := time.Now()
	found, err := source.Run(ctx, checked)
	switch refusal, ok := errors.AsType[*Refusal](err); {
	case ok:
		refused(ctx, text(checked), refusal)
		return executed{}, fmt.Errorf("source %s cannot run the query: %w", source.Name(), refusal)
	case err != nil:
		return executed{}, fmt.Errorf("source %s: %w", source.Name(), err)
	case found == nil || found.Table == nil:
		return executed{}, fmt.Errorf("query: source %s returned neither a table nor an error", source.Name())
	}
	return e.finding(ctx, source, checked, found, time.Since(begun))
}

// finding is what a result is for an agent.
func (e *executor) finding(
	ctx context.Context, source Source, q json.RawMessage, found *Result, took time.Duration,
) (executed, error) {
	table, came := *found.Table, len(found.Table.Rows)
	total := found.Total
	if !table.Truncated {
		total = max(total, int64(came)) // known also where not all are kept
	}
	if came > e.maxRows {
		table.Rows, table.Truncated = table.Rows[:e.maxRows], true
	}
	rows, err := qed.SaveRows(ctx, &table)
	if err != nil {
		return executed{}, fmt.Errorf("query: the rows of source %s: %w", source.Name(), err)
	}
	proof := found.Query
	proof.Language, proof.Handle = source.Language(), rows.Handle
	proof.Rows = came
	if total > int64(came) {
		proof.Total = total
	}
	if proof.Millis == 0 {
		proof.Millis = took.Milliseconds()
	}
	ran := proof.Executed
	if ran == "" {
		ran = text(q)
	}
	qed.Emit(ctx, qed.QueryExecuted{Query: ran, Rows: came, Truncated: found.Table.Truncated, Millis: proof.Millis})

	said := counted(rows, total)
	how := found.HowToRetrieve
	if how == "" {
		how = "source " + source.Name()
	}
	// With its rows, a result must fit into what a registry takes.
	how = prompt.Clip(how, maxPartial)
	proof.Written, proof.Executed = prompt.Clip(proof.Written, maxProof), prompt.Clip(proof.Executed, maxProof)
	if len(q) > maxQuery {
		q = nil
	}
	f := executed{Source: source.Name(), Finding: qed.Finding{
		Text:    said,
		Rows:    rows,
		Queries: []qed.Query{proof},
		Metadata: &qed.QueryMetadata{
			QueryType:     source.Language(),
			Query:         q,
			Summary:       said,
			HowToRetrieve: how,
			ExecutedAt:    qed.TurnTime(ctx),
		},
	}}
	if partial := prompt.Clip(strings.TrimSpace(found.Partial), maxPartial); partial != "" {
		f.Text += ". It may not be all, or not exact: " + partial
		f.Partial, rows.Partial = partial, partial
	}
	return f, nil
}

const (
	maxPartial = 1000     // bytes of a text that a source says
	maxProof   = 4 << 10  // bytes of each text of a query, as proof
	maxQuery   = 16 << 10 // of a query that is remembered
)

// counted says how many rows were found, and how many of them are kept.
func counted(rows *qed.RowsRef, total int64) string {
	n := int64(rows.Count)
	switch {
	case total > n:
		return fmt.Sprintf("%s found, of which the first %d are kept", plural(total), n)
	case rows.Truncated:
		return fmt.Sprintf("more than %s found, of which the first %d are kept", plural(n), n)
	case n == 0:
		return "no rows found"
	}
	return plural(n) + " found"
}

func plural(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}
