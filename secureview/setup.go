package secureview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
)

// FunctionPrefix is the prefix of the stored functions that return settings to the views
// in MySQL, where a view cannot refer to a variable. The setting's name follows it.
const FunctionPrefix = "qed_"

// A Setup describes how the secure views of a [Policy] are created and which
// account reads them. It is data for other packages: package provision prints it
// as views, grants and row-level security, and package sqldb compares it with what
// an account may do. It works with MySQL, MariaDB and PostgreSQL. SQLite has
// neither accounts nor session settings.
type Setup struct {
	// Account is the account that executes the statements: 'agent'@'%' in MySQL,
	// the name of a role in PostgreSQL. It may read what the policy lists, and do
	// nothing else.
	Account string `json:"account"`

	// Key is the key of encrypted columns. Nil means that no column is encrypted.
	Key *Key `json:"key,omitempty"`

	// Tables describes the views, by the names that the policy uses; a table of a
	// further schema is named schema.table. A table of [Policy.Views] that is not
	// listed here has a view that only selects its columns. In PostgreSQL a table
	// without a view may be listed with Filters, which become row-level security.
	Tables map[string]TableSetup `json:"tables,omitempty"`
}

// A Key is an encryption key that the host sets in a session and only the views
// read.
type Key struct {
	// Setting is the name of the session setting that holds the key. In MySQL
	// "aesKey" is the user variable @aesKey. In PostgreSQL a setting has two parts,
	// such as "app.key".
	Setting string `json:"setting"`

	// Schema is the schema of the extension pgcrypto in PostgreSQL. Empty means
	// "public". MySQL does not use it.
	Schema string `json:"schema,omitempty"`
}

// A TableSetup describes the view of one table, or the row-level security of a
// table without a view.
type TableSetup struct {
	// Encrypted maps encrypted columns to the types of their decrypted values:
	// "text", or a type of the database such as "DECIMAL(10,2)". Numbers that are
	// read as text sort as text.
	//
	// Views in MySQL decrypt what AES_ENCRYPT wrote into a binary column with the
	// server's default block_encryption_mode, aes-128-ecb. MySQL detects a wrong
	// key for most values, which are then NULL; about one in 256 is random bytes.
	// Views in PostgreSQL decrypt what pgp_sym_encrypt wrote into a bytea column.
	// With a wrong key the statement fails.
	Encrypted map[string]string `json:"encrypted,omitempty"`

	// Filters select the visible rows: those that pass all of them. [Policy.Filters] is the
	// form for conditions that statements apply too, where there is no view.
	Filters []Filter `json:"filters,omitempty"`
}

// A Filter passes rows whose column equals a session setting. Both are compared as
// text, byte by byte: 1 is not 1.0, and a is not A. A row whose column is NULL or
// empty does not pass.
//
// In MySQL a filter without List and Optional uses an index on the column. In
// PostgreSQL it does so if the column has type text; for other types create an
// index on the text, such as ((tenant_id::text)).
type Filter struct {
	Column  string `json:"column"`
	Setting string `json:"setting"`

	// List means that the setting is a list of values, separated by commas without
	// spaces.
	List bool `json:"list,omitempty"`

	// Optional passes every row if the setting is NULL. Without it a session that
	// lacks the setting sees no rows. PostgreSQL has no NULL settings: an empty
	// text is treated as NULL, also for a List.
	Optional bool `json:"optional,omitempty"`
}

// Settings returns the names of the session settings that the views and the
// row-level security read, sorted.
func (s *Setup) Settings() []string {
	var names []string
	if s.Key != nil {
		names = append(names, s.Key.Setting)
	}
	for _, t := range s.Tables {
		names = append(names, lists.Map(t.Filters, func(f Filter) string { return f.Setting })...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Functions returns the names of the stored functions that return settings to the
// views in MySQL, sorted. Only the owner of the views may call them.
func (s *Setup) Functions() []string {
	names := lists.Map(s.Settings(), functionOf)
	slices.Sort(names)
	return slices.Compact(names)
}

// functionOf returns the name of the stored function that returns a setting to the
// views in MySQL.
func functionOf(setting string) string { return FunctionPrefix + setting }

// postgresSecretFunctions return or change settings, execute a text that could do
// so, or show statements of other sessions.
var postgresSecretFunctions = []string{
	"current_setting", "set_config",
	"query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "ts_rewrite", "ts_stat",
	"pg_stat_get_activity", "pg_stat_get_backend_activity",
}

// systemSchemas are the schemas that a server has by itself, by dialect, in lower
// case. They show what sessions execute and set.
var systemSchemas = map[string][]string{
	"mysql":    {"information_schema", "mysql", "performance_schema", "sys"},
	"postgres": {"information_schema", "pg_catalog"},
}

// secretFunctions returns the functions that no statement may call if there is a setup.
func (p *Policy) secretFunctions(dialect string) []string {
	if p.Setup != nil && dialect == "postgres" {
		return postgresSecretFunctions
	}
	return p.SettingFunctions()
}

// checkSetup checks that no statement can read the settings of a session. Package
// provision checks everything else of a setup.
func (c *catalog) checkSetup(p *Policy, dialect string) error {
	system, ok := systemSchemas[dialect]
	if !ok {
		return invalid("setup",
			"is for mysql and postgres: %s has no accounts and no session settings",
			cmp.Or(dialect, "another dialect"))
	}
	for _, o := range c.objects {
		if !slices.Contains(system, ascii.Lower(o.Schema)) {
			continue
		}
		entry := "schema"
		if o.Schema != c.schema {
			entry = fmt.Sprintf("schemas[%q]", o.Schema)
		}
		return invalid(entry,
			"is %q, which shows the settings of sessions, keys included: a policy with a setup cannot list it",
			o.Schema)
	}
	secret := lists.Set(p.secretFunctions(dialect), ascii.Lower)
	for i, name := range p.Functions {
		if secret[ascii.Lower(name)] {
			return invalid(fmt.Sprintf("functions[%d]", i),
				"is %s(): a statement that calls it could read or change settings of the session, such as its key",
				name)
		}
	}
	return nil
}
