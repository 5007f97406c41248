package sqlproof_test

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlproof"
	"github.com/qedkit/qed/sqlproof/proof"
)

var (
	statements = flag.Int("statements", 1000, "how many random statements TestProvedByRunning runs")
	verbose    = flag.Bool("statements.v", false, "whether TestProvedByRunning prints what was refused and never repeated rows")
	seed       = flag.Uint64("seed", 1, "the seed of TestProvedByRunning")
)

// TestProvedByRunning runs random statements on random databases full of duplicates, NULL
// and rows without a match, and looks at the joined rows. Where the report says that the
// rows of an aggregate do not repeat, none may repeat in any database, and the value must
// be that of an aggregate of distinct rows. Where it says that they repeat, they should in
// some database.
func TestProvedByRunning(t *testing.T) {
	var total tally
	tries := *statements
	if testing.Short() {
		tries = min(tries, 200)
	}
	for n := 0; total.statements < tries; n++ {
		w := newWorld(t, rand.New(rand.NewPCG(*seed, uint64(n))))
		for range 25 {
			w.try(&total)
		}
		w.close()
	}
	t.Logf("%d statements, %d refused by the guard, %d aggregates: %d proved, %d of them compared by value, all of %d statements, "+
		"%d contradicted of which %d never repeated rows, %d not checked",
		total.statements, total.refused, total.aggregates, total.proved, total.values, total.whole, total.contradicted, total.tame, total.notChecked)
	if total.proved*4 < total.aggregates || total.contradicted*10 < total.aggregates {
		t.Error("the statements are too much alike")
	}
	if total.tame*2 > total.contradicted {
		t.Error("half of the contradicted aggregates never repeat rows")
	}
}

type tally struct {
	statements, refused, aggregates, proved, contradicted, tame, notChecked int
	values                                                                  int // proved aggregates compared with those of distinct rows
	whole                                                                   int // statements of which all aggregates are proved
}

// A world is a schema with databases, a guard and a prover for it.
type world struct {
	t      *testing.T
	rng    *rand.Rand
	tables []*randomTable
	links  [][2]field
	guard  *secureview.Guard
	prover *sqlproof.Prover
	dbs    []*sql.DB
	alias  int
}

type randomTable struct {
	name    string
	columns []string
	keys    [][]string
	notNull map[string]bool
}

