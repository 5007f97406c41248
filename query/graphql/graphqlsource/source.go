// Package graphqlsource makes a GraphQL service a query.Source. Queries that a model
// writes are checked by a [graphql.Guard], run by a [graphql.Client], and returned as
// a table:
//
//	vessels, err := graphqlsource.New("vessels", "", client, guard)
//	...
//	result, err := vessels.Run(ctx, json.RawMessage(`{"query": "{ vessels(first: 10) { name } }"}`))
//
// # Tables
//
// The rows of a table are the items of the list that a query asks for, at the top or
// within objects. The rows of a connection are its nodes; its totalCount is the total
// of the result, and its pageInfo says whether there are more.
//
//   - The fields of an object in a row are columns with dotted names, such as
//     port.name.
//   - A list in a row is a column with its JSON and a column with its length, such as
//     events and events.count.
//   - Fields around the list, such as the port whose ships are listed, are repeated in
//     each row. Their columns come first and are named by the whole path.
//   - If a query asks for several lists next to each other, the rows of one list follow
//     the rows of another. The first column, "list", names the list. Columns that a
//     list does not have are null.
//   - A query without a list returns one row, or none if everything is null.
//   - A field that is null in all rows is treated as an object or a scalar, because the
//     response does not show whether it is a list.
//
// Columns have the order in which the query names them.
package graphqlsource

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/query/graphql"
	"github.com/qedkit/qed/refusal"
)

// maxRows is the highest number of rows of a result.
const maxRows = 10_000

type source struct {
	name, about string
	client      *graphql.Client
	guard       *graphql.Guard
}

// New returns a source of the service of client, limited to what guard allows. name
// identifies the source among others. about describes the service for a model, such as
// "one shipment by its number, with its events"; it may be empty. The queries of the
// source are {"query": "...", "variables": {...}}, or a string with the text of a query.
// A table has at most 10,000 rows; if a response has more, it is truncated.
func New(name, about string, client *graphql.Client, guard *graphql.Guard) (query.Source, error) {
	switch {
	case strings.TrimSpace(name) == "":
		return nil, errors.New("graphqlsource: a source needs a name")
	case guard == nil || client == nil:
		return nil, fmt.Errorf("graphqlsource: source %s needs a Client and a Guard", prompt.Quote(name))
	}
	return &source{name: name, about: about, client: client, guard: guard}, nil
}

func (s *source) Name() string     { return s.name }
func (s *source) Language() string { return query.GraphQL }
func (s *source) About() string    { return s.about }

// Describe returns the part of the schema that queries may name.
func (s *source) Describe(context.Context, string) (string, error) {
	text := s.guard.Describe(0)
	if s.about != "" {
		text = "The GraphQL service " + s.name + ": " + prompt.Quote(s.about) + "\n" + text
	}
	return text, nil
}

// A request is the JSON of a query.
type request struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables,omitempty"`
}

// read decodes a query. It does not parse its text.
func read(q json.RawMessage) (request, error) {
	var r request
	if json.Unmarshal(q, &r.Query) == nil {
		if !isJSON(r.Query) {
			return r, nil
		}
		q, r = json.RawMessage(r.Query), request{}
	}
	err := strictjson.Decode(q, &r)
	if err == nil {
		err = strictjson.Keys(q, nil) // readers differ in which value of a repeated key they use
	}
	if err != nil {
		return r, &refusal.Error{
			Package: "graphqlsource",
			Problems: []refusal.Problem{{
				Code: ErrInvalidJSON,
				Message: `a query is {"query": "...", "variables": {...}}, or a string with the text of a query: ` +
					prompt.Clip(err.Error(), maxText),
			}},
			Err: err,
		}
	}
	if bytes.Equal(bytes.TrimSpace(r.Variables), []byte("null")) {
		r.Variables = nil
	}
	return r, nil
}

// isJSON reports whether text is JSON, valid or not, and not the text of a query: no
// selection begins with a string.
func isJSON(text string) bool {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	return ok && strings.HasPrefix(strings.TrimSpace(inner), `"`)
}

// check returns the query as it was written, and the checked query. If the Guard refuses
// the query, the error is a [*refusal.Error].
func (s *source) check(q json.RawMessage) (request, *graphql.Query, error) {
	r, err := read(q)
	if err != nil {
		return r, nil, err
	}
	checked, err := s.guard.Check(r.Query, r.Variables)
	return r, checked, err
}

// Check returns the query as it was written, without fixed arguments, so that it can be
// run again for another user.
func (s *source) Check(_ context.Context, q json.RawMessage) (json.RawMessage, error) {
	r, _, err := s.check(q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

// Run returns the rows of a query.
func (s *source) Run(ctx context.Context, q json.RawMessage) (*query.Result, error) {
	r, checked, err := s.check(q)
	if err != nil {
		return nil, err
	}
	limit, err := budget.RowsLeft(ctx, maxRows)
	if err != nil {
		return nil, err
	}
	start := time.Now()
	response, err := s.client.Run(ctx, checked)
	if err != nil {
		return nil, failure(err)
	}
	found, err := tabulate(fieldsOf(checked.Selection()), response.Data)
	if err != nil {
		return nil, err
	}
	failed := partialFailure(response.Errors)
	if failed != "" && len(found.table.Rows) == 0 {
		return nil, errors.New("graphqlsource: the response has no data: " + failed)
	}
	if len(found.table.Rows) > limit {
		if !found.table.Truncated {
			found.total = int64(len(found.table.Rows))
		}
		found.table.Rows, found.table.Truncated = found.table.Rows[:limit], true
	}
	if err := budget.Spend(ctx, budget.Limits{Rows: len(found.table.Rows)}); err != nil {
		return nil, err
	}
	written, err := strictjson.Encode(r)
	if err != nil {
		return nil, err
	}
	// Fixed arguments are not shown.
	executed, err := strictjson.Encode(request{Query: checked.Text(), Variables: r.Variables})
	if err != nil {
		return nil, err
	}
	return &query.Result{
		Table:   found.table,
		Total:   found.total,
		Partial: failed,
		Query: qed.Query{
			Language: query.GraphQL,
			Index:    s.name,
			Written:  string(written),
			Executed: string(executed),
			Rows:     len(found.table.Rows),
			Total:    found.total,
			Millis:   time.Since(start).Milliseconds(),
		},
		HowToRetrieve: s.howToRetrieve(r),
	}, nil
}
