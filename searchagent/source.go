package searchagent

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
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
)

// SourceOptions are the options of [NewSource]. Nil and zero fields mean the defaults. A
// negative number is an error.
type SourceOptions struct {
	// Index is the index that is searched. Empty means the name of the source.
	Index string

	// About describes the index for a model: "one document per shipment". It may be
	// empty.
	About string

	// Filter returns a filter that every search must match, in addition to the filter of
	// the Validator. It is called in each Check and each Run, with the caller's context.
	// If it fails or returns nothing, the call fails with [ErrFilter] and nothing is
	// searched. errors.Is finds the error of Filter, but its text is not part of the
	// message, which a model may see. Nil means no filter.
	Filter func(context.Context) (json.RawMessage, error)

	// MaxRows is how many documents, or rows of figures, a query reads. 0 means 1000.
	MaxRows int

	// PageSize is how many documents one request reads. 0 means 1000. More documents are
	// read in pages, as of one point in time.
	PageSize int
}

func (o *SourceOptions) withDefaults(name string) (SourceOptions, error) {
	v := option.Of(o)
	v.Index = cmp.Or(v.Index, name)
	err := errors.Join(
		option.Default("searchagent: SourceOptions.MaxRows", &v.MaxRows, 1000),
		option.Default("searchagent: SourceOptions.PageSize", &v.PageSize, 1000),
	)
	v.PageSize = min(v.PageSize, v.MaxRows)
	return v, err
}

// NewSource returns an index of e as a [query.Source], limited to what v allows. name is
// the name of the source, and of the index unless [SourceOptions.Index] is set. Its
// queries are bodies of the _search API. A nil opt means the defaults. An index that v
// does not have is an error.
//
// Check returns the body without the filters of v and the caller, so that it can be
// shown, stored and run again, also for another caller: Run adds the filters each time.
// If v refuses a body, the error is a [*refusal.Error].
//
// The rows are the documents, one column per field, or the figures of aggregations, one
// row per bucket. A search without a size, and without a key that prevents paging,
// returns all documents that it finds, up to MaxRows.
//
// The source is a [query.Scanner]: what tools.NewAnalysis computes from documents then
// holds for all that a search finds, and not only for those that are saved.
//
// A column of figures is named after its aggregation. The names of the single
// buckets that contain it, such as those of filters, come first: late.delay. If
// a row has the name already, the column becomes name_2. Times are texts as the
// engine writes them; all other values are numbers. If the engine returned only the first buckets, the
// table is truncated. If its counts have an error, Partial says so.
//
// Run spends rows of the budget in the context ([budget.With]). Errors of the engine
// match the kinds of package esquery. A failure that another search may avoid, such as a
// search that the engine rejects, is a [*refusal.Error] as well.
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
		return nil, fmt.Errorf("searchagent: SourceOptions.PageSize is higher than the validator allows: %s",
			drafts.Reason(problems))
	}
	r := reader{engine: e, page: o.PageSize, most: o.MaxRows, fieldType: v.FieldType}
	return &source{name: name, index: o.Index, validator: v, reader: r, opt: o}, nil
}

// source is an index as a query.Source. It does not change.
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

// Describe describes the fields of the index, without hidden ones.
func (s *source) Describe(ctx context.Context, request string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	fields, err := s.validator.Describe(s.index, &esquery.DescribeOptions{Words: request, MaxFields: maxFields})
	if err != nil {
		return "", fmt.Errorf("searchagent: %w", err)
	}
	var b strings.Builder
	b.WriteString("The Elasticsearch index " + s.index)
	if s.opt.About != "" {
		b.WriteString(": " + prompt.Quote(s.opt.About))
	}
	fmt.Fprintf(&b, "\nA search without a size returns everything that it finds, up to %d documents.\n", s.opt.MaxRows)
	b.WriteString("Its fields, with their types and what they can be used for:\n" + fields)
	return b.String(), nil
}

// Check returns the body with the validator's fixes.
func (s *source) Check(ctx context.Context, q json.RawMessage) (json.RawMessage, error) {
	body, _, err := s.check(ctx, q)
	return body, err
}