// newWorld makes tables with all sorts of keys and relationships.
func newWorld(t *testing.T, rng *rand.Rand) *world {
	w := &world{t: t, rng: rng}
	schema := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for i := range 4 {
		tab := &randomTable{name: fmt.Sprintf("t%d", i), columns: []string{"id", "k", "m", "v", "x"}, notNull: map[string]bool{}}
		for j := range i {
			tab.columns = append(tab.columns, fmt.Sprintf("r%d", j))
		}
		if i > 1 {
			tab.columns = append(tab.columns, fmt.Sprintf("w%d", i))
		}
		js := joinpath.Table{Columns: tab.columns}
		switch rng.IntN(6) {
		case 0, 1, 2:
			js.PrimaryKey = []string{"id"}
		case 3, 4:
			js.PrimaryKey = []string{"id", "k"}
		}
		switch rng.IntN(5) {
		case 0:
			js.UniqueColumns = []string{"m"} // may be NULL
		case 1:
			js.UniqueKeys = [][]string{{"k", "m"}}
		}
		for _, c := range tab.columns {
			if rng.IntN(3) == 0 {
				js.NotNull = append(js.NotNull, c)
			}
		}
		for _, c := range append(js.NotNull, js.PrimaryKey...) {
			tab.notNull[c] = true
		}
		for _, k := range append(js.UniqueKeys, js.PrimaryKey, js.UniqueColumns) {
			if len(k) > 0 {
				tab.keys = append(tab.keys, k)
			}
		}
		schema.Tables[tab.name] = js
		w.tables = append(w.tables, tab)
	}
	w.relate(schema)
	policy := &secureview.Policy{Schema: "main", Tables: map[string][]string{}, RowLimit: 1 << 30}
	for _, tab := range w.tables {
		policy.Tables[tab.name] = tab.columns
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	w.guard, w.prover = guard, sqlproof.New(schema)
	return w
}

// relate adds relationships to keys of earlier tables.
func (w *world) relate(schema *joinpath.Schema) {
	for i, from := range w.tables {
		for _, to := range w.tables[:i] {
			if len(to.keys) == 0 || w.rng.IntN(3) == 0 {
				continue
			}
			key := to.keys[w.rng.IntN(len(to.keys))]
			columns := []string{"r" + to.name[1:], "v"}[:len(key)]
			r := joinpath.Relationship{
				FromTable: from.name, FromColumn: columns[0], ToTable: to.name, ToColumn: key[0],
				Type: joinpath.ForeignKey, Confidence: 1, Cardinality: joinpath.ManyToOne,
			}
			if len(key) > 1 {
				r.FromColumns, r.ToColumns = columns, key
			}
			if w.rng.IntN(5) == 0 {
				r.Cardinality = joinpath.OneToOne
				from.keys = append(from.keys, columns)
			}
			schema.Relationships = append(schema.Relationships, r)
			for j, c := range columns {
				w.links = append(w.links, [2]field{{table: from.name, column: c}, {table: to.name, column: key[j]}})
			}
		}
	}
}

// db returns the database of a number, which it makes when it is first asked for.
func (w *world) db(n int) *sql.DB {
	for len(w.dbs) <= n {
		db, err := sql.Open("sqlite", ":memory:")
		if err != nil {
			w.t.Fatal(err)
		}
		db.SetMaxOpenConns(1)
		w.dbs = append(w.dbs, db)
		domain, rows := 2+w.rng.IntN(4), 10
		if len(w.dbs) > 3 {
			domain, rows = 2+len(w.dbs)%2, 80
		}
		for _, tab := range w.tables {
			w.fill(db, tab, domain, rows)
		}
	}
	return w.dbs[n]
}

// fill makes a table. In one of many rows a column of each key has many values, so that
// the others can be equal in rows that a key tells apart.
func (w *world) fill(db *sql.DB, tab *randomTable, domain, rows int) {
	var text strings.Builder
	fmt.Fprintf(&text, "CREATE TABLE %s (%s INTEGER);\n", tab.name, strings.Join(tab.columns, " INTEGER, "))
	wide := map[string]bool{}
	for _, k := range tab.keys {
		wide[pick(w, k)] = rows > 10
	}
	seen := map[string]bool{}
	for range w.rng.IntN(rows) {
		row := map[string]string{}
		var values []string
		for _, c := range tab.columns {
			value := fmt.Sprint(w.rng.IntN(domain))
			if wide[c] {
				value = fmt.Sprint(w.rng.IntN(30))
			}
			if !tab.notNull[c] && w.rng.IntN(4) == 0 {
				value = "NULL"
			}
			row[c] = value
			values = append(values, value)
		}
		var keys []string
		double := false
		for _, k := range tab.keys {
			text := fmt.Sprint(k)
			null := false
			for _, c := range k {
				text += " " + row[c]
				null = null || row[c] == "NULL"
			}
			if !null {
				keys = append(keys, text)
				double = double || seen[text]
			}
		}
		if double {
			continue
		}
		for _, k := range keys {
			seen[k] = true
		}
		fmt.Fprintf(&text, "INSERT INTO %s VALUES (%s);\n", tab.name, strings.Join(values, ", "))
	}
	if _, err := db.Exec(text.String()); err != nil {
		w.t.Fatalf("%v\n%s", err, &text)
	}
}

func (w *world) close() {
	for _, db := range w.dbs {
		_ = db.Close()
	}
}

// try checks a random statement and runs it.
func (w *world) try(total *tally) {
	text, blocks := w.statement()
	stmt, err := w.guard.Rewrite(w.t.Context(), text)
	if err != nil {
		total.refused++
		if *verbose {
			w.t.Log(err, text)
		}
		return
	}
	report := w.prover.Check(stmt)
	total.statements++
	if last := blocks[len(blocks)-1]; last.top {
		last.statement = stmt.SQL()
	}
	for _, b := range blocks {
		whole := len(b.aggregates) > 0
		for _, a := range b.aggregates {
			at := strings.Index(text, a.text+" AS "+a.alias)
			var item *proof.Aggregate
			for i := range report.Aggregates {
				if report.Aggregates[i].At == at {
					item = &report.Aggregates[i]
				}
			}
			if item == nil {
				w.t.Fatalf("no item for %s in\n%s", a.text, text)
			}
			total.aggregates++
			b.when = a.when
			whole = w.judge(total, text, b, a, item) && whole
		}
		b.when = ""
		if whole && b.top {
			total.whole++
		}
	}
}

// judge compares an item with what is in the databases.
func (w *world) judge(total *tally, text string, b *block, a *aggregate, item *proof.Aggregate) (proved bool) {
	switch {
	case item.Verdict == dates.Proved && item.RowsRepeat == proof.No:
		total.proved++
		for n := range 3 {
			if repeated := w.repeats(n, b, a, item.Counts); repeated != "" {
				w.fail(text, b, a, item, n, repeated)
			} else if a.value != "" {
				w.compare(text, b, a, item, n)
			}
		}
		if a.value != "" {
			total.values++
		}
		return true
	case item.Verdict == dates.Contradicted && item.RowsRepeat == proof.Yes:
		total.contradicted++
		for n := range 12 {
			if w.repeats(n, b, a, "") != "" {
				return false
			}
		}
		total.tame++
		if *verbose {
			w.t.Logf("never repeats: %s by %v in\n%s\n%s", a.text, item.By, text, w.schema())
		}
	case item.Verdict == dates.NotChecked:
		total.notChecked++
	}
	return false
}

func (w *world) fail(text string, b *block, a *aggregate, item *proof.Aggregate, n int, what string) {
	w.t.Errorf("%s in\n%s\nis %+v\nbut %s\n%s\n%s%v", a.text, text, *item, what, b.query("*"), w.schema(), w.dump(n))
	w.t.FailNow()
}

func (w *world) schema() (text string) {
	for _, tab := range w.tables {
		text += fmt.Sprintln(tab.name, tab.keys, tab.notNull)
	}
	return text
}

func (w *world) dump(n int) (rows []string) {
	for _, tab := range w.tables {
		rows = append(rows, fmt.Sprintf("\n%s %v", tab.name, tab.columns))
		for _, row := range w.all(n, "SELECT * FROM "+tab.name) {
			rows = append(rows, fmt.Sprintf("\n   %v", row))
		}
	}
	return rows
}

// all returns the rows of a query. NULL is "NULL".
func (w *world) all(n int, query string) (out [][]string) {
	rows, err := w.db(n).Query(query)
	if err != nil {
		w.t.Fatalf("%v\n%s", err, query)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		w.t.Fatal(err)
	}
	for rows.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.t.Fatal(err)
		}
		row := make([]string, len(columns))
		for i, v := range values {
			row[i] = v.String
			if !v.Valid {
				row[i] = "NULL"
			}
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatalf("%v\n%s", err, query)
	}
	return out
}

