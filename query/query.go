// Package query has the tools that write queries and run them, in whatever language a
// source of data speaks: Elasticsearch's, GraphQL, SQL.
//
// A [Source] is one such place: an index, a GraphQL service, a database. The blocks that
// know a language bring theirs: searchagent.NewSource, graphqlsource.New and
// sqlagent.NewSource. [NewBuilder] is the tool query_builder on all of them, and
// [NewExecutor] the tools es_executor, graphql_executor and sql_executor.
//
// # How many rows
//
// The least of the limits on a query's way holds, and what it cuts off is told. By default
// they are:
//
//	secureview.Policy.RowLimit         1000  of a SQL statement
//	sqldb.Options.MaxRows              1000  that a database reads
//	sqlagent.SourceOptions.MaxRows     1000  that a source returns
//	searchagent.SourceOptions.MaxRows  1000
//	graphqlsource.Options.MaxRows     10000
//	query.ExecutorOptions.MaxRows      1000  that are kept
//
// A budget in the context ([qed.WithBudget]) is one more.
package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/prompt"
)

// The languages of the sources that this module has. A host's own may have others.
const (
	Elasticsearch = "elasticsearch" // bodies of Elasticsearch's _search
	GraphQL       = "graphql"
	SQL           = "sql"
)

// A Source is a place whose data can be queried. It is safe for concurrent use.
//
// A query is one JSON value: the body of a search, {"query": ..., "variables": {...}} for
// GraphQL, a string for SQL. Where it is an object, a string that holds its text is taken
// as well, so that a text that cannot be read gets an error of the source's own.
type Source interface {
	// Name tells the source from others, such as "shipments".
	Name() string
	// Language is [Elasticsearch], [GraphQL], [SQL] or another.
	Language() string
	// About says in a few words what the source holds, for whoever plans: "shipments since
	// 2020, with their delays". Empty: nothing. It is asked for once by each tool.
	About() string
	// Describe says for a model what can be queried, as far as the request may need it. It
	// bounds what it says.
	Describe(ctx context.Context, request string) (string, error)
	// Check says whether a query may run, and returns it as it would be written to run
	// again. Where the query is at fault, its error is a [*Refusal]. With any other, such as
	// that of a server that does not answer, another query would not fare better.
	Check(ctx context.Context, q json.RawMessage) (json.RawMessage, error)
	// Run checks a query and runs it. It returns no more rows than the budget of ctx has
	// left, and spends them ([qed.Remaining], [qed.Spend]). Errors are as those of Check.
	Run(ctx context.Context, q json.RawMessage) (*Result, error)
}

// A Result is what a query found.
type Result struct {
	Table *qed.Table // never nil
	Total int64      // how many there are, where that is known and more than the rows; else 0

	// Partial says in a sentence why rows or values may be missing, other than for their
	// number, or not be exact: a part of the engine failed, a field could not be read,
	// counts are estimated. Empty: none are.
	Partial string

	Query qed.Query // the proof: what was asked for, and what ran

	// HowToRetrieve says in words how to find the same again, such as "index shipments, port
	// is Miami".
	HowToRetrieve string
}

// A Refusal is why a query may not run, or cannot: a fault of the query, which whoever
// wrote it can mend.
type Refusal struct {
	Code       string   // the source's own, such as "unknown_field"
	Name       string   // what is wrong in the query, such as a field's name; empty: no one thing
	Message    string   // for a model: what is wrong, and what to do about it
	Candidates []string // what may have been meant
	Err        error    // what is behind it; may be nil
}

// Error returns the Message with the Candidates, unless it names them all.
func (r *Refusal) Error() string {
	words := strings.FieldsFunc(r.Message, func(c rune) bool { return c != '_' && c != '.' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	unsaid := func(c string) bool { return !slices.Contains(words, c) }
	if !slices.ContainsFunc(r.Candidates, unsaid) {
		return r.Message
	}
	return strings.TrimRight(r.Message, ".") + "; perhaps meant: " + strings.Join(r.Candidates, ", ")
}

// Unwrap returns Err.
func (r *Refusal) Unwrap() error { return r.Err }

// A SourceError is why a query is not run, or changed: it was written for another source.
// Of sources with the same schema, such as those of two regions, it would find the other's
// rows.
type SourceError struct {
	Written string // the source that it was written for
	Given   string // the source that it was given to
}

// Error names both sources and what to do.
func (e *SourceError) Error() string {
	return fmt.Sprintf("the query was written for source %s and was given to source %s, so nothing was done: "+
		"give it to its own, or have query_builder write another one for %[2]s",
		prompt.Quote(e.Written), prompt.Quote(e.Given))
}
