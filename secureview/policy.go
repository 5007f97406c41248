package secureview

import (
	"maps"
	"slices"

	"github.com/qedkit/qed/secureview/dialect"
)

// DefaultRowLimit is the row limit of a [Policy] whose RowLimit is 0.
const DefaultRowLimit = 1000

// DefaultViewPrefix is the prefix of secure views of a [Policy] whose ViewPrefix
// is empty.
const DefaultViewPrefix = "secure_"

// defaultColumnsInMessages is what a ColumnsInMessages of 0 means.
const defaultColumnsInMessages = 100

// A Policy lists what statements may read. [ReadPolicy] reads its JSON form.
//
// Names are compared without the case of ASCII letters, and printed as the policy
// spells them: spell them as the database does.
type Policy struct {
	// Dialect is the name of the SQL dialect: "sqlite", "mysql" (also for MariaDB)
	// "postgres" or "duckdb". If it is set, it must be the dialect of the [Guard].
	Dialect string `json:"dialect"`

	// Schema is the schema of Tables, and the only schema of unqualified names. In
	// MySQL it is the name of the database. Empty means "main" in SQLite. Other
	// dialects require it, because every table is printed with its schema.
	Schema string `json:"schema,omitempty"`

	// Tables lists the columns that may be read, by table or view. Everything else
	// in the database does not exist for a statement, and * stands for the listed
	// columns.
	Tables map[string][]string `json:"tables"`

	// Views maps tables to the secure views that are read instead of them. Tables
	// lists the table, or its view, or both. If it lists the view, the view's
	// columns may be read, otherwise the table's.
	//
	// A view that hides rows belongs here. SQLite evaluates the conditions of a view
	// and of a statement in any order, and an error in a condition of the statement
	// could then depend on hidden rows: where that is possible, statements read the
	// view as (SELECT .. FROM view LIMIT -1), which prevents it and costs the use of
	// indexes. For a view that is only in Tables, end its own query with LIMIT -1. A
	// view of PostgreSQL needs security_barrier for the same reason.
	Views map[string]string `json:"views,omitempty"`

	// Filters are conditions by which the rows of tables are filtered, such as
	//
	//	"orders": "customer_id IN (:customers) AND status <> 'hidden'"
	//
	// A statement reads such a table as (SELECT .. FROM orders WHERE .. ) AS orders,
	// wherever it names it, so that no views are needed. With a [Setup] package provision
	// puts the same condition into the view of the table, which statements then read, or
	// into row-level security.
	//
	// A condition has columns of the table, listed or not, which are compared with literals
	// or other columns by = <> < <= > >= IN and IS NULL, AND, OR, NOT, and parameters, which
	// are compared by = <> and IN. The value of :customers is the setting of this name of
	// the session (sqldb.Session): in IN, a list with commas and no spaces; otherwise one
	// value. Values and columns are compared as text, byte by byte: 1 is not 1.0, and a is
	// not A. Without the setting a statement fails. An empty one is the value of no row, also
	// under NOT. In PostgreSQL with a Setup, names have two parts: :app.customers.
	//
	// The condition is a barrier as in Views: no engine evaluates anything of the statement
	// on rows that it hides, so that a statement cannot find out about them by its errors.
	// The price is that conditions of the statement use no index of the table; those of the
	// filter do. SQLite needs no barrier for statements that only compare, add and count.
	Filters map[string]string `json:"filters,omitempty"`

	// Schemas declares further schemas; in MySQL, databases. Their tables must be
	// qualified, as in crm.customer, and all else that names a table calls it so too.
	Schemas map[string]Schema `json:"schemas,omitempty"`

	// Functions are functions of the database that statements may call, in
	// addition to those that the dialect knows to be safe. Names have no schema and
	// are compared without case. The guard does not check what such a function
	// does: if it sets a session variable or takes a lock, the next user of the
	// session sees that. A function that repeats its argument as often as another one
	// says (repeat, zeroblob, randomblob) needs a literal number there. The result of a
	// function that the dialect does not know is taken for as long as its arguments and
	// a text of 64 KB together. With "match", statements for MySQL and MariaDB may also
	// read the relevance of a full-text search, which counts the rows that a view hides.
	Functions []string `json:"functions,omitempty"`

	// RowLimit is the largest number of rows that a statement returns. 0 means
	// [DefaultRowLimit].
	RowLimit int `json:"row_limit,omitempty"`

	// ColumnsInMessages is the largest number of columns that the message about an
	// unknown column lists. 0 means 100.
	ColumnsInMessages int `json:"columns_in_messages,omitempty"`

	// ViewPrefix is the prefix of secure views. A name that has it and is not
	// listed is refused with [ErrUnknownView], as an invented view. Empty means
	// [DefaultViewPrefix].
	ViewPrefix string `json:"view_prefix,omitempty"`

	// DoubleQuotedStrings lets statements of SQLite write strings in double quotes.
	// SQLite reads "x" as a string if no column has that name, so a misspelled
	// column becomes a constant. By default such a name is refused with
	// [ErrUnknownColumn]; strings in single quotes are always accepted. The name of
	// a column that the policy lists anywhere is never a string.
	DoubleQuotedStrings bool `json:"double_quoted_strings,omitempty"`

	// Setup describes how the secure views are created and who reads them. Package
	// provision turns it into SQL, and package sqldb checks the account with it.
	// It may be nil.
	Setup *Setup `json:"setup,omitempty"`
}

// A Schema is a further schema of a [Policy]. Its fields mean the same as those of
// Policy.
type Schema struct {
	Tables map[string][]string `json:"tables"`
	Views  map[string]string   `json:"views,omitempty"`

	Filters map[string]string `json:"filters,omitempty"`
}

// SchemaNames returns Schema and the names of Schemas, in this order.
func (p *Policy) SchemaNames() []string {
	return append([]string{p.Schema}, slices.Sorted(maps.Keys(p.Schemas))...)
}

// A Table is a table that a policy lets statements read.
type Table struct {
	dialect.TableName          // the name that the policy and the model use
	Columns           []string // the columns that may be read
	View              string   // the secure view that is read instead; empty: the table itself
	Filter            string   // the condition of its rows in [Policy.Filters]; empty: none
	FilterColumns     []string // what the Filter of a table without a view compares, listed or not
}

// ReadableTables checks the policy and returns the tables that statements may read,
// sorted by schema and name. If the policy contradicts itself, ReadableTables returns
// the [refusal.Error] that [New] returns.
func (p *Policy) ReadableTables() ([]Table, error) {
	c, err := newCatalog(p, p.Dialect)
	if err != nil {
		return nil, err
	}
	return c.tables(), nil
}