// repeats says which row of the tables of an aggregate is there twice in a group of the
// joined rows, or what is counted besides the rows of counts. It returns "" for none.
func (w *world) repeats(n int, b *block, a *aggregate, counts string) string {
	what := ""
	for _, t := range a.terms {
		if counts == "" && a.value != "" && a.function != "count" {
			if merged := w.merged(n, b, t); merged != "" {
				return merged
			}
		}
		twice := w.twice(n, b, t, false)
		switch {
		case !a.chosen && twice != "":
			return twice
		case a.chosen && twice == "": // it is enough if one of them does not repeat
			return ""
		}
		what = twice
	}
	if what != "" || counts == "" {
		return what
	}
	what = "it counts no " + counts
	for _, row := range b.labelled(counts) {
		if what = w.twice(n, b, []string{row}, a.rows); what == "" {
			return ""
		}
	}
	return what
}

// merged returns rows of a term that a subquery took together.
func (w *world) merged(n int, b *block, t []string) string {
	for _, row := range w.all(n, b.query(strings.Join(t, ", "))) {
		for _, set := range row {
			if first, others, ok := strings.Cut(set, ","); ok && strings.Trim(others, first+",") != "" {
				return "a value is of the rows " + set
			}
		}
	}
	return ""
}

// twice returns a row of a term that is there twice in a group. all means that no joined
// row may be without it.
func (w *world) twice(n int, b *block, t []string, all bool) string {
	seen := map[string]bool{}
	for _, row := range w.all(n, b.query(strings.Join(append(append([]string{}, t...), b.group...), ", "))) {
		rows := []string{strings.Join(row[len(t):], " ")}
		for _, set := range row[:len(t)] {
			if set == "NULL" {
				rows = nil
				if all {
					return "a joined row has none of " + t[0]
				}
				break
			}
			var next []string
			once := map[string]bool{}
			for _, id := range strings.Split(set, ",") {
				if !once[id] {
					for _, r := range rows {
						next = append(next, r+"|"+id)
					}
				}
				once[id] = true
			}
			rows = next
		}
		for _, r := range rows {
			if seen[r] {
				return fmt.Sprintf("%v of %v is there twice", r, t)
			}
			seen[r] = true
		}
	}
	return ""
}

// compare compares the values of an aggregate with those over distinct rows. The values of
// the last block are those of the statement as the guard lets it run.
func (w *world) compare(text string, b *block, a *aggregate, item *proof.Aggregate, n int) {
	var group, names []string
	for i, g := range b.group {
		group = append(group, fmt.Sprintf("%s AS q%d", g, i))
		names = append(names, fmt.Sprintf("q%d", i))
	}
	var rows []string
	for _, t := range a.terms {
		rows = append(rows, t...)
	}
	inner := b.query("DISTINCT " + strings.Join(append(append(group, rows...), a.value+" AS val"), ", "))
	want := w.all(n, "SELECT "+strings.Join(append(names, a.function+"(val)"), ", ")+" FROM ("+inner+")"+groupBy(names))
	got := w.all(n, b.query(strings.Join(append(append([]string{}, b.group...), a.function+"("+a.value+")"), ", "))+groupBy(b.group))
	if b.statement != "" {
		got = nil
		at := len(names) + slices.Index(b.aggregates, a)
		for _, row := range w.all(n, b.statement) {
			got = append(got, append(row[:len(names):len(names)], row[at]))
		}
	}
	slices.SortFunc(want, slices.Compare)
	slices.SortFunc(got, slices.Compare)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		w.fail(text, b, a, item, n, fmt.Sprintf("the values are %v instead of %v", got, want))
	}
}

func groupBy(terms []string) string {
	if len(terms) == 0 {
		return ""
	}
	return " GROUP BY " + strings.Join(terms, ", ")
}
