package sqlast

// A Catalog lists what a statement may read. It does not change while a statement
// is resolved.
type Catalog interface {
	// Object returns the table or view that a name in FROM means. If there is none,
	// it returns an error with Code, Name, Candidates and Message.
	Object(schema, name string) (*Object, *Error)

	// Taken reports whether a table or view has the name. A common table expression
	// with a taken name is renamed.
	Taken(name string) bool

	// TablesWith returns the tables that have a readable column with this name, in
	// the notation of a statement.
	TablesWith(column string) []string

	// MeansString reports whether a double-quoted name that no column in scope has
	// is a string, as in SQLite. It never is if any table of the catalog has a
	// column with this name, readable or not.
	MeansString(name string) bool

	// MaxListed returns the largest number of columns that a message lists.
	MaxListed() int
}

// A Resolution is what a resolved query reads and calls.
type Resolution struct {
	Objects []ReadObject // in the order of first mention
	Calls   []*Call      // as they were written, in the order of resolving
	Columns []string     // the names of the result's columns, as they were written

	// Merged has, for each column of USING that the query names without a table, the
	// columns of objects that it merges. PostgreSQL gives it their common type, and it
	// is printed as one of them.
	Merged [][]ReadColumn

	// Fields are the fields of columns of composite types in PostgreSQL. A field that the
	// type does not have is NULL in the printed statement.
	Fields []ReadField

	Tables int  // the names and subqueries in FROM, of the whole query
	Plain  bool // no WITH, no subquery or function in FROM, no ROLLUP, CUBE or GROUPING SETS
}

// A ReadColumn is a column of an object.
type ReadColumn struct {
	*Object
	Column string
}

// A ReadField is a field of a column of an object.
type ReadField struct {
	ReadColumn
	Field string
}

// A ReadObject is an object and the columns of it that a query names.
type ReadObject struct {
	*Object
	named []bool
}

// Named returns the columns that the query names, in the order of the catalog.
func (o *ReadObject) Named() []string {
	var names []string
	for i, yes := range o.named {
		if yes {
			names = append(names, o.Columns[i])
		}
	}
	return names
}
