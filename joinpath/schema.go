package joinpath

import "slices"

// Version is the version of the JSON form that this package reads and writes.
const Version = 1

// Schema is the tables of a database and the relationships between them.
//
// The zero Schema is empty and ready to be filled. A Version of 0 stands for
// [Version]. A Schema is plain data: it is safe for concurrent use as long as
// nobody writes to it.
type Schema struct {
	Version       int              `json:"version"`
	Tables        map[string]Table `json:"tables"`
	Relationships []Relationship   `json:"relationships"`
}

// Table describes one table or view. Only Columns is required.
type Table struct {
	Columns []string `json:"columns"`

	// UniqueColumns are the columns that identify a row each by itself.
	UniqueColumns []string `json:"unique_columns,omitempty"`
	// UniqueKeys are the groups of columns that identify a row together.
	UniqueKeys [][]string `json:"unique_keys,omitempty"`
	// PrimaryKey is the primary key, in key order. It counts as a unique key.
	PrimaryKey []string `json:"primary_key,omitempty"`

	// Types maps columns to their types, as the engine writes them.
	Types map[string]string `json:"types,omitempty"`

	Comment        string            `json:"comment,omitempty"`
	ColumnComments map[string]string `json:"column_comments,omitempty"`

	// Rows and Bytes are how large the table is, as far as the engine knows
	// without counting; 0: not known.
	Rows  int64 `json:"rows,omitempty"`
	Bytes int64 `json:"bytes,omitempty"`

	// View says that the table is a view.
	View bool `json:"view,omitempty"`
}

// Kinds of relationship. [Relationship.Type] takes other words too.
const (
	ForeignKey  = "foreign_key" // declared in the database
	Association = "association" // declared in an application's models
	Inferred    = "inferred"    // guessed from names or data
	Manual      = "manual"      // written by a person
)

// Relationship says that two tables can be joined where the columns on one side
// equal those on the other.
//
// A relationship of one column a side uses FromColumn and ToColumn alone. A
// composite one lists all its columns in FromColumns and ToColumns, in matching
// order; FromColumn and ToColumn are then empty or name the first of each.
type Relationship struct {
	FromTable  string `json:"from_table"`
	FromColumn string `json:"from_column"`
	ToTable    string `json:"to_table"`
	ToColumn   string `json:"to_column"`

	// FromColumns and ToColumns are the columns of a composite key.
	FromColumns []string `json:"from_columns,omitempty"`
	ToColumns   []string `json:"to_columns,omitempty"`

	// Type is the kind of relationship, such as [ForeignKey].
	Type string `json:"type,omitempty"`
	// Confidence is how sure the relationship is, from 0 to 1. At 0 it is
	// switched off, whatever [Options.MinConfidence] says.
	Confidence float64 `json:"confidence"`
	// Cardinality is read from the from side to the to side. Where it is
	// empty, [New] derives it from the unique keys of both tables; a side
	// without one counts as many.
	Cardinality Cardinality `json:"cardinality,omitempty"`
	// Provenance names the sources that this relationship comes from, such as
	// a file or a catalogue, in the order in which they were merged.
	Provenance []string `json:"provenance,omitempty"`
}

// Columns returns the columns of both sides, in matching order. A relationship
// that is not composite gives slices of one column.
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
	return r
}

// Cardinality is how many rows of one side belong to one row of the other. The
// empty Cardinality means that it is not known.
type Cardinality string

// The cardinalities, read from left to right: with [ManyToOne], many rows of
// the left table belong to one row of the right.
const (
	ManyToOne  Cardinality = "N:1"
	OneToMany  Cardinality = "1:N"
	OneToOne   Cardinality = "1:1"
	ManyToMany Cardinality = "N:M"
)

// Reversed returns the cardinality read from right to left.
func (c Cardinality) Reversed() Cardinality {
	switch c {
	case ManyToOne:
		return OneToMany
	case OneToMany:
		return ManyToOne
	}
	return c
}

// FansOut reports whether a row on the left can meet several on the right, so
// that a join from left to right multiplies rows. An unknown cardinality does.
func (c Cardinality) FansOut() bool {
	return c != ManyToOne && c != OneToOne
}

func (c Cardinality) valid() bool {
	switch c {
	case "", ManyToOne, OneToMany, OneToOne, ManyToMany:
		return true
	}
	return false
}

func cardinality(manyLeft, manyRight bool) Cardinality {
	switch {
	case manyLeft && manyRight:
		return ManyToMany
	case manyLeft:
		return ManyToOne
	case manyRight:
		return OneToMany
	}
	return OneToOne
}