// check returns the body in the form in which it can be stored, and the search to run.
func (s *source) check(ctx context.Context, q json.RawMessage) (json.RawMessage, runnable, error) {
	if err := ctx.Err(); err != nil {
		return nil, runnable{}, err
	}
	var text string
	if json.Unmarshal(q, &text) == nil { // a body as text, which may not be valid JSON
		q = json.RawMessage(drafts.Bare(text))
	}
	if len(strings.TrimSpace(string(q))) == 0 {
		return nil, runnable{}, s.refused([]refusal.Problem{{
			Code: esquery.ErrMalformed, Message: "there is no body; {} finds all documents",
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
	if r.fixed != nil {
		return r.fixed, r, nil
	}
	var plain bytes.Buffer
	err = json.Compact(&plain, q) // the body was parsed before
	return plain.Bytes(), r, err
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

// filterError is the error if there is no filter. Its text is shown to the author of the
// query, who must not see what the filter, or the function that makes it, says. For the
// same reason errors.As does not find the errors in it: a refused filter is not a refused
// query.
type filterError struct{ err error }

func (e *filterError) Error() string        { return "searchagent: " + ErrFilter.Error() }
func (e *filterError) Is(target error) bool { return errors.Is(e.err, target) }

// refused returns the problems of a search as an error, without those that were fixed.
func (s *source) refused(problems []refusal.Problem) error {
	faults := slices.DeleteFunc(slices.Clone(problems), func(p refusal.Problem) bool { return p.Fix != "" })
	if len(faults) > 0 { // a long list of problems is cut, and may end with fixed ones
		problems = faults
	}
	return &refusal.Error{Package: "searchagent", Problems: problems}
}

// Run checks a search again, with the filter of the caller, and runs it.
func (s *source) Run(ctx context.Context, q json.RawMessage) (*query.Result, error) {
	body, r, err := s.check(ctx, q)
	if err != nil {
		return nil, err
	}
	most, err := budget.RowsLeft(ctx, -1)
	if err != nil {
		return nil, err
	}
	got, err := s.reader.run(ctx, r, most)
	if err != nil {
		return nil, s.failed(ctx, err)
	}
	if got.partial != "" && got.total == 0 {
		return nil, fmt.Errorf("searchagent: nothing was found, and the search was not complete: %s", got.partial)
	}
	if err := s.rest(ctx, r, got); err != nil {
		return nil, err
	}
	return s.result(body, r, got), nil
}

// failed returns a refusal.Error if another search may avoid the failure.
func (s *source) failed(ctx context.Context, err error) error {
	if failure, ok := errors.AsType[*esquery.EngineError](err); ok && ctx.Err() == nil && correctable(failure) {
		return &refusal.Error{Package: "searchagent", Problems: []refusal.Problem{rejection(failure)}, Err: err}
	}
	return fmt.Errorf("searchagent: %w", err)
}

// rest reads the pages after the first, if they are wanted. If that fails, the documents
// that were read are returned.
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
		got.partial = s.reader.texts(ctx).PageFailed
	case errors.Is(err, budget.ErrExceeded):
		got.partial = s.reader.texts(ctx).LimitRows
	case err != nil:
		return err
	}
	if len(all) > len(got.docs) {
		got.docs = all
	}
	return nil
}

// result returns what was found.
func (s *source) result(body json.RawMessage, r runnable, got *hits) *query.Result {
	total := max(got.total, int64(len(got.docs)))
	if len(got.docs) > s.opt.MaxRows {
		got.docs = got.docs[:s.opt.MaxRows]
	}
	out := &query.Result{
		Table:         s.table(body, r, got),
		Partial:       strings.Trim(got.partial+"; "+got.inexact, "; "),
		HowToRetrieve: retrieval(s.index, body),
	}
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

// table returns the figures, the documents, or the number of documents if the search asks
// for none.
func (s *source) table(body json.RawMessage, r runnable, got *hits) *qed.Table {
	var t *qed.Table
	switch {
	case got.figures != nil:
		t = got.figures
	case len(got.docs) > 0:
		t = s.reader.table(s.index, got.docs, documentColumns(got.docs, body, maxSourceColumns))
		t.Truncated = got.total > int64(len(got.docs))
	case r.sized && !r.figures || got.total > 0:
		t = counted(got.total)
	default:
		t = &qed.Table{}
	}
	t.Truncated = t.Truncated || got.partial != ""
	return t
}
