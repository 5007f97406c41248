package joinpath

import (
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

// Version is the version of the JSON form that this package reads and writes.
const Version = 1

// A Schema lists the tables of a database and the relationships between them.
//
// The zero Schema is empty and ready to use. A Version of 0 means [Version]. A
// Schema is plain data: it is safe for concurrent use as long as no goroutine
// changes it.
type Schema struct {
	Version int `json:"version"`

	// Name is the name of the schema in the database, such as "public", or in MySQL that
	// of the database. Tables of other schemas have a [Table.Schema].
	Name string `json:"name,omitempty"`

	Tables        map[string]Table `json:"tables"`
	Relationships []Relationship   `json:"relationships"`
}

// A Table describes one table or view. Only Columns is required.
type Table struct {
	Columns []string `json:"columns"`

	// Schema is the schema of a table that is not in the schema of [Schema.Name]. The name
	// of the table begins with it and a dot: crm.customer.
	Schema string `json:"schema,omitempty"`

	// UniqueColumns are the columns that have a unique key of their own.
	UniqueColumns []string `json:"unique_columns,omitempty"`
	// UniqueKeys are the unique keys of several columns.
	UniqueKeys [][]string `json:"unique_keys,omitempty"`
	// PrimaryKey is the primary key, in key order. It is a unique key as well.
	PrimaryKey []string `json:"primary_key,omitempty"`

	// NotNull are the columns that cannot be NULL, as the database declares them.
	NotNull []string `json:"not_null,omitempty"`

	// Types maps columns to their types, as the engine writes them.
	Types map[string]string `json:"types,omitempty"`

	Comment        string            `json:"comment,omitempty"`
	ColumnComments map[string]string `json:"column_comments,omitempty"`

	// Rows and Bytes are the engine's estimate of the table's size. 0 means
	// unknown.
	Rows  int64 `json:"rows,omitempty"`
	Bytes int64 `json:"bytes,omitempty"`

	// View is true if the table is a view.
	View bool `json:"view,omitempty"`

	// Reads are the tables and views that a view reads, or more than those, and those whose
	// rows a table has too. Nil means that it is not known what a view reads.
	Reads []string `json:"-"`

	// Uses are the columns that may be shown under another name.
	Uses []Use `json:"-"`

	// Outside are the columns of foreign keys to tables that the schema does not have. They
	// refer to no table that it has.
	Outside []string `json:"-"`

	// Unreadable is true if the account that introspected the database can read the
	// table through a view only. Its keys hold for the view that replaces it.
	Unreadable bool `json:"unreadable,omitempty"`

	// SecureView is the view that statements read instead of the table. Sources of
	// package joingraph may use its name for the table.
	SecureView string `json:"secure_view,omitempty"`
}

// A Use is a column whose values a view, or a column that the database computes, may show,
// because its text has it. A full-text index uses all its columns: a search finds any word.
type Use struct {
	By            string // the computed column, or empty
	Table, Column string
}

// Types of relationships. [Relationship.Type] may have other values.
const (
	ForeignKey  = "foreign_key" // declared in the database
	Association = "association" // declared in an application's models
	Inferred    = "inferred"    // derived from names or data
	Manual      = "manual"      // written by a person

	// SharedDimension is derived as well. Both columns hold the same things, such as the
	// shops of payments and of refunds, of which the schema has no table. Each payment would
	// be joined with all refunds of its shop.
	SharedDimension = "shared_dimension"
)

// A Relationship describes how two tables can be joined: the columns on one side
// equal the columns on the other.
//
// A relationship with one column on each side uses FromColumn and ToColumn. A
// composite relationship lists its columns in FromColumns and ToColumns, in
// matching order; FromColumn and ToColumn are then empty or the first of each.
type Relationship struct {
	FromTable  string `json:"from_table"`
	FromColumn string `json:"from_column"`
	ToTable    string `json:"to_table"`
	ToColumn   string `json:"to_column"`

	// FromColumns and ToColumns are the columns of a composite key.
	FromColumns []string `json:"from_columns,omitempty"`
	ToColumns   []string `json:"to_columns,omitempty"`

	// Type is the type of relationship, such as [ForeignKey].
	Type string `json:"type,omitempty"`
	// Confidence is the probability that the relationship is right, from 0 to
	// 1. A relationship of confidence 0 is disabled, independent of
	// [Options.MinConfidence].
	Confidence float64 `json:"confidence"`
	// Cardinality is read from the from side to the to side. If it is empty,
	// [New] derives it from the unique keys of both tables; a side without a
	// unique key is treated as many.
	Cardinality Cardinality `json:"cardinality,omitempty"`
	// Role names the relationship in words, such as "billing address". It tells
	// relationships between the same two tables apart.
	Role string `json:"role,omitempty"`
	// Provenance names the sources of the relationship, such as a file or a
	// catalogue, in the order in which they were merged.
	Provenance []string `json:"provenance,omitempty"`
	// Evidence says why the relationship is thought to be right or wrong, one
	// sentence each, for people.
	Evidence []string `json:"evidence,omitempty"`
}

// Columns returns the columns of both sides, in matching order. For a
// relationship that is not composite each slice has one column.
func (r Relationship) Columns() (from, to []string) {
	return side(r.FromColumns, r.FromColumn), side(r.ToColumns, r.ToColumn)
}

func side(columns []string, column string) []string {
	if len(columns) > 0 {
		return slices.Clone(columns)
	}
	return []string{column}
}

// Reversed returns the same relationship seen from its other side.
func (r Relationship) Reversed() Relationship {
	r = r.clone()
	r.FromTable, r.ToTable = r.ToTable, r.FromTable
	r.FromColumn, r.ToColumn = r.ToColumn, r.FromColumn
	r.FromColumns, r.ToColumns = r.ToColumns, r.FromColumns
	r.Cardinality = r.Cardinality.Reversed()
	return r
}

func (r Relationship) clone() Relationship {
	r.FromColumns = slices.Clone(r.FromColumns)
	r.ToColumns = slices.Clone(r.ToColumns)
	r.Provenance = slices.Clone(r.Provenance)
	r.Evidence = slices.Clone(r.Evidence)
	return r
}

// String returns the relationship in the form "from.column -> to.column".
func (r Relationship) String() string {
	from, to := r.Columns()
	return sideString(r.FromTable, from) + " -> " + sideString(r.ToTable, to)
}

func sideString(table string, columns []string) string {
	if len(columns) == 1 {
		return table + "." + columns[0]
	}
	return table + ".(" + strings.Join(columns, ", ") + ")"
}

// AddForeignKey adds the relationship of a foreign key that a database declares.
// It is for programs that read a catalogue; the tables have to be in the schema
// already, with their keys.
//
// The relationship has type [ForeignKey], confidence 1, and the cardinality that
// follows from the unique keys of both tables. Columns are found by their exact
// names, or else by names that differ in the case of ASCII letters only. A key
// that was added for the same table before is not added again, even if its
// columns are in another order.
//
// The error is a [*refusal.Error] of code [ErrSchema] if a table or a column
// does not exist.
func (s *Schema) AddForeignKey(from string, fromColumns []string, to string, toColumns []string) error {
	if len(fromColumns) == 0 || len(fromColumns) != len(toColumns) {
		return refuse(ErrSchema, "%d from columns and %d to columns", len(fromColumns), len(toColumns))
	}
	fromTable, fromColumns, err := s.spelled(from, fromColumns)
	if err != nil {
		return err
	}
	toTable, toColumns, err := s.spelled(to, toColumns)
	if err != nil {
		return err
	}
	r := Relationship{
		FromTable:   from,
		FromColumns: fromColumns,
		ToTable:     to,
		ToColumns:   toColumns,
		Type:        ForeignKey,
		Confidence:  1,
		Cardinality: cardinality(!fromTable.unique(fromColumns), !toTable.unique(toColumns)),
		Provenance:  []string{"foreign key"},
	}.canonical()
	// A catalogue lists the keys of one table one after the other.
	for _, other := range slices.Backward(s.Relationships) {
		if other.FromTable != from {
			break
		}
		if other.directedKey() == r.directedKey() {
			return nil
		}
	}
	s.Relationships = append(s.Relationships, r)
	return nil
}

// spelled returns a table, and columns as the table spells them.
func (s *Schema) spelled(table string, columns []string) (Table, []string, error) {
	t, ok := s.Tables[table]
	if !ok {
		return t, nil, refuse(ErrSchema, "no table %q", table)
	}
	out := make([]string, len(columns))
	for i, name := range columns {
		at := slices.Index(t.Columns, name)
		if at < 0 {
			at = slices.IndexFunc(t.Columns, func(column string) bool { return ascii.EqualFold(column, name) })
		}
		if at < 0 {
			var found report
			found.unknown("", name, t.Columns, "no column %q in table %q", name, table)
			return t, nil, found.err()
		}
		out[i] = t.Columns[at]
	}
	return t, out, nil
}

// unique reports whether the columns contain a key of the table.
func (t Table) unique(columns []string) bool {
	contains := func(key []string) bool {
		return len(key) > 0 && !slices.ContainsFunc(key, func(c string) bool { return !slices.Contains(columns, c) })
	}
	return slices.ContainsFunc(columns, func(c string) bool { return slices.Contains(t.UniqueColumns, c) }) ||
		contains(t.PrimaryKey) || slices.ContainsFunc(t.UniqueKeys, contains)
}
