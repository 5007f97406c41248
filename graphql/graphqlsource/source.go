// Package graphqlsource makes a GraphQL service a [query.Source]: what a model writes for
// it is checked by a [graphql.Guard], run by a [graphql.Client], and comes back as a table.
//
// # Tables
//
// The rows of a table are the items of the list that a query asks for: at the top, or
// within the objects around it. Of a connection they are the nodes; its totalCount is the
// number of all, and its pageInfo says whether there are more.
//
//   - Objects in a row are columns with dotted names, such as port.name.
//   - A list in a row is one column with its JSON, and one with its length, such as
//     events and events.count.
//   - What stands around the list, such as the port whose ships are listed, is repeated in
//     each row, in columns before the row's own that have the whole path for a name.
//   - Of several lists that stand beside each other, the rows come one list after the
//     other. The first column, "list", says of which; a column that only some of them have
//     is null in the others.
//   - A query without a list gives one row; none where all that it asks for is null.
//   - What is null in all rows is taken for an object or a scalar, as the answer does not
//     say that it is a list.
//
// Columns stand in the order in which the query names them, whatever the server does.
package graphqlsource

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/graphql"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
)

// Options are limits of a source. Nil and zero fields mean the defaults named at each
// field; a negative number is an error.
type Options struct {
	// About says for a model what the service holds: "one shipment by its number, with its
	// events". Empty: nothing.
	About string

	// MaxDescriptionBytes bounds what the source says of its schema: 32768.
	MaxDescriptionBytes int
	// MaxRows is how many rows a query returns: 10000. Where the answer has more, the
	// table is truncated.
	MaxRows int
}

type source struct {
	name   string
	client *graphql.Client
	guard  *graphql.Guard
	opt    Options
}

// New makes a source of the service that client reaches, as far as guard lets it be read.
// name tells it from other sources. Its queries are {"query": "..", "variables": {..}}, or a
// string with the text alone.
func New(name string, client *graphql.Client, guard *graphql.Guard, opt *Options) (query.Source, error) {
	s := &source{name: name, client: client, guard: guard}
	if opt != nil {
		s.opt = *opt
	}
	switch {
	case strings.TrimSpace(name) == "":
		return nil, errors.New("graphqlsource: a source needs a name")
	case guard == nil || client == nil:
		return nil, fmt.Errorf("graphqlsource: source %s needs a Client and a Guard", prompt.Quote(name))
	case s.opt.MaxDescriptionBytes < 0 || s.opt.MaxRows < 0:
		return nil, errors.New("graphqlsource: Options.MaxDescriptionBytes and MaxRows cannot be negative")
	}
	if s.opt.MaxDescriptionBytes == 0 {
		s.opt.MaxDescriptionBytes = 32 << 10
	}
	if s.opt.MaxRows == 0 {
		s.opt.MaxRows = 10_000
	}
	return s, nil
}

func (s *source) Name() string     { return s.name }
func (s *source) Language() string { return query.GraphQL }
func (s *source) About() string    { return s.opt.About }

// Describe says what the schema has that may be asked for.
func (s *source) Describe(context.Context, string) (string, error) {
	text := s.guard.Describe(s.opt.MaxDescriptionBytes)
	if s.opt.About != "" {
		text = "The GraphQL service " + s.name + ": " + prompt.Quote(s.opt.About) + "\n" + text
	}
	return text, nil
}

// A request is the JSON of a query.
type request struct {
	Query     string          `json:"query"`
	Variables json.RawMessage `json:"variables,omitempty"`
}

// read reads the JSON of a query, or a text alone. It does not look into the text.
func read(q json.RawMessage) (request, error) {
	var r request
	if json.Unmarshal(q, &r.Query) == nil {
		if !isJSON(r.Query) {
			return r, nil
		}
		q, r = json.RawMessage(r.Query), request{}
	}
	d := json.NewDecoder(bytes.NewReader(q))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("there is more after it")
		}
	}
	if err == nil {
		err = eachOnce(json.NewDecoder(bytes.NewReader(q)))
	}
	if err != nil {
		return r, &query.Refusal{
			Code:    "json",
			Message: `a query is {"query": "..", "variables": {..}}, or a string with the text alone: ` + prompt.Clip(err.Error(), maxWords),
			Err:     err,
		}
	}
	if bytes.Equal(bytes.TrimSpace(r.Variables), []byte("null")) {
		r.Variables = nil
	}
	return r, nil
}

