package secureview

import (
	"slices"

	"github.com/qedkit/qed/dialect"
)

// Statement is a statement that a [Guard] let through. Only a Guard makes one
// that holds anything, so having one is the proof that its text was read,
// bound to the policy, rewritten and printed anew. It does not change and is
// safe for concurrent use.
type Statement struct {
	sql     string
	dialect dialect.Dialect
	reads   []Read
	columns []string
	limit   int
	capped  bool
}

// Read is a table or view that a statement reads.
type Read struct {
	Table   dialect.TableName // the name that the policy and the model use
	Object  dialect.TableName // what is read: the secure view, where the table has one
	Columns []string          // the columns that the statement names, in the policy's order
}

// SQL is the text to execute. It is never the text that was given to the Guard.
func (s *Statement) SQL() string { return s.sql }

// Dialect is the dialect that the text is written in.
func (s *Statement) Dialect() dialect.Dialect { return s.dialect }

// Reads tells everything that the statement reads, in order of first mention.
func (s *Statement) Reads() []Read {
	reads := slices.Clone(s.reads)
	for i := range reads {
		reads[i].Columns = slices.Clone(reads[i].Columns)
	}
	return reads
}

// Tables is the tables that the statement reads, under the names that the
// policy and the model use.
func (s *Statement) Tables() []dialect.TableName {
	tables := make([]dialect.TableName, len(s.reads))
	for i, r := range s.reads {
		tables[i] = r.Table
	}
	return tables
}

// Views is the secure views that stand in for tables of the statement.
func (s *Statement) Views() []dialect.TableName {
	var views []dialect.TableName
	for _, r := range s.reads {
		if r.Object != r.Table {
			views = append(views, r.Object)
		}
	}
	return views
}

// Columns is the names of the result's columns, as the statement wrote them. A
// name may occur more than once.
func (s *Statement) Columns() []string { return slices.Clone(s.columns) }

// Limit is the number of rows that the statement returns at most.
func (s *Statement) Limit() int { return s.limit }

// Capped reports whether the limit is the policy's and not the statement's own:
// with as many rows as [Statement.Limit], there may be more.
func (s *Statement) Capped() bool { return s.capped }

// objects is what a second reader has to find in the text.
func (s *Statement) objects() []dialect.TableName {
	objects := make([]dialect.TableName, len(s.reads))
	for i, r := range s.reads {
		objects[i] = r.Object
	}
	return objects
}
