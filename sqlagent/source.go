package sqlagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/query"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
)

// SourceOptions are the limits of a source, and what it says of its database. A nil
// SourceOptions and zero fields mean the defaults named at each field; a negative
// number is an error where no meaning is given for it.
type SourceOptions struct {
	// About says for a model what the database holds: "employees and their work".
	// Empty: nothing.
	About string

	// MaxRows is how many rows a query reads: 1000. A lower limit of the policy or
	// of the database holds, and is what the model is told.
	MaxRows int
	// MaxTables is how many tables are chosen by the words of a request: 8. Those
	// that connect them are described as well.
	MaxTables int
	// MaxColumns is how many columns of a table are described: 50.
	MaxColumns int
	// MaxRelationships is how many relationships are told: 20.
	MaxRelationships int
	// SampleRows is how many rows of each table are shown: 1; negative: none.
	SampleRows int

	// MinConfidence is the least confidence of a relationship that is used: 0.7.
	MinConfidence float64
	// MaxHops is the longest join path between two tables: 4.
	MaxHops int

	// SkipColumnMessages keeps errors from telling which columns a table has, and
	// where a missing one was found, when a statement names a wrong one.
	SkipColumnMessages bool
}

// reading is what the options mean to a reader.
func (v SourceOptions) reading() (Options, error) {
	for _, f := range []struct {
		name  string
		value int
	}{
		{"MaxRows", v.MaxRows},
		{"MaxTables", v.MaxTables},
		{"MaxColumns", v.MaxColumns},
		{"MaxRelationships", v.MaxRelationships},
		{"MaxHops", v.MaxHops},
		{"SampleRows", max(v.SampleRows, 0)},
	} {
		if f.value < 0 || f.value > maxOption {
			return Options{}, fmt.Errorf("sqlagent: SourceOptions.%s is %d: it lies between 0 and %d", f.name, f.value, maxOption)
		}
	}
	if v.MinConfidence < 0 || v.MinConfidence > 1 {
		return Options{}, fmt.Errorf("sqlagent: SourceOptions.MinConfidence is %v: it lies between 0 and 1", v.MinConfidence)
	}
	if v.MaxRows == 0 {
		v.MaxRows = 1000
	}
	o := Options{
		MaxRows:                  v.MaxRows,
		MaxTables:                v.MaxTables,
		MaxColumnsInSchema:       v.MaxColumns,
		MaxRelationshipsInPrompt: v.MaxRelationships,
		SampleRows:               v.SampleRows,
		MinConfidence:            v.MinConfidence,
		MaxHops:                  v.MaxHops,
		SkipColumnMessages:       v.SkipColumnMessages,
	}
	return o.withDefaults()
}

// NewSource returns what guard lets be read from db as a [query.Source] of that name,
// such as "personnel". Its queries are JSON strings, each a SELECT statement on the
// tables of the guard's policy. db, guard and schema are as for [New]. A nil opt means
// the defaults.
//
// A database that returns no more than so many rows has a method MaxRows() int that says
// so, as [github.com/qedkit/qed/sqldb.DB] has: more rows than the default 1000 need a
// larger limit in its Options, in the policy and in the SourceOptions.
//
// What Check returns is the model's own statement, on the tables that it knows: it is
// rewritten for the secure views in each Run anew, and nothing but what the guard then
// makes of it reaches the database. A [*query.Refusal] for a statement that the guard
// does not let through has its [*refusal.Error] within.
//
// Describe chooses tables by the words of the request, without a model, and reads
// sample rows of them, as the caller of its context may see them.
//
// Run spends the rows of a budget in the context ([qed.WithBudget]). Where the database
// fails, its errors match the kinds of package sqldb; one that another statement may
// not meet is a [*query.Refusal].
func NewSource(name string, db Database, guard *secureview.Guard, schema *joinpath.Schema, opt *SourceOptions) (query.Source, error) {
	if name == "" || db == nil || guard == nil || schema == nil {
		return nil, errors.New("sqlagent: NewSource needs a name, a database, a guard and a schema")
	}
	var own SourceOptions
	if opt != nil {
		own = *opt
	}
	o, err := own.reading()
	if err != nil {
		return nil, err
	}
	o.MaxRows = min(o.MaxRows, guard.RowLimit())
	if d, ok := db.(interface{ MaxRows() int }); ok && d.MaxRows() > 0 {
		o.MaxRows = min(o.MaxRows, d.MaxRows())
	}
	r, err := newReader(db, guard, schema, o)
	if err != nil {
		return nil, err
	}
	return &source{r, name, own.About}, nil
}

