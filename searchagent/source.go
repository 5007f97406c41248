package searchagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
)

// SourceOptions are the limits of a source, and what it says of its index. A nil
// SourceOptions and zero fields mean the defaults named at each field; a negative
// number is an error.
type SourceOptions struct {
	// Index is the index that is searched. Empty: that of the source's name.
	Index string
	// About says for a model what the index holds: "one document a shipment". Empty:
	// nothing.
	About string

	// Filter makes the filter that every search must match, on top of the
	// Validator's own: that of the caller whose context it is. It is asked for in
	// each Check and each Run. Where it fails, or returns nothing, that fails with
	// [ErrFilter] and nothing is searched; its own error is wrapped, and no part of
	// the text, which a model may read. Nil: there is none.
	Filter func(context.Context) (json.RawMessage, error)

	// MaxRows is how many documents, or rows of figures, a query reads: 1000.
	MaxRows int
	// PageSize is how many documents are asked for at once: 1000. More are read by
	// pages, as of one moment.
	PageSize int
	// MaxColumns is how many fields of the documents a table has: 50.
	MaxColumns int
	// MaxFields is how many fields of the index are described: 150. Where there are
	// more, those nearest to the request's words are.
	MaxFields int
}

func (o *SourceOptions) withDefaults(name string) (SourceOptions, error) {
	var out SourceOptions
	if o != nil {
		out = *o
	}
	if out.Index == "" {
		out.Index = name
	}
	for _, f := range []struct {
		name  string
		value *int
		usual int
	}{
		{"MaxRows", &out.MaxRows, 1000},
		{"PageSize", &out.PageSize, 1000},
		{"MaxColumns", &out.MaxColumns, 50},
		{"MaxFields", &out.MaxFields, 150},
	} {
		if *f.value < 0 || *f.value > maxOption {
			return out, fmt.Errorf("searchagent: SourceOptions.%s is %d: it lies between 0 and %d", f.name, *f.value, maxOption)
		}
		if *f.value == 0 {
			*f.value = f.usual
		}
	}
	out.PageSize = min(out.PageSize, out.MaxRows)
	return out, nil
}

// NewSource returns an index of e that v lets be searched as a [query.Source]. Its
// queries are bodies of the _search API. name is what models and plans call the source,
// and the index too, unless [SourceOptions.Index] says another. A nil opt means the
// defaults. An index that v does not have is an error.
//
// What Check returns has neither v's filter nor the caller's in it, so that it can be
// shown, written down and run again, also for somebody else: the filter is put in for
// each Run anew. A [*query.Refusal] of Check wraps a [*refusal.Error].
//
// The rows are the documents, a column a field, or the figures of aggregations, a row a
// bucket. A search that says neither its size nor what would keep it from being read by
// page returns all that it finds, up to MaxRows.
//
// Of figures, a column has the name of its aggregation, with those of the single buckets
// around it, such as filters: late.delay. One whose name is taken in its rows becomes
// name_2. Times are the texts that the engine gives for them, all other values numbers. A
// composite has a column for each of its sources. Where an engine returned only the first
// buckets, the table is truncated; where it counts them by shard and tells an error, or that
// it is not known, Partial says so.
//
// Run spends the rows of a budget in the context ([qed.WithBudget]). Where the engine
// fails, its errors match the kinds of package esquery; one that another search may
// not meet is a [*query.Refusal].
func NewSource(name string, e Engine, v *esquery.Validator, opt *SourceOptions) (query.Source, error) {
	if strings.TrimSpace(name) == "" || e == nil || v == nil {
		return nil, errors.New("searchagent: NewSource needs a name, an engine and a validator")
	}
	o, err := opt.withDefaults(name)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(v.Indices(), o.Index) {
		_, err := v.Describe(o.Index, nil)
		return nil, fmt.Errorf("searchagent: %w", err)
	}
	if _, problems := prepare(v, o.Index, "{}", o.PageSize, false); len(problems) > 0 {
		return nil, fmt.Errorf("searchagent: SourceOptions.PageSize is more than the validator lets a search return: %s", say(problems))
	}
	return &source{name: name, index: o.Index, validator: v, reader: reader{e, o.PageSize, o.MaxRows}, opt: o}, nil
}

