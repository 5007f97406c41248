package fieldservice

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// engine describes a database engine. schema.sql is written for SQLite; translate makes
// the statements of the other engines from it.
type engine struct {
	count      string            // counts the objects in the database
	ddlCommits bool              // CREATE TABLE commits the transaction
	types      map[string]string // nil: the schema is not translated
	table      string            // text after a table's definition
	quotes     string            // around a name
	mark       func(n int) string
}

var engines = map[string]*engine{
	"sqlite": {
		count:  "SELECT count(*) FROM sqlite_schema",
		quotes: `"`,
		mark:   func(int) string { return "?" },
	},
	// All engines compare text byte by byte, as SQLite does: Malmo is not Malmö.
	"mysql": {
		count:      "SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE()",
		ddlCommits: true,
		types:      map[string]string{"TEXT": "VARCHAR(255)"}, // a key cannot be TEXT
		table:      " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
		quotes:     "`",
		mark:       func(int) string { return "?" },
	},
	"postgres": {
		count: "SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace" +
			" WHERE n.nspname = current_schema()",
		// A boolean does not compare with 1.
		types:  map[string]string{"TEXT": `TEXT COLLATE "C"`, "BOOLEAN": "SMALLINT", "DATETIME": "TIMESTAMP"},
		quotes: `"`,
		mark:   func(n int) string { return fmt.Sprintf("$%d", n) },
	},
}

func (e *engine) quote(name string) string { return e.quotes + name + e.quotes }

var (
	comment = regexp.MustCompile(`--[^\n]*`)
	// word is a text, a quoted name, or a word. A word in capitals is SQL, any other
	// a name.
	word       = regexp.MustCompile(`'[^']*'|"\w+"|[A-Za-z]\w*`)
	capitals   = regexp.MustCompile(`^[A-Z]+$`)
	reference  = regexp.MustCompile(`(?m)^\s*(\S+) (.*?) (REFERENCES \S+ \(\w+\))`)
	definition = regexp.MustCompile(`(?m)^CREATE (TABLE|VIEW) "?(\w+)"?`)
)

// translate returns the statements that create an SQLite schema on the engine.
func (e *engine) translate(schema string) []string {
	if e.types == nil {
		return []string{schema}
	}
	var statements []string
	for text := range strings.SplitSeq(comment.ReplaceAllString(schema, ""), ";") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		after := ""
		if strings.HasPrefix(text, "CREATE TABLE") {
			text, after = declareKeys(text), e.table
		}
		statements = append(statements, word.ReplaceAllStringFunc(text, e.word)+after)
	}
	return statements
}

// declareKeys moves the references of columns to the end of a table, because MySQL
// ignores them in a column.
func declareKeys(table string) string {
	var keys strings.Builder
	table = reference.ReplaceAllStringFunc(table, func(column string) string {
		parts := reference.FindStringSubmatch(column)
		if parts[1] == "FOREIGN" {
			return column
		}
		fmt.Fprintf(&keys, ",\n  FOREIGN KEY (%s) %s", parts[1], parts[3])
		return strings.TrimSuffix(column, " "+parts[3])
	})
	return strings.TrimSuffix(table, "\n)") + keys.String() + "\n)"
}

func (e *engine) word(w string) string {
	if other, ok := e.types[w]; ok {
		return other
	}
	if w[0] == '\'' || capitals.MatchString(w) {
		return w
	}
	return e.quote(strings.Trim(w, `"`))
}

// dropAll returns the statements that drop the objects of a schema, last first.
func (e *engine) dropAll(schema string) []string {
	var statements []string
	for _, made := range definition.FindAllStringSubmatch(schema, -1) {
		statements = append(statements, "DROP "+made[1]+" IF EXISTS "+e.quote(made[2]))
	}
	slices.Reverse(statements)
	return statements
}
