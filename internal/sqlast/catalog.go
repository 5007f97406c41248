package sqlast

// Catalog is what a statement may read. It does not change while a statement is
// resolved.
type Catalog interface {
	// Object answers the table or view that a name in FROM stands for, or why
	// there is none: an error's Code, Name, Candidates and Message.
	Object(schema, name string) (*Object, *Error)

	// Taken reports whether a table or view has the name. A common table
	// expression of that name is printed under another one.
	Taken(name string) bool

	// TablesWith names the tables that have a readable column of this name, as
	// a statement would name them.
	TablesWith(column string) []string

	// Knows reports whether the catalog has heard of a column of this name, in
	// whatever table, readable or not.
	Knows(column string) bool

	// Listed is how many columns a message lists at most.
	MaxListed() int
}

// Resolution is what a resolved query reads and calls.
type Resolution struct {
	Objects []ReadObject // in order of first mention
	Calls   []*Call      // as they were written, in the order of resolving
	Columns []string     // the names of the result's columns, as they were written
}

// ReadObject is an object and those of its columns that a query names.
type ReadObject struct {
	*Object
	named []bool
}

// Named is the columns that the query names, in the catalog's order.
func (o *ReadObject) Named() []string {
	var names []string
	for i, yes := range o.named {
		if yes {
			names = append(names, o.Columns[i])
		}
	}
	return names
}
