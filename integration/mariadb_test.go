package integration_test

import (
	"database/sql"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	driver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/dialect/mysql"
	"github.com/qedkit/qed/integration"
)

// openMariaDB makes an empty database and returns it. sqlMode is set on every
// connection unless it is empty.
func openMariaDB(t *testing.T, name, sqlMode string) *sql.DB {
	t.Helper()
	config := integration.MariaDB(t)
	admin := connect(t, config)
	mustExec(t, admin, "CREATE DATABASE "+mysql.Dialect{}.Quote(name)+" CHARACTER SET utf8mb4")
	t.Cleanup(func() { admin.Exec("DROP DATABASE " + mysql.Dialect{}.Quote(name)) })
	config.DBName = name
	if sqlMode != "" {
		config.Params = map[string]string{"sql_mode": "'" + sqlMode + "'"}
	}
	return connect(t, config)
}

func connect(t *testing.T, config *driver.Config) *sql.DB {
	t.Helper()
	connector, err := driver.NewConnector(config)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	t.Cleanup(func() { db.Close() })
	return db
}

// mariaDBType guesses a column's type, which the corpora do not tell, from its
// name; the rest is spread evenly.
func mariaDBType(column string) string {
	lower := strings.ToLower(column)
	switch {
	case strings.Contains(lower, "date"):
		return "DATE"
	case strings.Contains(lower, "time"):
		return "DATETIME"
	case strings.HasSuffix(lower, "id"), strings.Contains(lower, "number"), strings.Contains(lower, "year"), strings.Contains(lower, "age"):
		return "INT"
	case strings.Contains(lower, "name"), strings.Contains(lower, "code"), strings.Contains(lower, "type"):
		return "VARCHAR(80)"
	}
	h := fnv.New32()
	h.Write([]byte(lower))
	return []string{"INT", "VARCHAR(80)", "DECIMAL(14,2)", "DOUBLE"}[h.Sum32()%4]
}

// fillMariaDB makes the tables of a corpus and gives them rows, whose values come
// from a small pool and from the literals of the statements.
func fillMariaDB(t *testing.T, db *sql.DB, c *sqliteCorpus, rng *rand.Rand) {
	t.Helper()
	var d mysql.Dialect
	words := []string{"a", "A", "b", "Zoë", "it's", `back\slash`, "1"}
	numbers := []string{"0", "1", "2", "3", "-4", "2.5"}
	dates := []string{"2001-02-03", "2020-12-31", "1999-01-01"}
	for _, s := range c.statements {
		for _, l := range literal.FindAllString(s, -1) {
			text := strings.Trim(l, `'"`)
			if _, err := strconv.ParseInt(text, 10, 31); err == nil {
				numbers = append(numbers, text)
			} else if len(text) <= 80 {
				words = append(words, text)
			}
		}
	}
	for _, table := range sorted(c.tables) {
		columns := c.tables[table]
		defs, marks := make([]string, len(columns)), make([]string, len(columns))
		for i, column := range columns {
			defs[i], marks[i] = d.Quote(column)+" "+mariaDBType(column), "?"
		}
		mustExec(t, db, "CREATE TABLE "+d.Quote(table)+" ("+strings.Join(defs, ", ")+") ENGINE=MEMORY")
		const rows = 12
		var values []any
		for range rows {
			for _, column := range columns {
				values = append(values, mariaDBValue(rng, mariaDBType(column), words, numbers, dates))
			}
		}
		row := "(" + strings.Join(marks, ", ") + ")"
		mustExec(t, db, "INSERT INTO "+d.Quote(table)+" VALUES "+row+strings.Repeat(", "+row, rows-1), values...)
	}
}

func mariaDBValue(rng *rand.Rand, kind string, words, numbers, dates []string) any {
	pick := func(list []string) any { return list[rng.IntN(len(list))] }
	switch {
	case rng.IntN(10) == 0:
		return nil
	case strings.HasPrefix(kind, "VARCHAR"):
		return pick(words)
	case strings.HasPrefix(kind, "DATE"):
		return pick(dates)
	case kind == "INT" && rng.IntN(2) == 0:
		return rng.IntN(4)
	}
	return pick(numbers)
}

// sameAnswer compares what an original answered with what the printed text does.
// Where ties leave an order open the engine answers now this, now that: then one
// answer of several must agree.
func sameAnswer(db *sql.DB, text, printed string, want result) error {
	var got result
	for range 20 {
		var err error
		if got, err = run(db, printed); err != nil {
			return fmt.Errorf("%s\nprinted as %s: %w", text, printed, err)
		}
		if reflect.DeepEqual(got, want) {
			return nil
		}
		if want, err = run(db, text); err != nil {
			return err
		}
	}
	return fmt.Errorf("%s: %s\nprinted as %s: %s", text, want, printed, got)
}

// TestMariaDBCorpus: what was printed answers what the original answers, under
// the same headers, for every gold statement that the engine runs.
func TestMariaDBCorpus(t *testing.T) {
	var d mysql.Dialect
	var same, filled, refused, failed int
	n := 0
	for name, corpus := range sqliteCorpora(t) {
		n++
		db := openMariaDB(t, fmt.Sprintf("corpus_%d", n), "")
		fillMariaDB(t, db, corpus, rand.New(rand.NewPCG(3, uint64(len(name)))))
		for _, text := range corpus.statements {
			want, err := run(db, text)
			if err != nil {
				failed++
				continue
			}
			q, err := d.Read(text)
			if err != nil {
				refused++
				t.Errorf("%s: %s is refused, and the engine runs it: %v", name, text, err)
				continue
			}
			printed, err := d.Append(nil, q, false)
			if err != nil {
				t.Errorf("%s: %s: %v", name, text, err)
				continue
			}
			if err := sameAnswer(db, text, string(printed), want); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			same++
			if len(want.Rows) > 0 {
				filled++
			}
		}
		db.Close()
	}
	t.Logf("%d statements answer the same, %d of them with rows; %d do not run on the engine; %d refused", same, filled, failed, refused)
}
