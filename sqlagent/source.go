package sqlagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lru"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/strictjson"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqlagent/schemasearch"
)

// SourceOptions are the options of [NewSource]. Nil and zero fields mean the
// defaults. A negative number is an error unless a field gives it a meaning.
type SourceOptions struct {
	// About describes the database for a model: "employees and their work". It
	// may be empty.
	About string

	// Search finds the tables that a request is about, as [Options.Search].
	Search *schemasearch.Index

	// Limits are how much of the database a description shows. Tables that connect
	// the chosen ones are described as well.
	Limits PromptLimits

	// Columns chooses the columns of the sample rows, as [Options.Columns].
	Columns *privacy.Columns

	// MinConfidence is the lowest confidence of a relationship that is used, from
	// 0 to 1. 0 means 0.7.
	MinConfidence float64

	// HideColumns keeps the columns of a table, and the tables that have a
	// missing column, out of the problems of a statement that names a wrong
	// column.
	HideColumns bool
}

// reading returns the options of the reader.
func (v SourceOptions) reading() (Options, error) {
	o := Options{
		Search:        v.Search,
		Limits:        v.Limits,
		Columns:       v.Columns,
		MinConfidence: v.MinConfidence,
		HideColumns:   v.HideColumns,
	}
	return o.withDefaults()
}

// NewSource returns db as a [query.Source], limited to what guard allows. name is
// the name of the source, such as "personnel". Its queries are JSON strings, each
// a SELECT statement on the tables of the guard's policy. db, guard and schema are
// as for [New]. A nil opt means the defaults.
//
// The limit on rows is that of [Database]. To read more than the default 1000 rows,
// raise it in the options of the database and in the policy.
//
// Check returns the model's own statement. Run rewrites it for the secure views
// each time, and only the rewritten statement reaches the database. If the guard
// refuses a statement, the error is the guard's [*refusal.Error], with the problem
// that the model may see.
//
// Describe chooses tables by the words of the request, without a model, and reads
// sample rows as the caller of its context may see them.
//
// If db has a method Rows as [github.com/qedkit/qed/sqldb.DB] has, the source is a
// [query.Scanner]: what tools.NewAnalysis computes then holds for all rows of a query,
// and not only for those that are saved. No limit on rows applies to Scan, but the
// time limit of the database does.
//
// The source is a [query.Timed]: the tool query_builder compares the times of a
// request with those that the statement reads.
//
// Run spends rows of the budget in the context ([budget.With]). Errors of the
// database match the kinds of package sqldb. A failure that another statement may
// avoid is a [*refusal.Error] as well.
func NewSource(
	name string, db Database, guard *secureview.Guard, schema *joinpath.Schema, opt *SourceOptions,
) (query.Source, error) {
	if name == "" || db == nil || guard == nil || schema == nil {
		return nil, errors.New("sqlagent: NewSource needs a name, a database, a guard and a schema")
	}
	own := option.Of(opt)
	o, err := own.reading()
	if err != nil {
		return nil, err
	}
	r, err := newReader(db, guard, schema, o)
	if err != nil {
		return nil, err
	}
	s := &source{reader: r, name: name, about: own.About, told: lru.New[string, bool](maxTold, 0)}
	if rows, ok := db.(rowReader); ok {
		return &scanner{source: s, rows: rows, guard: guard.WithRowLimit(math.MaxInt32)}, nil
	}
	return s, nil
}

// source is a database as a query.Source.
type source struct {
	*reader
	name, about string

	told *lru.Cache[string, bool] // the contradicted statements that were refused, with their conversations
}

func (s *source) Name() string { return s.name }

// Zone returns the time zone of the database, or "" if it has none.
func (s *source) Zone(ctx context.Context) (string, error) { return answertext.ZoneOf(ctx, s.db) }

func (s *source) Language() string { return query.SQL }

func (s *source) About() string { return s.about }

// Check returns the statement without a code fence and a semicolon.
func (s *source) Check(ctx context.Context, q json.RawMessage) (json.RawMessage, error) {
	sql, err := written(q)
	if err != nil {
		return nil, err
	}
	if _, err := s.guard.Rewrite(ctx, sql); err != nil {
		return nil, s.refused(ctx, err)
	}
	return strictjson.Encode(sql)
}

