package integration_test

import (
	"database/sql"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// TestCorpus runs gold statements on every engine, where the engine accepts them. The
// guard refuses hardly any, and a rewritten statement returns the rows of the original.
// The second reader on the server accepts all rewritten statements. Every second schema
// is read through secure views.
func TestCorpus(t *testing.T) {
	schemas := corpusSchemas(t)
	for _, name := range slices.Sorted(maps.Keys(corpusEngines)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := corpusEngines[name]
			var total corpusCount
			for _, c := range schemas {
				t.Run(c.name, func(t *testing.T) { total.add(e.ask(t, c)) })
			}
			t.Logf("of %d statements the engine runs %d, %d of them with rows; of these the guard refuses %d (it accepts %.2f %%); %d answers are the same but for an order left open",
				total.asked, total.run, total.filled, total.refused, 100*total.accepted(), total.tied)
			if total.accepted() < e.accepted {
				t.Errorf("the guard refuses %d of %d statements that the engine runs", total.refused, total.run)
			}
			if total.tied > total.run/100 {
				t.Errorf("%d of %d answers are in another order", total.tied, total.run)
			}
			if total.run < total.asked*9/10 || total.filled < total.run*7/10 {
				t.Errorf("the schemas do not suit the statements: of %d run %d, %d of them with rows", total.asked, total.run, total.filled)
			}
		})
	}
}

// corpusCount counts the results of statements.
type corpusCount struct {
	asked   int
	run     int // by the engine
	filled  int // of run: with rows
	refused int // of run: by the guard
	tied    int // of run: with the same rows in another order, which the statement leaves open
}

func (c *corpusCount) add(more corpusCount) {
	c.asked += more.asked
	c.run += more.run
	c.filled += more.filled
	c.refused += more.refused
	c.tied += more.tied
}

func (c *corpusCount) accepted() float64 { return 1 - float64(c.refused)/float64(max(c.run, 1)) }

// oneIn selects one of so many statements to be read as an agent reads it too, which
// takes several times as long.
const oneIn = 4

// ask runs the statements of a schema.
func (e *corpusEngine) ask(t *testing.T, c *corpusSchema) (n corpusCount) {
	t.Helper()
	pools := e.open(t, c.name)
	guard, err := secureview.New(e.build(t, pools.originals[0], c), e.dialect)
	if err != nil {
		t.Fatal(err)
	}
	var reader *sqldb.DB
	if e.read != nil {
		if reader, err = e.read(&sqldb.Options{MaxRows: 1 << 20}, pools.agent); err != nil {
			t.Fatal(err)
		}
	}
	for _, text := range c.statements {
		n.asked++
		text = e.adapt(c, text)
		db, want := e.runs(pools.originals, text)
		if db == nil {
			continue
		}
		n.run++
		if len(want.Rows) > 0 {
			n.filled++
		}
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			n.refused++
			t.Logf("%s is refused: %v", text, err)
			continue
		}
		if err := agree(want, e.asking(db, text), e.asking(pools.rewritten, stmt.SQL())); err != nil {
			n.tied++
			if !sameRows(e.asking(db, unlimited(text)), e.asking(pools.rewritten, unlimited(stmt.SQL()))) {
				t.Errorf("%s\nrewritten as %s: %v", text, stmt.SQL(), err)
			}
		}
		if reader != nil && n.run%oneIn == 0 {
			if got, err := reader.Query(t.Context(), stmt); err != nil || len(got.Rows) != len(want.Rows) {
				t.Errorf("%s\nread as %s: %v, %v instead of %v", text, stmt.SQL(), err, got, want)
			}
		}
	}
	return n
}

// runs returns the first pool that runs a statement, with the rows, or nil.
func (e *corpusEngine) runs(pools []*sql.DB, text string) (*sql.DB, result) {
	for _, db := range pools {
		if want, err := e.asking(db, text)(); err == nil {
			return db, want
		}
	}
	return nil, result{}
}

// asking is the type of a function that runs a statement.
func (e *corpusEngine) asking(db *sql.DB, text string) func() (result, error) {
	return func() (result, error) {
		r, err := run(db, text)
		for i, name := range r.Columns {
			r.Columns[i] = e.header(name)
		}
		return r, err
	}
}

// build creates and fills the tables of a schema, and returns a policy that allows all of
// them. A table that is read through a view has no primary key, because a view has none:
// SELECT name .. GROUP BY id runs only with a primary key.
func (e *corpusEngine) build(t *testing.T, db *sql.DB, c *corpusSchema) *secureview.Policy {
	t.Helper()
	policy := &secureview.Policy{
		Schema: e.schema(c.name), Tables: map[string][]string{}, Views: map[string]string{}, RowLimit: 1 << 30,
		DoubleQuotedStrings: e.dialect.Name() == "sqlite",
	}
	for _, table := range c.tables {
		name := e.folded(table.name)
		columns := make([]string, len(table.columns))
		defs := make([]string, len(table.columns))
		for i, column := range table.columns {
			columns[i] = e.folded(column)
			defs[i] = e.dialect.Quote(columns[i]) + " " + e.types[table.kinds[i]]
		}
		if len(table.key) > 0 && !c.views {
			key := make([]string, len(table.key))
			for i, n := range table.key {
				key[i] = e.dialect.Quote(columns[n])
			}
			defs = append(defs, "PRIMARY KEY ("+strings.Join(key, ", ")+")")
		}
		policy.Tables[name] = columns
		quoted := e.dialect.Quote(name)
		mustExec(t, db, "CREATE TABLE "+quoted+" ("+strings.Join(defs, ", ")+")")
		mustExec(t, db, insert(quoted, table.rows, e.text))
		if c.views {
			policy.Views[name] = "secure_" + name
			mustExec(t, db, "CREATE VIEW "+e.dialect.Quote("secure_"+name)+" AS SELECT * FROM "+quoted)
		}
	}
	return policy
}

// agree compares the rows of an original with those of the rewritten statement. If ties
// leave the order open, an engine's order varies, and one of several runs must agree.
func agree(want result, original, other func() (result, error)) error {
	var got result
	for range 20 {
		var err error
		if got, err = other(); err != nil {
			return err
		}
		if reflect.DeepEqual(got, want) {
			return nil
		}
		if want, err = original(); err != nil {
			return err
		}
	}
	return fmt.Errorf("%v instead of %v", got, want)
}

// unlimited returns a statement without the LIMIT at its end.
func unlimited(text string) string { return limitAtEnd.ReplaceAllString(text, "") }

var limitAtEnd = regexp.MustCompile(`(?i)\s+LIMIT\s+[0-9]+\s*;?\s*$`)

// sameRows reports whether two statements return the same rows in any order.
func sameRows(original, other func() (result, error)) bool {
	want, err := original()
	got, otherErr := other()
	return err == nil && otherErr == nil && slices.Equal(want.Columns, got.Columns) && slices.Equal(byText(want), byText(got))
}
