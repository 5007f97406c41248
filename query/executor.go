package query

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/refusal"
)

type executor struct{ sources sources }

type executeArguments struct {
	Source string          `json:"source,omitempty" jsonschema_description:"the source that the query is for"`
	Query  json.RawMessage `json:"query" jsonschema_description:"the query, or the whole result of the task that wrote it: {\"$result\": \"key\"}"`
}

// executed is the result of an executor.
type executed struct {
	finding.Finding
	Source string `json:"source"` // the source that ran the query
}

// NewExecutor returns a tool that runs queries. The source of a query checks it and
// runs it. All sources must have the same language. The usual names of the tool
// are es_executor, graphql_executor and sql_executor.
//
// Arguments: {source, query}. The source may be missing if there is only one.
// The query may be the whole result of query_builder, of an executor or of
// retrieve_query_metadata. The result is a [finding.Finding] and {source}: the
// number of rows as text, the rows, the metadata of the query, the query as
// proof, and the source's reason if rows are missing. At most 1,000 rows are saved; if
// the query finds more, the result says so.
//
// A query that the source refuses is not run; the error wraps the
// [*refusal.Error]. A query that was written for another source is not run
// either, and the error is a [*SourceError]. A query on its own does not say for
// which source it was written, so plans should give whole results.
//
// The description of the tool lists the sources ([Source]'s About).
func NewExecutor(name string, list []Source) (qed.Tool, error) {
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
			return qed.Tool{}, fmt.Errorf(
				"query: %s: source %s has the language %s and source %s %s: make an executor for each language",
				name, list[0].Name(), language, source.Name(), source.Language())
		}
	}
	e := &executor{sources: s}
	t := qed.NewTool(name, "Runs a query in the language "+language+" and returns its rows. It only reads. "+
		`Later tasks get the rows with {"$result": "key/rows"}.`, e.execute)
	t.Kind, t.Idempotent, t.Language = qed.FunctionTool, true, language
	return t, s.describe(&t)
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
	case strictjson.Absent(q.query):
		return executed{}, errors.New("query is empty: give the query to run")
	case q.language != "" && q.language != source.Language():
		return executed{}, fmt.Errorf("the query is in %s, and %s runs %s",
			prompt.Quote(prompt.Clip(q.language, maxName)), e.sources.tool, source.Language())
	}
	if err := q.checkSource(source); err != nil {
		return executed{}, err
	}
	if left, ok := budget.Remaining(ctx); ok && left.Rows < 0 {
		return executed{}, budget.Spend(ctx, budget.Limits{Rows: 1}) // the error names the limit
	}
	checked, problems, err := check(ctx, source, q.query)
	if err != nil {
		return executed{}, err
	}
	if len(problems) > 0 {
		drafts.EmitRefused(ctx, strictjson.Text(q.query), problems)
		return executed{}, fmt.Errorf("source %s refuses the query, so it was not run: %w",
			source.Name(), &refusal.Error{Problems: problems})
	}
	began := time.Now()
	found, err := source.Run(ctx, checked)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		drafts.EmitRefused(ctx, strictjson.Text(checked), refused.Problems)
		return executed{}, fmt.Errorf("source %s cannot run the query: %w",
			source.Name(), &refusal.Error{Problems: refused.Problems, Err: refused.Err})
	}
	if err != nil {
		return executed{}, fmt.Errorf("source %s: %w", source.Name(), err)
	}
	if found == nil || found.Table == nil {
		return executed{}, fmt.Errorf("query: source %s returned neither a table nor an error", source.Name())
	}
	return e.finding(ctx, source, checked, found, time.Since(began))
}

// finding returns the result of a query for an agent.
func (e *executor) finding(
	ctx context.Context, source Source, q json.RawMessage, found *Result, took time.Duration,
) (executed, error) {
	table, came := *found.Table, len(found.Table.Rows)
	total := found.Total
	if !table.Truncated {
		total = max(total, int64(came)) // known even if not all are saved
	}
	if came > maxRows {
		table.Rows, table.Truncated = table.Rows[:maxRows], true
	}
	rows, err := finding.SaveRows(ctx, &table)
	if err != nil {
		return executed{}, fmt.Errorf("query: the rows of source %s: %w", source.Name(), err)
	}
	if _, ok := source.(Scanner); ok && rows.Truncated {
		if err := rows.SaveOrigin(ctx, finding.Origin{Source: source.Name(), Query: q}); err != nil {
			return executed{}, fmt.Errorf("query: the query of source %s: %w", source.Name(), err)
		}
	}
	proof := found.Query
	proof.Language, proof.Handle = source.Language(), rows.Handle
	proof.Rows = came
	if total > int64(came) {
		proof.Total = total
	}
	proof.Millis = cmp.Or(proof.Millis, took.Milliseconds())
	qed.Emit(ctx, qed.QueryExecuted{
		Query: cmp.Or(proof.Executed, strictjson.Text(q)), Rows: came, Truncated: found.Table.Truncated, Millis: proof.Millis,
	})

	texts := textsOf(ctx)
	text := texts.counted(rows, total)
	how := cmp.Or(found.HowToRetrieve, "source "+source.Name())
	// A registry limits the size of a result, which contains rows as well.
	how = prompt.Clip(how, maxPartial)
	proof.Written, proof.Executed = prompt.Clip(proof.Written, maxProof), prompt.Clip(proof.Executed, maxProof)
	if len(q) > maxQuery {
		q = nil
	}
	f := executed{Source: source.Name(), Finding: finding.Finding{
		Text:    text,
		Rows:    rows,
		Queries: []qed.Query{proof},
		Metadata: &finding.QueryMetadata{
			QueryType:     source.Language(),
			Query:         q,
			Summary:       text,
			HowToRetrieve: how,
			ExecutedAt:    qed.TurnTime(ctx),
		},
	}}
	if partial := prompt.Clip(strings.TrimSpace(found.Partial), maxPartial); partial != "" {
		f.Text = usertext.Fill(texts.Inexact, "found", text, "reason", partial)
		f.Partial, rows.Partial = partial, partial
	}
	return f, nil
}

const (
	maxRows    = 1000     // of a query that are saved
	maxPartial = 1000     // bytes of a text of a source
	maxProof   = 4 << 10  // bytes of each text of a query in the proof
	maxQuery   = 16 << 10 // bytes of a query in the metadata
)