// Times returns the times that a statement reads.
func (s *source) Times(ctx context.Context, q json.RawMessage) (dates.Times, error) {
	sql, err := written(q)
	if err != nil {
		return dates.Times{}, err
	}
	stmt, err := s.guard.Rewrite(ctx, sql)
	if err != nil {
		return dates.Times{}, s.refused(ctx, err)
	}
	return s.timesOf(stmt), nil
}

// written returns the statement in a query.
func written(q json.RawMessage) (string, error) {
	var sql string
	err := json.Unmarshal(q, &sql)
	if sql = bare(sql); err == nil && sql != "" {
		return sql, nil
	}
	return "", &refusal.Error{
		Package: "sqlagent",
		Problems: []refusal.Problem{{
			Code:    secureview.ErrSyntax,
			Message: "a query of this source is one JSON string: the text of a SELECT statement",
		}},
		Err: err,
	}
}

// refused returns a refusal.Error with the problems that another statement may
// avoid. Another err is returned unchanged, with the name of the package.
func (s *source) refused(ctx context.Context, err error) error {
	problems := failure(err)
	if refused, ok := errors.AsType[*refusal.Error](err); ok {
		problems = s.problems(refused)
	}
	if problems == nil || ctx.Err() != nil {
		return fmt.Errorf("sqlagent: %w", err)
	}
	for i := range problems {
		p := &problems[i]
		p.Candidates = slices.DeleteFunc(slices.Clone(p.Candidates), func(name string) bool { return !plainName(name) })
	}
	return &refusal.Error{Package: "sqlagent", Problems: problems, Err: err}
}

// contradicted refuses a statement that the keys of its tables contradict. The same statement
// is refused once in a conversation: it may be meant, and then its result says what is doubtful.
func (s *source) contradicted(ctx context.Context, sql string) error {
	key := qed.Info(ctx).Turn.Thread + "\x00" + sql
	if _, told := s.told.Get(key); told {
		return nil
	}
	stmt, err := s.guard.Rewrite(ctx, sql)
	if err != nil {
		return s.refused(ctx, err)
	}
	problems := unproved(s.prover.Check(stmt))
	if len(problems) == 0 {
		return nil
	}
	s.told.Add(key, true)
	return &refusal.Error{Package: "sqlagent", Problems: problems}
}

// maxTold is how many refused statements a source remembers.
const maxTold = 1000

// Run rewrites the statement again and runs the result. A statement that the keys of its
// tables contradict is refused the first time.
func (s *source) Run(ctx context.Context, q json.RawMessage) (*query.Result, error) {
	sql, err := written(q)
	if err != nil {
		return nil, err
	}
	if err := s.contradicted(ctx, sql); err != nil {
		return nil, err
	}
	ran, err := s.run(ctx, sql)
	if err != nil {
		return nil, s.refused(ctx, err)
	}
	tables := s.tablesOf(ran.stmt)
	report := s.proofOf(ctx, ran.stmt)
	texts := textTable.In(ctx, qed.Info(ctx).Language)
	partial := ""
	if ran.stmt.Invented() {
		partial = texts.NoTable
	}
	return &query.Result{
		Table: ran.rows, Partial: partial,
		Query: qed.Query{
			Language: query.SQL,
			Written:  sql,
			Executed: ran.stmt.SQL(),
			Views:    s.viewNames(ran.stmt),
			JoinPath: joinPath(report),
			Rows:     len(ran.rows.Rows),
			Millis:   ran.millis,
			Meaning:  meaning(texts, report.Meaning),
			Checked:  checked(texts, report),
			Proof:    report,
		},
		HowToRetrieve: s.retrieval(tables, sql),
	}, nil
}

// tablesOf returns the tables that a statement reads, under the names that the
// model uses.
func (r *reader) tablesOf(stmt *secureview.Statement) []string {
	var names []string
	for _, t := range stmt.Tables() {
		name := r.nameOf(t)
		if _, ok := r.catalog.columns[name]; ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// retrieval returns in words how to find the rows of a statement again.
func (s *source) retrieval(tables []string, sql string) string {
	text := "database " + s.name
	switch len(tables) {
	case 0:
	case 1:
		text += ", table " + tables[0]
	default:
		text += ", tables " + strings.Join(tables[:len(tables)-1], ", ") + " and " + tables[len(tables)-1]
	}
	return prompt.Clip(text+", by "+strings.Join(strings.Fields(sql), " "), maxRetrieval)
}

const maxRetrieval = 1000