// source is an index. It never changes.
type source struct {
	name      string
	index     string
	validator *esquery.Validator
	reader    reader
	opt       SourceOptions
}

func (s *source) Name() string { return s.name }

func (s *source) Language() string { return query.Elasticsearch }

func (s *source) About() string { return s.opt.About }

// Describe says what the index has, without what is hidden.
func (s *source) Describe(ctx context.Context, request string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	d, err := s.validator.Describe(s.index, &esquery.DescribeOptions{Words: request, MaxFields: s.opt.MaxFields})
	if err != nil {
		return "", fmt.Errorf("searchagent: %w", err)
	}
	var b strings.Builder
	b.WriteString("The Elasticsearch index " + s.index)
	if s.opt.About != "" {
		b.WriteString(": " + prompt.Quote(s.opt.About))
	}
	fmt.Fprintf(&b, "\nA search without a size returns all that it finds, up to %d documents.\n", s.opt.MaxRows)
	b.WriteString("Its fields, each with its type and what it can be used for:\n" + d.String())
	return b.String(), nil
}

// Check returns the body with what is beyond doubt put right.
func (s *source) Check(ctx context.Context, q json.RawMessage) (json.RawMessage, error) {
	body, _, err := s.check(ctx, q)
	return body, err
}

// check returns a body as it can be written down, and what may run of it.
func (s *source) check(ctx context.Context, q json.RawMessage) (json.RawMessage, runnable, error) {
	if err := ctx.Err(); err != nil {
		return nil, runnable{}, err
	}
	var text string
	if json.Unmarshal(q, &text) == nil { // a body as text, which may be no JSON
		q = json.RawMessage(bare(text))
	}
	if len(strings.TrimSpace(string(q))) == 0 {
		return nil, runnable{}, s.refused([]refusal.Problem{{
			Code: esquery.ErrMalformed, Message: "there is no body; all documents are searched by {}",
		}})
	}
	v, err := s.allowed(ctx)
	if err != nil {
		return nil, runnable{}, err
	}
	r, problems := prepare(v, s.index, string(q), s.opt.PageSize, false)
	if len(problems) > 0 {
		return nil, runnable{}, s.refused(problems)
	}
	body, err := asMended(v, s.index, q)
	return body, r, err
}

// allowed returns the validator of the caller.
func (s *source) allowed(ctx context.Context) (*esquery.Validator, error) {
	if s.opt.Filter == nil {
		return s.validator, nil
	}
	filter, err := s.opt.Filter(ctx)
	v, err := confined(s.validator, filter, err)
	if err != nil {
		return nil, &filterError{err}
	}
	return v, nil
}

// filterError is why there is no filter. Its text is for whoever asked, who is not told
// what the filter, or what makes it, says.
type filterError struct{ err error }

func (e *filterError) Error() string { return "searchagent: " + ErrFilter.Error() }
func (e *filterError) Unwrap() error { return e.err }

// refused tells a model all that is wrong with a search. What was mended is not in it.
func (s *source) refused(problems []refusal.Problem) error {
	err := &refusal.Error{Package: "esquery", Problems: problems}
	faults := slices.DeleteFunc(slices.Clone(problems), func(p refusal.Problem) bool { return p.Fix != "" })
	if len(faults) > 0 { // of very many problems the last are not told
		problems = faults
	}
	refused := &query.Refusal{Code: string(problems[0].Code), Name: problems[0].Path, Err: err}
	if len(problems) == 1 {
		refused.Candidates = problems[0].Candidates
	}
	var b strings.Builder
	b.WriteString("the search of index " + s.index + " is refused")
	for i, p := range problems[:min(len(problems), maxProblems)] {
		if i == 0 {
			b.WriteString(": ")
		} else {
			b.WriteString("; ")
		}
		if p.Path != "" {
			b.WriteString("at " + prompt.Clip(p.Path, maxField) + ": ")
		}
		b.WriteString(p.Message)
		if len(p.Candidates) > 0 && len(problems) > 1 {
			b.WriteString(" (perhaps meant: " + strings.Join(p.Candidates, ", ") + ")")
		}
	}
	if more := len(problems) - maxProblems; more > 0 {
		fmt.Fprintf(&b, "; and %d more problems", more)
	}
	refused.Message = b.String()
	return refused
}

