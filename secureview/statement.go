package secureview

import (
	"slices"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
)

// A Statement is a statement that a [Guard] accepted and rewrote. Only a Guard
// creates one that is not empty, so holding a Statement proves that its text
// was parsed, bound to the policy, rewritten and printed. A Statement is
// immutable and safe for concurrent use.
type Statement struct {
	source  string
	sql     string   // with the names of parameters
	matches []match  // the conditions on parameters, with the text before each
	end     string   // the text after them
	local   []string // settings that the session of the database does not need
	dialect dialect.Dialect
	reads   []TableRead
	merged  [][]TableRead
	fields  []TableRead
	query   *sqlast.Query // resolved; not changed any more
	columns []string
	limit   int
	capped  bool
}

// A TableRead is a table or view that a statement reads.
type TableRead struct {
	Table   dialect.TableName // the name that the policy and the model use
	Object  dialect.TableName // what is read: the table's secure view, or the table itself
	Columns []string          // the columns that the statement names, in the order of the policy

	// FilterColumns are the columns that the filter of the policy compares, for a table
	// without a view.
	FilterColumns []string
}

// Limited reports whether a view or a filter may hide rows of the table.
func (r TableRead) Limited() bool { return r.Object != r.Table || len(r.FilterColumns) > 0 }

// SQL returns the text to execute. It is never the text that the Guard was given. If the
// statement has [Statement.Parameters], it shows their names, and [Statement.Bind] returns
// the text to execute.
func (s *Statement) SQL() string { return s.sql }

// Source returns the text that the Guard was given. It must not be executed.
func (s *Statement) Source() string { return s.source }

// Query returns the tree of the statement with its names bound, for the other packages of
// this module. Its positions are offsets in [Statement.Source]. It must not be changed.
func (s *Statement) Query() *sqlast.Query { return s.query }

// Dialect returns the SQL dialect of the text.
func (s *Statement) Dialect() dialect.Dialect { return s.dialect }

// Reads returns every table and view that the statement reads, in the order of
// first mention.
func (s *Statement) Reads() []TableRead {
	reads := slices.Clone(s.reads)
	for i := range reads {
		reads[i].Columns = slices.Clone(reads[i].Columns)
	}
	return reads
}

// Invented reports whether the numbers of the result are those of the statement's writer: it
// reads no table, or its columns are constants, of which one is another number than 0 and 1.
func (s *Statement) Invented() bool {
	if s.query == nil || len(s.reads) == 0 {
		return s.query != nil
	}
	number := false
	for _, e := range valuesOf(s.query.Body) {
		if sqlast.Any(e, isRead) {
			return false
		}
		number = number || sqlast.Any(e, func(n *sqlast.Number) bool { return n.Text != "0" && n.Text != "1" })
	}
	return number
}

// valuesOf returns the columns of a body, those of all arms of a UNION.
func valuesOf(b sqlast.Body) []sqlast.Expr {
	switch b := b.(type) {
	case *sqlast.Query:
		return valuesOf(b.Body)
	case *sqlast.SetOp:
		return append(valuesOf(b.Left), valuesOf(b.Right)...)
	case *sqlast.Select:
		return lists.Map(b.Items, func(it sqlast.Item) sqlast.Expr { return it.Expr })
	}
	return nil
}

// isRead reports whether the value of a node depends on what a table has: its columns, or
// how many rows it has.
func isRead(n sqlast.Node) bool {
	switch n := n.(type) {
	case *sqlast.Column, *sqlast.Star, *sqlast.Query:
		return true
	case *sqlast.Call:
		return n.Star || n.Over != nil || n.Name == "count" || n.Name == "sum"
	}
	return false
}

// Merged returns, for each column of USING that the statement names without a table, the
// tables whose columns it merges, each with that column. PostgreSQL gives it the common
// type of these columns, and the text has one of them: package sqldb/postgresdb refuses
// the statement if their types differ. Other dialects have none. The result must not be
// changed.
func (s *Statement) Merged() [][]TableRead { return s.merged }

// Fields returns the fields (x).y of columns of composite types that the statement reads,
// each as a table with two Columns: the column and the field. Package sqldb/postgresdb
// refuses the statement if the type of the column does not have the field, which would
// be NULL. The result must not be changed.
func (s *Statement) Fields() []TableRead { return s.fields }

// Tables returns the tables that the statement reads, under the names that the
// policy and the model use.
func (s *Statement) Tables() []dialect.TableName {
	return lists.Map(s.reads, func(r TableRead) dialect.TableName { return r.Table })
}

// Views returns the secure views that the statement reads instead of tables.
func (s *Statement) Views() []dialect.TableName {
	var views []dialect.TableName
	for _, r := range s.reads {
		if r.Object != r.Table {
			views = append(views, r.Object)
		}
	}
	return views
}

// Columns returns the names of the result's columns, as the statement wrote them.
// A name may occur more than once.
func (s *Statement) Columns() []string { return slices.Clone(s.columns) }

// Limit returns the largest number of rows that the statement returns.
func (s *Statement) Limit() int { return s.limit }

// Capped reports whether [Statement.Limit] is the limit of the policy and not the
// statement's own. If the result of a capped statement has Limit rows, the
// database may have more.
func (s *Statement) Capped() bool { return s.capped }

// EndsAtLimit reports whether a database may stop reading when it has as many rows as
// [Statement.Limit]: it does not have to sort, group or count all of them first.
func (s *Statement) EndsAtLimit() bool { return s.query != nil && endsAtLimit(s.query) }

// objects returns the tables and views that the second parser must find in the
// text.
func (s *Statement) objects() []dialect.TableName {
	return lists.Map(s.reads, func(r TableRead) dialect.TableName { return r.Object })
}
