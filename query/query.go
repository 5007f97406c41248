// Package query has the tools with which a model writes queries and runs them,
// in the language of each data source: Elasticsearch, GraphQL or SQL.
//
// A [Source] is an index, a GraphQL service or a database. The packages that know
// a language make them: searchagent.NewSource, graphqlsource.New and
// sqlagent.NewSource. [NewBuilder] returns the tool query_builder for all
// sources, and [NewExecutor] the tools es_executor, graphql_executor and
// sql_executor:
//
//	sources := []query.Source{shipments, personnel}
//	build, err := query.NewBuilder(model, sources, nil)
//	...
//	run, err := query.NewExecutor("sql_executor", []query.Source{personnel})
//	...
//	registry := qed.NewRegistry(nil)
//	err = registry.Add(build, run)
//
// # How many rows
//
// The lowest limit applies, and a table that was cut off says so. An executor saves
// 1,000 rows of a query, and a GraphQL source returns 10,000. The limits that can be set
// and their defaults are:
//
//	secureview.Policy.RowLimit         1000  of an SQL statement
//	sqldb.Options.MaxRows              1000  that a database reads
//	searchagent.SourceOptions.MaxRows  1000
//
// A budget in the context ([budget.With]) limits rows as well.
package query

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/prompt"
)

// The languages of the sources of this module. Other sources may have others.
const (
	Elasticsearch = "elasticsearch" // bodies of the _search API
	GraphQL       = "graphql"
	SQL           = "sql"
)

// A Source is something whose data can be queried. It is safe for concurrent
// use.
//
// A query is one JSON value: the body of a search, {"query": ..., "variables":
// {...}} for GraphQL, a string for SQL. A Source whose queries are objects also
// accepts the text of an object as a string, so that its error can locate a
// mistake in text that is not valid JSON.
type Source interface {
	// Name is the name that models and plans use, such as "shipments".
	Name() string

	// Language is [Elasticsearch], [GraphQL], [SQL] or another one.
	Language() string

	// About describes for a planner in a few words what the source holds:
	// "shipments since 2020, with their delays". It may be empty. Each tool
	// calls it once.
	About() string

	// Describe describes for a model what can be queried, as far as the request
	// may need it. The Source limits the length.
	Describe(ctx context.Context, request string) (string, error)

	// Check reports whether a query may run, and returns it in the form in which
	// it can be run again. If the query is at fault, the error is or wraps a
	// [*refusal.Error], whose problems are shown to the model. Another error,
	// such as that of a server that does not respond, means that another query
	// would not help.
	Check(ctx context.Context, q json.RawMessage) (json.RawMessage, error)

	// Run checks a query and runs it. It returns no more rows than the budget of
	// ctx allows, and spends them ([budget.Remaining], [budget.Spend]). Its errors
	// are those of Check.
	Run(ctx context.Context, q json.RawMessage) (*Result, error)
}

// A Scanner is a [Source] that can read all rows of a query, for figures that have
// to hold for all of them.
type Scanner interface {
	Source

	// Scan checks a query and reads its rows without the limits of Run on their
	// number. It calls row with each, until row returns false; row may keep the
	// columns but not the cells. The Table of the Result has the columns only. Scan
	// spends no rows of the budget, because no model and no user sees them. Its
	// errors are those of Check.
	Scan(ctx context.Context, q json.RawMessage, row func(columns []qed.Column, cells []any) bool) (*Result, error)
}

// A Timed is a [Source] that knows what times a query reads.
type Timed interface {
	Source

	// Times returns the times that a query reads, if Check accepts it. Its errors are
	// those of Check.
	Times(ctx context.Context, q json.RawMessage) (dates.Times, error)
}

// A Result is what a query found.
type Result struct {
	Table *qed.Table // never nil

	// Total is the number of rows that match, if it is known and higher than the
	// number of rows in Table. Otherwise it is 0.
	Total int64

	// Partial is a sentence that says why rows or values may be missing or
	// inexact, apart from a limit on rows: a part of the engine failed, a field
	// could not be read, counts are estimates. It is empty if nothing is missing.
	Partial string

	Query qed.Query // the proof: the query as it was written and as it ran

	// HowToRetrieve says how to find the same rows again: a source and a query.
	HowToRetrieve string
}

// A SourceError is the error of a query that was written for another source. It
// is neither run nor changed: on a source with the same schema, such as that of
// another region, it would find other rows.
type SourceError struct {
	Written string // the source that the query was written for
	Given   string // the source that the query was given to
}

// Error names both sources and what to do.
func (e *SourceError) Error() string {
	return fmt.Sprintf("the query was written for source %s and was given to source %s, so nothing was done: "+
		"give it to %[1]s, or have query_builder write another one for %[2]s",
		prompt.Quote(e.Written), prompt.Quote(e.Given))
}