// Run checks a search again, with the filter of the caller, and runs it.
func (s *source) Run(ctx context.Context, q json.RawMessage) (*query.Result, error) {
	body, r, err := s.check(ctx, q)
	if err != nil {
		return nil, err
	}
	most, err := rowsLeft(ctx)
	if err != nil {
		return nil, err
	}
	got, err := s.reader.run(ctx, r, most)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	if got.partial != "" && got.total == 0 {
		return nil, fmt.Errorf("searchagent: %s, and the rest has nothing", got.partial)
	}
	if err := s.rest(ctx, r, got); err != nil {
		return nil, err
	}
	return s.result(body, r, got), nil
}

// failed says for a model what another search may not meet; all else is an error as it
// is.
func (s *source) failed(ctx context.Context, err error) error {
	var failure *esquery.EngineError
	if ctx.Err() == nil && errors.As(err, &failure) && curable(failure) {
		p := rejection(failure)
		return &query.Refusal{Code: string(p.Code), Message: "the search of index " + s.index + " failed: " + p.Message, Err: err}
	}
	return fmt.Errorf("searchagent: %w", err)
}

// rest reads the pages after the first, if they are wanted. Where that breaks off, what
// was read stands.
func (s *source) rest(ctx context.Context, r runnable, got *hits) error {
	if !r.paging || got.total <= int64(len(got.docs)) || len(got.docs) >= s.opt.MaxRows {
		return nil
	}
	var all []document
	err := s.reader.pages(ctx, r.search, len(got.docs), func(docs []document) { all = append(all, docs...) })
	var failure *esquery.EngineError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &failure):
		got.partial = "a page could not be read: " + string(failure.Kind)
	case errors.Is(err, qed.ErrBudget):
		got.partial = "the budget allows no more documents"
	case err != nil:
		return err
	}
	if len(all) > len(got.docs) {
		got.docs = all
	}
	return nil
}

// result is what was found.
func (s *source) result(body json.RawMessage, r runnable, got *hits) *query.Result {
	total := max(got.total, int64(len(got.docs)))
	if len(got.docs) > s.opt.MaxRows {
		got.docs = got.docs[:s.opt.MaxRows]
	}
	partial := strings.Join(slices.DeleteFunc([]string{got.partial, got.rough}, func(s string) bool { return s == "" }), "; ")
	out := &query.Result{Table: s.table(body, r, got), Partial: partial, HowToRetrieve: retrieval(s.index, body)}
	if got.figures == nil && got.exact && total > int64(len(got.docs)) && len(got.docs) > 0 {
		out.Total = total
	}
	out.Query = qed.Query{
		Language: query.Elasticsearch,
		Index:    s.index,
		Written:  string(body),
		Executed: string(r.search.Shown()),
		Rows:     len(out.Table.Rows),
		Total:    out.Total,
		Millis:   got.millis,
	}
	return out
}

// table is the figures, the documents, or their number where none was asked for.
func (s *source) table(body json.RawMessage, r runnable, got *hits) *qed.Table {
	var t *qed.Table
	switch {
	case got.figures != nil:
		t = got.figures
	case len(got.docs) > 0:
		t = rows(got.docs, documentColumns(got.docs, body, s.opt.MaxColumns))
		t.Truncated = got.total > int64(len(got.docs))
	case r.sized && !r.figures || got.total > 0:
		t = &qed.Table{Columns: []qed.Column{{Name: countColumn}}, Rows: [][]any{{got.total}}}
	default:
		t = &qed.Table{}
	}
	t.Truncated = t.Truncated || got.partial != ""
	return t
}
