package secureview

import (
	"cmp"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
)

// Setup says how the secure views of a [Policy] are made and who reads them: for
// [SQL], which prints it as DDL and grants, and for the check of an account
// (package sqldb). It is for MySQL, MariaDB and PostgreSQL: SQLite has neither
// accounts nor settings of a session.
type Setup struct {
	// Account is who the statements of a model run as: 'agent'@'%' in MySQL, a
	// role's name in PostgreSQL. It may read what the policy lists and nothing
	// else, and does nothing else.
	Account string `json:"account"`

	// Key is what encrypted columns are read with; nil: none is encrypted.
	Key *Key `json:"key,omitempty"`

	// Tables says of tables what their views do. They are named as the policy
	// names them, those of a further schema schema.table. A table of
	// [Policy.Views] that is not here has a view of its columns and no more. In
	// PostgreSQL a table without a view may be here for its Filters: they become
	// row-level security.
	Tables map[string]SecureTable `json:"tables,omitempty"`
}

// Key is a key that the host gives to a session, and that nothing but the views
// reads there.
type Key struct {
	// Setting is what the session has the key in: "aesKey" is @aesKey in MySQL,
	// PostgreSQL's settings have two parts, as "app.key".
	Setting string `json:"setting"`

	// Function is the stored function that answers the key to the views, in
	// MySQL alone, where a view cannot name a variable. [SQL] makes it. Empty
	// means "qed_" and the setting.
	Function string `json:"function,omitempty"`

	// Schema is where the extension pgcrypto is, in PostgreSQL alone. Empty means
	// "public".
	Schema string `json:"schema,omitempty"`
}

// SecureTable is what the view of one table does.
type SecureTable struct {
	// Encrypted names the columns whose values are stored encrypted, and the type
	// that each has once it is read: "text", or a type of the database, such as
	// "DECIMAL(10,2)". A number that is read as text sorts as text.
	//
	// MySQL's views read what AES_ENCRYPT wrote as the server has it by default
	// (block_encryption_mode aes-128-ecb), from a binary column. It cannot tell a
	// wrong key for certain: most values are then NULL, one in some 256 is noise.
	// PostgreSQL's views read what pgp_sym_encrypt wrote, from a bytea; with a wrong
	// key the statement fails.
	Encrypted map[string]string `json:"encrypted,omitempty"`

	// Filters say which rows there are: those that all of them let through.
	Filters []Filter `json:"filters,omitempty"`

	// NoBarrier lets the database look into a view with Filters, and use the
	// indexes of its table for what a statement asks: much faster on large
	// tables. The price is that a statement can find out what hidden rows hold,
	// a bit at a time, from whether it fails: the database may compute something
	// of a row before it hides it. By default no row is seen before its filters
	// let it through; MySQL then copies the rows that they do, for each
	// statement.
	NoBarrier bool `json:"no_barrier,omitempty"`
}

// Filter lets rows through whose column has the value of a session's setting.
// Both are compared as text, letter by letter: 1 is not 1.0 and a is not A. A
// column that is NULL or empty has nobody's value.
//
// In MySQL an index on the column serves a filter without List and Optional. In
// PostgreSQL it does where the column is text, and else an index on its text,
// such as ((tenant_id::text)).
type Filter struct {
	Column  string `json:"column"`
	Setting string `json:"setting"`

	// List says that the setting is a list of values with commas between, and no
	// spaces.
	List bool `json:"list,omitempty"`

	// Optional lets every row through where the setting is NULL. Otherwise a
	// session without the setting sees none. PostgreSQL knows no NULL among
	// settings: an empty text is one, also for an empty List.
	Optional bool `json:"optional,omitempty"`
}

// Settings is the settings of a session that the views and the row-level security
// of the setup read, sorted.
func (s *Setup) Settings() []string {
	var names []string
	if s.Key != nil {
		names = append(names, s.Key.Setting)
	}
	for _, t := range s.Tables {
		for _, f := range t.Filters {
			names = append(names, f.Setting)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Functions is the stored functions that answer settings to the views in MySQL,
// sorted. No account but the views' own may call them.
func (s *Setup) Functions() []string {
	var names []string
	if s.Key != nil {
		names = append(names, s.Key.accessor())
	}
	for _, t := range s.Tables {
		for _, f := range t.Filters {
			names = append(names, accessor(f.Setting))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// accessor is the stored function that answers the key in MySQL.
func (k *Key) accessor() string {
	return cmp.Or(k.Function, accessor(k.Setting))
}

// accessor is the stored function that answers a setting in MySQL.
func accessor(setting string) string { return "qed_" + setting }

// encryption is the type that a column has once it is read, and whether it is
// stored encrypted.
func (t SecureTable) encryption(column string) (as string, encrypted bool) {
	for name, as := range t.Encrypted {
		if ascii.EqualFold(name, column) {
			return as, true
		}
	}
	return "", false
}
