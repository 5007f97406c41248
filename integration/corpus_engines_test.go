package integration_test

import (
	"database/sql"
	"maps"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/mysqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// corpusEngine is an engine on which the corpus runs.
type corpusEngine struct {
	dialect dialect.Dialect
	types   [timestampKind + 1]string

	open func(t *testing.T, name string) corpusPools // creates an empty schema

	// read reads through a pool as an agent does; nil: what it adds is tested
	// elsewhere.
	read func(opt *sqldb.Options, pool *sql.DB) (*sqldb.DB, error)

	schema func(name string) string  // the name of the schema in statements
	folded func(name string) string  // an unquoted name of a table or column, as the engine folds it
	header func(name string) string  // the part of a header that must be the same
	text   func(value string) string // prints a string

	// adapt translates a statement of SQLite to the engine. It works on tokens, and
	// does not use the dialect, which is under test.
	adapt func(c *corpusSchema, text string) string

	// accepted is the minimal share of the statements that the guard must accept, among
	// those that the engine runs.
	accepted float64
}

var corpusEngines = map[string]*corpusEngine{
	"SQLite": {
		dialect: sqlite.Dialect{},
		types: [...]string{
			integerKind: "INTEGER", decimalKind: "NUMERIC", floatKind: "REAL",
			textKind: "TEXT", dateKind: "TEXT", timestampKind: "TEXT",
		},
		open:     openSQLiteSchema,
		schema:   func(string) string { return "main" },
		folded:   asItIs,
		header:   ascii.Lower, // a bare column has the case of its declaration, an alias its own
		text:     singleQuoted,
		adapt:    func(_ *corpusSchema, text string) string { return text },
		accepted: 1,
	},
	"MariaDB": mysqlEngine(func(tb testing.TB) *driver.Config {
		config := integration.MariaDB(tb)
		// Closing the connection of a statement does not end it.
		config.Params = map[string]string{"max_statement_time": "15"}
		return config
	}),
	"MySQL": mysqlEngine(integration.MySQL),
	"PostgreSQL": {
		dialect: postgres.Dialect{},
		types: [...]string{
			integerKind: "bigint", decimalKind: "numeric(14,2)", floatKind: "double precision",
			textKind: "text", dateKind: "date", timestampKind: "timestamp",
		},
		open: openPostgreSQLSchema,
		read: func(opt *sqldb.Options, pool *sql.DB) (*sqldb.DB, error) {
			return postgresdb.New(pool, &postgresdb.Options{Options: *opt})
		},
		schema:   asItIs,
		folded:   ascii.Lower,
		header:   asItIs,
		text:     singleQuoted,
		adapt:    forPostgreSQL,
		accepted: 0.99,
	},
}

// mysqlEngine is MariaDB or MySQL.
func mysqlEngine(server func(testing.TB) *driver.Config) *corpusEngine {
	return &corpusEngine{
		dialect: mysql.Dialect{},
		types: [...]string{
			integerKind: "BIGINT", decimalKind: "DECIMAL(14,2)", floatKind: "DOUBLE",
			textKind: "VARCHAR(80)", dateKind: "DATE", timestampKind: "DATETIME",
		},
		open: func(t *testing.T, name string) corpusPools { return openMySQLSchema(t, server(t), name) },
		read: func(opt *sqldb.Options, pool *sql.DB) (*sqldb.DB, error) {
			return mysqldb.New(pool, &mysqldb.Options{Options: *opt})
		},
		schema:   asItIs,
		folded:   asItIs,
		header:   asItIs,
		text:     func(value string) string { return singleQuoted(strings.ReplaceAll(value, `\`, `\\`)) },
		adapt:    func(_ *corpusSchema, text string) string { return text },
		accepted: 0.999,
	}
}

// corpusPools are pools of connections to a schema.
type corpusPools struct {
	originals []*sql.DB // an original runs on the first pool that accepts it
	rewritten *sql.DB
	agent     *sql.DB // for corpusEngine.read
}

func asItIs(name string) string { return name }

func singleQuoted(value string) string { return "'" + strings.ReplaceAll(value, "'", "''") + "'" }

func openSQLiteSchema(t *testing.T, _ string) corpusPools {
	t.Helper()
	db := openSQLite(t)
	return corpusPools{originals: []*sql.DB{db}, rewritten: db}
}

// openMySQLSchema runs an original in the default sql_mode, and then in one that
// accepts more of them: COUNT (x) is a call. Rewritten statements run on the connection
// of most originals, because another one can order ties differently.
func openMySQLSchema(t *testing.T, config *driver.Config, name string) corpusPools {
	t.Helper()
	db := openSchema(t, config, name)
	params := maps.Clone(config.Params)
	config.Params = map[string]string{"sql_mode": "CONCAT(@@sql_mode, ',IGNORE_SPACE')"}
	maps.Copy(config.Params, params)
	lenient := connect(t, config)
	config.Params = nil
	return corpusPools{originals: []*sql.DB{db, lenient}, rewritten: db, agent: connect(t, config)}
}

// openPostgreSQLSchema has the schema in the search path of originals only. Rewritten
// statements qualify their tables.
func openPostgreSQLSchema(t *testing.T, name string) corpusPools {
	t.Helper()
	open := func(path string) *sql.DB {
		config := integration.PostgreSQL(t)
		config.RuntimeParams["search_path"] = path
		config.DefaultQueryExecMode = pgx.QueryExecModeExec
		db := stdlib.OpenDB(*config)
		t.Cleanup(func() { db.Close() })
		return db
	}
	db := open(name)
	mustExec(t, db, "CREATE SCHEMA "+name)
	t.Cleanup(func() { db.Exec("DROP SCHEMA " + name + " CASCADE") })
	return corpusPools{originals: []*sql.DB{db}, rewritten: open("pg_catalog"), agent: open(name)}
}

// forPostgreSQL puts the strings of SQLite in single quotes, and quoted names in lower
// case, which tables and columns have. It quotes the names of tables, because PostgreSQL
// reserves some of them, such as user.
func forPostgreSQL(c *corpusSchema, text string) string {
	q, err := c.read(text)
	if err != nil {
		return text
	}
	replaced := map[int]string{}
	sqlast.Walk(q, func(n sqlast.Node) bool {
		switch n := n.(type) {
		case *sqlast.String:
			replaced[int(n.Pos)] = singleQuoted(n.Value)
		case *sqlast.Table:
			replaced[int(n.Pos)] = `"` + ascii.Lower(n.Name) + `"`
		}
		return true
	})
	var b strings.Builder
	for i := 0; i < len(text); {
		end := tokenEnd(text, i)
		token := text[i:end]
		switch {
		case replaced[i] != "":
			token = replaced[i]
		case token[0] == '"':
			token = ascii.Lower(token)
		}
		b.WriteString(token)
		i = end
	}
	return b.String()
}

// tokenEnd returns the end of the name or quoted text that begins at i, else i+1.
func tokenEnd(text string, i int) int {
	isName := func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= ascii.LowerByte(c) && ascii.LowerByte(c) <= 'z'
	}
	end := i + 1
	switch quote := text[i]; {
	case quote == '"' || quote == '\'':
		for end < len(text) {
			if text[end] != quote {
				end++
			} else if end++; end < len(text) && text[end] == quote {
				end++
			} else {
				break
			}
		}
	case isName(quote):
		for end < len(text) && isName(text[end]) {
			end++
		}
	}
	return end
}