// source is a database. It never changes.
type source struct {
	*reader
	name, about string
}

func (s *source) Name() string { return s.name }

func (s *source) Language() string { return query.SQL }

func (s *source) About() string { return s.about }

// Check returns the statement without what models put around it.
func (s *source) Check(ctx context.Context, q json.RawMessage) (json.RawMessage, error) {
	sql, err := written(q)
	if err != nil {
		return nil, err
	}
	if _, err := s.guard.Rewrite(ctx, sql); err != nil {
		return nil, s.refused(ctx, err)
	}
	return asJSON(sql)
}

// written is the statement of a query.
func written(q json.RawMessage) (string, error) {
	var sql string
	err := json.Unmarshal(q, &sql)
	if sql = bare(sql); err == nil && sql != "" {
		return sql, nil
	}
	return "", &query.Refusal{
		Code:    string(secureview.ErrSyntax),
		Message: "a query of this source is one JSON string: the text of a SELECT statement",
		Err:     err,
	}
}

// asJSON writes a statement as a JSON string in which < stays as it is, to be read.
func asJSON(sql string) (json.RawMessage, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(sql); err != nil {
		return nil, err
	}
	return json.RawMessage(strings.TrimSpace(b.String())), nil
}

// refused says for a model what another statement may not meet; all else is an error as
// it is.
func (s *source) refused(ctx context.Context, err error) error {
	var refused *refusal.Error
	var f *fault
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &refused):
		f = s.refusal(refused.Problems[0])
		f.Message = "the statement is refused: " + f.Message
	default:
		if f = failure(err); f != nil {
			f.Message = "the statement failed: " + f.Message
		}
	}
	if f == nil {
		return fmt.Errorf("sqlagent: %w", err)
	}
	return &query.Refusal{
		Code:       f.Code,
		Name:       f.Name,
		Message:    f.Message,
		Candidates: slices.DeleteFunc(slices.Clone(f.Candidates), func(name string) bool { return !plainName(name) }),
		Err:        err,
	}
}

// Run rewrites a statement again, and runs what comes of it.
func (s *source) Run(ctx context.Context, q json.RawMessage) (*query.Result, error) {
	sql, err := written(q)
	if err != nil {
		return nil, err
	}
	ran, err := s.run(ctx, sql)
	if err != nil {
		return nil, s.refused(ctx, err)
	}
	tables := s.tablesOf(ran.stmt)
	joins, err := s.joinsOf(ctx, tables)
	if err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	return &query.Result{
		Table: ran.rows,
		Query: qed.Query{
			Language: query.SQL,
			Written:  sql,
			Executed: ran.stmt.SQL(),
			Views:    viewNames(ran.stmt),
			JoinPath: joins,
			Rows:     len(ran.rows.Rows),
			Millis:   ran.millis,
		},
		HowToRetrieve: s.retrieval(tables, sql),
	}, nil
}

// tablesOf returns the tables that a statement reads, under the names that a model
// knows them by.
func (s *source) tablesOf(stmt *secureview.Statement) []string {
	var names []string
	for _, t := range stmt.Tables() {
		if name, ok := s.catalog.find(t.Name); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// joinsOf returns the joins of tables, a line each, as Describe tells them; none where
// there are several ways, of which the statement may have taken any.
func (s *source) joinsOf(ctx context.Context, tables []string) ([]string, error) {
	if len(tables) < 2 {
		return nil, nil
	}
	plans, err := s.connect(ctx, tables)
	if err != nil || len(plans) != 1 {
		return nil, err
	}
	return joinLines(plans[0]), nil
}

// retrieval says in words how a statement finds its rows.
func (s *source) retrieval(tables []string, sql string) string {
	text := "database " + s.name
	switch len(tables) {
	case 0:
	case 1:
		text += ", table " + tables[0]
	default:
		text += ", tables " + strings.Join(tables[:len(tables)-1], ", ") + " and " + tables[len(tables)-1]
	}
	return prompt.Clip(text+", by "+oneLine(sql), maxRetrieval)
}

const maxRetrieval = 1000
