package keyset

import (
	"errors"

	"github.com/qedkit/qed/joinpath"
)

// Tables are the tables of one or more schemas of a database. The schema that they are
// added to has the name of the first one, whose tables have bare names. The name of any
// other table begins with its schema.
type Tables struct {
	Into *joinpath.Schema
	Fold func(name string) string // the form in which the server compares names

	names map[[2]string]string
}

// NewTables returns no tables, of a database whose default schema has a name.
func NewTables(schema string, fold func(string) string) *Tables {
	return &Tables{
		Into:  &joinpath.Schema{Version: joinpath.Version, Name: schema, Tables: map[string]joinpath.Table{}},
		Fold:  fold,
		names: map[[2]string]string{},
	}
}

// NameOf returns the name that a table has, or would have.
func (t *Tables) NameOf(schema, table string) string {
	if t.Fold(schema) == t.Fold(t.Into.Name) {
		return table
	}
	return schema + "." + table
}

// Add adds a table of a schema. The error says why the table cannot be used.
func (t *Tables) Add(schema, table string, about joinpath.Table) error {
	name := t.NameOf(schema, table)
	if _, taken := t.Into.Tables[name]; taken {
		return errors.New("another table has the same name, written with its schema and a dot")
	}
	if name != table {
		about.Schema = schema
	}
	t.Into.Tables[name] = about
	t.names[[2]string{t.Fold(schema), t.Fold(table)}] = name
	return nil
}

// AddColumn adds a column to a table that was added. Its type and its comment may be empty.
func (t *Tables) AddColumn(table, column, columnType, comment string, notNull bool) {
	about, ok := t.Into.Tables[table]
	if !ok {
		return
	}
	about.Columns = append(about.Columns, column)
	if notNull {
		about.NotNull = append(about.NotNull, column)
	}
	set(&about.Types, column, columnType)
	set(&about.ColumnComments, column, comment)
	t.Into.Tables[table] = about
}

func set(texts *map[string]string, column, text string) {
	if text == "" {
		return
	}
	if *texts == nil {
		*texts = map[string]string{}
	}
	(*texts)[column] = text
}

// AddKey adds a primary or another unique key to a table that has its columns.
func (t *Tables) AddKey(table string, columns []string, primary bool) {
	about, ok := t.Into.Tables[table]
	if !ok || len(columns) == 0 || !Contains(about.Columns, columns) {
		return
	}
	if primary {
		about.PrimaryKey = columns
	}
	Add(&about, columns)
	t.Into.Tables[table] = about
}

// Name returns the name of a table that was added and not removed, and otherwise "".
func (t *Tables) Name(schema, table string) string {
	name := t.names[[2]string{t.Fold(schema), t.Fold(table)}]
	if _, ok := t.Into.Tables[name]; !ok {
		return ""
	}
	return name
}