// eachOnce refuses a key that an object has twice: of these every reader takes another one.
func eachOnce(d *json.Decoder) error {
	opens, err := d.Token()
	if err != nil {
		return err
	}
	if opens != json.Delim('{') && opens != json.Delim('[') {
		return nil
	}
	seen := map[string]bool{}
	for d.More() {
		if opens == json.Delim('{') {
			key, err := d.Token()
			if err != nil {
				return err
			}
			name, _ := key.(string) // a decoder allows nothing else
			if seen[name] {
				return fmt.Errorf("the key %s is there twice", prompt.Quote(prompt.Clip(name, maxWords)))
			}
			seen[name] = true
		}
		if err := eachOnce(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// isJSON tells the JSON of a query, right or wrong, from its text: no selection begins
// with a string.
func isJSON(text string) bool {
	inner, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	return ok && strings.HasPrefix(strings.TrimSpace(inner), `"`)
}

// check returns a query as it was written, and as it may be sent.
func (s *source) check(q json.RawMessage) (request, *graphql.Query, error) {
	r, err := read(q)
	if err != nil {
		return r, nil, err
	}
	checked, err := s.guard.Check(r.Query, r.Variables)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		return r, nil, queryRefusal(refused)
	}
	return r, checked, err
}

// queryRefusal returns the problems for the author of the query.
func queryRefusal(e *refusal.Error) *query.Refusal {
	r := &query.Refusal{Err: e}
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		if p.Path != "" {
			lines[i] = "at " + p.Path + ": "
		}
		lines[i] += p.Message
		if len(e.Problems) > 1 && len(p.Candidates) > 0 {
			lines[i] += " (perhaps meant: " + strings.Join(p.Candidates, ", ") + ")"
		}
	}
	r.Message = strings.Join(lines, "; ")
	if len(e.Problems) > 0 {
		r.Code, r.Name = string(e.Problems[0].Code), e.Problems[0].Path
	}
	if len(e.Problems) == 1 {
		r.Candidates = e.Problems[0].Candidates
	}
	return r
}

// Check returns the query as it was written: what code puts in stays out of it, so that it
// can be run again for whoever asks then.
func (s *source) Check(_ context.Context, q json.RawMessage) (json.RawMessage, error) {
	r, _, err := s.check(q)
	if err != nil {
		return nil, err
	}
	return json.Marshal(r)
}

func (s *source) Run(ctx context.Context, q json.RawMessage) (*query.Result, error) {
	r, checked, err := s.check(q)
	if err != nil {
		return nil, err
	}
	most, err := s.rowsLeft(ctx)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	answer, err := s.client.Run(ctx, checked)
	if err != nil {
		return nil, failure(err)
	}
	shape, err := parse(checked.Text())
	if err != nil {
		return nil, err
	}
	found, err := tabulate(shape, answer.Data)
	if err != nil {
		return nil, err
	}
	failed := partly(answer.Errors)
	if failed != "" && len(found.table.Rows) == 0 {
		return nil, errors.New("graphqlsource: nothing came back: " + failed)
	}
	if len(found.table.Rows) > most {
		if !found.table.Truncated {
			found.total = int64(len(found.table.Rows))
		}
		found.table.Rows, found.table.Truncated = found.table.Rows[:most], true
	}
	if err := qed.Spend(ctx, qed.Limits{Rows: len(found.table.Rows)}); err != nil {
		return nil, err
	}
	written, err := compact(r)
	if err != nil {
		return nil, err
	}
	// The variables that code put in are not shown.
	executed, err := compact(request{checked.Text(), r.Variables})
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
			Written:  written,
			Executed: executed,
			Rows:     len(found.table.Rows),
			Total:    found.total,
			Millis:   time.Since(begun).Milliseconds(),
		},
		HowToRetrieve: s.howToRetrieve(r),
	}, nil
}

// rowsLeft is how many rows a query may return.
func (s *source) rowsLeft(ctx context.Context) (int, error) {
	left, ok := qed.Remaining(ctx)
	switch {
	case !ok || left.Rows == 0:
		return s.opt.MaxRows, nil
	case left.Rows < 0:
		return 0, qed.Spend(ctx, qed.Limits{Rows: 1})
	}
	return min(left.Rows, s.opt.MaxRows), nil
}

// compact writes JSON as people read it: on one line, without escapes that only HTML needs.
func compact(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("graphqlsource: %w", err)
	}
	return strings.TrimSpace(b.String()), nil
}
