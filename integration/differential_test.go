package integration_test

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	duckdbdriver "github.com/duckdb/duckdb-go/v2"
	mysqldriver "github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
	duckdbdialect "github.com/qedkit/qed/sqldb/duckdb/dialect"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// TestDifferential compares generated statements with what the guard makes of them.
// Each statement that the engine runs has to return the same columns and rows after
// the guard has rewritten it, and the guard may refuse hardly any.
//
// QED_DIFFERENTIAL is the number of statements that each engine has to accept, and
// QED_DIFFERENTIAL_SEED the seed.
func TestDifferential(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of generated statements")
	}
	seed, count := uint64(envNumber(t, "QED_DIFFERENTIAL_SEED", 1)), envNumber(t, "QED_DIFFERENTIAL", 2000)
	for _, name := range []string{"MariaDB", "MySQL", "PostgreSQL", "SQLite", "DuckDB"} {
		t.Run(name, func(t *testing.T) {
			d := newDifferential(t, name, seed, false)
			d.run(t, count)
			d.report(t)
		})
	}
}

// TestDifferentialFilters compares generated statements with what the guard makes of them
// for tables that have more rows, which a filter of the policy hides.
func TestDifferentialFilters(t *testing.T) {
	if testing.Short() {
		t.Skip("runs thousands of generated statements")
	}
	seed, count := uint64(envNumber(t, "QED_DIFFERENTIAL_SEED", 1)), envNumber(t, "QED_DIFFERENTIAL", 1000)
	for _, name := range []string{"MariaDB", "MySQL", "PostgreSQL", "SQLite", "DuckDB"} {
		t.Run(name, func(t *testing.T) {
			d := newDifferential(t, name, seed, true)
			d.run(t, count)
			d.report(t)
		})
	}
}

func envNumber(t *testing.T, name string, usual int) int {
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// differentialRun compares statements on one engine.
type differentialRun struct {
	engine *corpusEngine
	seed   uint64
	pools  corpusPools
	views  *sql.DB // setupWithViews
	turned *sql.DB // setupReversed

	// If the tables are filtered, setupFiltered of pools.rewritten.
	filtered bool

	guard  *secureview.Guard
	reader *sqldb.DB

	revive func() error // starts the server, or opens the databases, after a statement that ended them; nil: not possible
	alone  sync.RWMutex // locked while a statement is the only one

	next, accepted atomic.Uint64
	lost           atomic.Bool // the server
	mu             sync.Mutex
	count          map[string]int // by finding
	example        map[string][]differentialExample
	filled         int
	start          time.Time
}

type differentialExample struct {
	n             uint64
	text, message string
}

// The classes of statements that are not compared, or that leave their rows open.
const (
	serverLost    = "the server ended"
	endsRefused   = "the engine ends without the guard, which refuses the statement"
	endsAccepted  = "the engine ends without the guard, which accepts the statement"
	endsRewritten = "the engine ends on what the guard prints"
	endedOnce     = "the engine ends while it executes this statement and another one, but not if it executes this one alone"
	engineRefuses = "the engine refuses it"
	tooManyRows   = "too many rows"
	tied          = "the collation leaves the rows open"
	numbersEqual  = "a number is another one of equal numbers"
	viewsDiffer   = "the engine returns other rows if views have the names of the tables"
	scanOrder     = "the engine returns other rows if it scans tables in another order"
	withLimit     = "the engine returns other rows or names if the statement has a LIMIT"
	textsAdjacent = "the engine returns other rows if a text is in two parts"
	leftOut       = "the engine fails on what it would leave out if no aggregate counted what it collects"
	notNational   = "the engine returns other rows, or none, if the prefix of N'x' is left out"
	unstable      = "the engine returns other rows the second time"
)

// endings are the classes of statements that are not executed again.
var endings = []string{serverLost, endsAccepted, endsRefused, endsRewritten, endedOnce}

// openClasses are the classes for which the guard is not responsible.
var openClasses = []string{
	endsRefused, endsAccepted, endedOnce, tied, numbersEqual, viewsDiffer, scanOrder, withLimit, textsAdjacent, leftOut,
	notNational, unstable,
}

// ownServers are the engines that may end on a statement, with the variable that limits
// the time of a statement: closing its connection does not end it.
var ownServers = map[string]struct {
	start       func(testing.TB, ...string) *integration.MariaDBServer
	limit, most string
}{
	"MariaDB": {integration.MariaDBOwn, "max_statement_time", "15"},
	"MySQL":   {integration.MySQLOwn, "max_execution_time", "15000"},
}

func newDifferential(t *testing.T, name string, seed uint64, filtered bool) *differentialRun {
	d := &differentialRun{engine: corpusEngines[name], seed: seed, filtered: filtered, count: map[string]int{}, example: map[string][]differentialExample{}}
	schema := "differential"
	opt := sqldb.Options{MaxRows: 1 << 20}
	if filtered {
		opt.Session = func(context.Context) (*sqldb.Session, error) {
			return &sqldb.Session{Settings: differentialSession}, nil
		}
	}
	if own, ok := ownServers[name]; ok {
		server := own.start(t)
		d.engine = mysqlEngine(func(testing.TB) *mysqldriver.Config {
			config := server.Config()
			config.Params = map[string]string{own.limit: own.most}
			return config
		})
		d.revive = func() error {
			if server.Alive() == nil {
				return nil
			}
			return server.Start()
		}
	}
	var err error
	var more *sql.DB // for setupFiltered, with the right to create tables
	switch name {
	case "DuckDB":
		d.engine = &corpusEngine{
			dialect: duckdbdialect.Dialect{}, schema: func(string) string { return "main" }, header: duckDBHeader,
		}
		file := filepath.Join(t.TempDir(), "company.db")
		original := &d.pools.rewritten
		pools := map[string]**sql.DB{file + ".views": &d.views, file + ".reversed": &d.turned}
		if filtered {
			original = new(*sql.DB)
			pools[file+".filtered"] = &d.pools.rewritten
		}
		pools[file] = original
		d.revive = func() error {
			for file, db := range pools {
				if *db != nil {
					(*db).Close()
				}
				opened, err := openDuckDB(file)
				if err != nil {
					return err
				}
				*db = opened
			}
			d.pools.originals = []*sql.DB{*original}
			return nil
		}
		if err := d.revive(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			for _, db := range pools {
				(*db).Close()
			}
		})
	case "SQLite":
		file := filepath.Join(t.TempDir(), "company.db")
		d.pools = openSQLiteFile(t, file)
		if filtered {
			file += ".filtered"
			d.pools.rewritten = openSQLiteFile(t, file).rewritten
		}
		d.views = openSQLiteFile(t, file+".views").rewritten
		d.turned = openSQLiteFile(t, file+".reversed").rewritten
		if d.reader, err = sqlitedb.Open(file, &sqlitedb.Options{Options: opt, MaxValueBytes: 1 << 25}); err != nil {
			t.Fatal(err)
		}
	default:
		d.pools = d.engine.open(t, schema)
		if filtered {
			pools := d.engine.open(t, schema+"_filtered")
			more = pools.originals[0]
			d.pools.rewritten, d.pools.agent = pools.rewritten, pools.agent
		}
		d.views = d.engine.open(t, schema+"_views").originals[0]
		d.turned = d.engine.open(t, schema+"_reversed").originals[0]
		if d.reader, err = d.engine.read(&opt, d.pools.agent); err != nil {
			t.Fatal(err)
		}
	}
	dialect := d.engine.dialect.Name()
	setups := map[setupKind]*sql.DB{setupUsual: d.pools.originals[0], setupWithViews: d.views, setupReversed: d.turned}
	readerSetup := setupUsual
	if filtered {
		readerSetup = setupFiltered
		setups[setupFiltered] = cmp.Or(more, d.pools.rewritten)
		schema += "_filtered"
	}
	for kind, db := range setups {
		for _, text := range setupStatements(dialect, kind, filtered) {
			mustExec(t, db, text)
		}
	}
	if name == "DuckDB" {
		// The files of a database are locked, so the reader has its own.
		file := filepath.Join(t.TempDir(), "company.db")
		db, err := openDuckDB(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range setupStatements(dialect, readerSetup, filtered) {
			mustExec(t, db, text)
		}
		db.Close()
		if d.reader, err = duckdb.Open(t.Context(), file, &duckdb.Options{Options: opt, Threads: 1}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { d.reader.Close() })
	}
	if d.guard, err = secureview.New(differentialPolicy(d.engine.schema(schema), filtered), d.engine.dialect); err != nil {
		t.Fatal(err)
	}
	return d
}

func openDuckDB(file string) (*sql.DB, error) {
	return sql.Open("duckdb", file+"?threads=1&asof_loop_join_threshold=0")
}

// duckDBHeader returns the part of a name that must be the same. DuckDB names an
// expression without an alias after its text, which is another one in the guard's
// statement.
func duckDBHeader(name string) string {
	if expressionName.MatchString(name) {
		return "an expression"
	}
	return strings.ToLower(name) // a column has the case of its declaration, an alias its own
}

var expressionName = regexp.MustCompile(`[(+'*/%|&<>=\[~^]|^[-.0-9]| - |^(?:TRUE|FALSE|NULL|CASE|NOT)\b|\b(?:IS|AND|OR|IN|BETWEEN|LIKE)\b`)

func openSQLiteFile(t *testing.T, file string) corpusPools {
	db, err := sql.Open("sqlite", "file:"+file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	mustExec(t, db, "PRAGMA user_version = 1") // creates the file
	return corpusPools{originals: []*sql.DB{db}, rewritten: db}
}

const rowLimit = 1 << 30

// differentialSession has the tenant whose rows the usual schema has.
var differentialSession = map[string]any{"tenant": "a"}

func differentialPolicy(schema string, filtered bool) *secureview.Policy {
	policy := &secureview.Policy{
		Schema: schema, Tables: map[string][]string{}, Views: map[string]string{}, Filters: map[string]string{}, RowLimit: rowLimit,
	}
	for _, table := range genTables {
		policy.Tables[table.Name] = table.Columns()
		if table.Access != accessOpen {
			policy.Views[table.Name] = table.Object()
		} else if filtered {
			policy.Filters[table.Name] = "tenant = :tenant"
		}
	}
	return policy
}

// run compares statements until the engine has accepted count of them.
func (d *differentialRun) run(t *testing.T, count int) {
	d.start = time.Now()
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			for d.accepted.Load() < uint64(count) && !d.lost.Load() {
				n := d.next.Add(1)
				s := generate(d.engine.dialect.Name(), d.seed, n)
				class, message := d.compare(t.Context(), s)
				d.add(n, s.SQL, class, message)
			}
		})
	}
	workers.Wait()
}

// compare returns the class of what is wrong with a statement, empty if nothing is. If
// the server or the database ends meanwhile, it is started again, and executes the
// statement alone.
func (d *differentialRun) compare(ctx context.Context, s genStatement) (class, message string) {
	d.alone.RLock()
	class, message = d.compareOnce(ctx, s)
	d.alone.RUnlock()
	if class != serverLost && class != endsRewritten {
		return class, message
	}
	d.alone.Lock()
	defer d.alone.Unlock()
	if d.revive == nil || d.revive() != nil {
		d.lost.Store(true)
		return class, message
	}
	class, message = d.compareOnce(ctx, s)
	if class == serverLost || class == endsRewritten {
		d.lost.Store(d.revive() != nil)
	}
	switch class {
	case "", engineRefuses:
		return endedOnce, message
	case serverLost:
	default:
		return class, message
	}
	if _, err := d.guard.Rewrite(ctx, s.SQL); err != nil {
		return endsRefused, err.Error()
	}
	return endsAccepted, message
}

func (d *differentialRun) compareOnce(ctx context.Context, s genStatement) (class, message string) {
	stmt, refused := d.guard.Rewrite(ctx, s.SQL)
	if refused != nil {
		if why := d.documentedRefusal(refusalClass(refused)); why == endsMariaDB || why == endsMySQL {
			return refusalClass(refused), refused.Error()
		}
	}
	db, want, err := d.original(ctx, s.SQL)
	switch {
	case err != nil && lostServer(err):
		return serverLost, err.Error()
	case err != nil:
		return engineRefuses, err.Error()
	}
	if len(want.Rows) == mostCompared {
		return tooManyRows, ""
	}
	d.accepted.Add(1)
	if refused != nil {
		return refusalClass(refused), refused.Error()
	}
	executed, _, err := stmt.Bind(differentialSession)
	if err != nil {
		return refusalClass(err), err.Error()
	}
	got, err := d.read(ctx, d.pools.rewritten, executed)
	same := func(db *sql.DB, text string) bool {
		other, err := d.read(ctx, db, text)
		return err == nil && s.compare(want.Rows, other.Rows) == nil
	}
	unlimited := strings.TrimSuffix(executed, " LIMIT "+strconv.Itoa(rowLimit))
	if err != nil {
		message = executed + "\n" + err.Error()
		_, viewsErr := d.read(ctx, d.views, s.SQL)
		_, plainErr := d.read(ctx, db, strings.ReplaceAll(s.SQL, "N'", "'"))
		switch {
		case lostServer(err):
			return endsRewritten, message
		case viewsErr != nil:
			return viewsDiffer, message
		case plainErr != nil:
			return notNational, message
		case same(d.pools.rewritten, unlimited):
			return withLimit, message
		case same(d.pools.rewritten, counting.ReplaceAllString(executed, "TRUE")):
			return leftOut, message
		}
		return "fails: " + general(err.Error()), message
	}
	if !slices.EqualFunc(want.Columns, got.Columns, sameName) {
		message = fmt.Sprintf("%s\nhas %q instead of %q", executed, got.Columns, want.Columns)
		other, err := d.read(ctx, d.pools.rewritten, unlimited)
		if err == nil && slices.EqualFunc(want.Columns, other.Columns, sameName) {
			return withLimit, message
		}
		return "columns", message
	}
	if err := s.compare(want.Rows, got.Rows); err != nil {
		message = executed + "\n" + err.Error()
		views, viewsErr := d.read(ctx, d.views, s.SQL)
		turned, turnedErr := d.read(ctx, d.turned, s.SQL)
		switch {
		case genTied(want.Rows, got.Rows):
			return tied, message
		case equalNumbers(want.Rows, got.Rows):
			return numbersEqual, message
		case !same(db, s.SQL):
			return unstable, message
		case viewsErr == nil && s.compare(views.Rows, got.Rows) == nil:
			return viewsDiffer, message
		case turnedErr == nil && s.compare(want.Rows, turned.Rows) != nil:
			return scanOrder, message
		case same(d.pools.rewritten, unlimited):
			return withLimit, message
		case !same(db, twoParts.ReplaceAllString(s.SQL, "'Sales'")):
			return textsAdjacent, message
		case !same(db, strings.ReplaceAll(s.SQL, "N'", "'")):
			return notNational, message
		}
		return "rows", message
	}
	if table, err := d.reader.Query(ctx, stmt); errors.Is(err, sqldb.ErrUnavailable) {
		return endsRewritten, "when the reader executes it: " + executed + "\n" + err.Error()
	} else if err != nil {
		return "reader: " + refusalClass(err), executed + "\n" + err.Error()
	} else if len(table.Rows) != len(want.Rows) {
		return "reader: rows", fmt.Sprintf("%s\nreturns %d rows instead of %d", executed, len(table.Rows), len(want.Rows))
	}
	if len(want.Rows) > 0 {
		return "", "filled"
	}
	return "", ""
}

// counting is the condition that bounds what an aggregate collects on PostgreSQL.
var counting = regexp.MustCompile(`CAST\(CASE WHEN CAST\(pg_catalog\.set_config\('qed\.(?s:.*?) ELSE 'true' END AS boolean\)`)

// twoParts is a text that INSERT of MariaDB changes.
var twoParts = regexp.MustCompile(`'Sa'\s*'les'`)

// sameName compares the names of a column. An engine shortens the text of a long
// expression, with a comment before it that is not part of the expression.
func sameName(a, b string) bool {
	const long = 150
	return a == b || len(a) > long && len(b) > long && a[:long] == b[:long]
}

// original runs a statement on the first pool that accepts it.
func (d *differentialRun) original(ctx context.Context, text string) (db *sql.DB, want result, err error) {
	for _, db = range d.pools.originals {
		if want, err = d.read(ctx, db, text); err == nil {
			return db, want, nil
		}
	}
	return nil, result{}, err
}

// lostServer reports whether an error is that of a connection whose server ended.
func lostServer(err error) bool {
	if failed, ok := errors.AsType[*duckdbdriver.Error](err); ok {
		// After either error, the database has to be opened again.
		return failed.Type == duckdbdriver.ErrorTypeFatal || failed.Type == duckdbdriver.ErrorTypeInternal
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, mysqldriver.ErrInvalidConn) || errors.Is(err, io.EOF) ||
		errors.Is(err, syscall.ECONNREFUSED)
}

// mostCompared is the number of rows after which a result is not compared.
const mostCompared = 5000

// leadingComments are comments before an item of a select list, which MariaDB makes
// a part of its name.
var leadingComments = regexp.MustCompile(`^\s*((?s:/\*.*?\*/)|-- [^\n]*\n|\s)+`)

// repeatedName is what SQLite appends to the second column of a name in a join in
// parentheses.
var repeatedName = regexp.MustCompile(`:[0-9]+$`)

// read runs a statement. MariaDB names a column of a derived table that it merges as
// the statement spells it, and one of another derived table as that declares it, so
// the case of names is not compared there.
func (d *differentialRun) read(ctx context.Context, db *sql.DB, text string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	rows, err := db.QueryContext(ctx, text)
	if err != nil {
		return result{}, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return result{}, err
	}
	out := result{Columns: columns}
	for i, name := range out.Columns {
		name = d.engine.header(name)
		switch d.engine.dialect.Name() {
		case "mysql":
			name = strings.ToLower(leadingComments.ReplaceAllString(name, ""))
			switch name {
			case "sales": // MySQL names 'Sa' 'les' after its first part
				name = "sa"
			case "(true)", "(false)", "(null)": // MariaDB leaves out the parentheses
				name = strings.Trim(name, "()")
			}
		case "sqlite":
			name = repeatedName.ReplaceAllString(name, "")
		}
		out.Columns[i] = name
	}
	for rows.Next() && len(out.Rows) < mostCompared {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		if err := rows.Scan(into...); err != nil {
			return result{}, err
		}
		out.Rows = append(out.Rows, row)
	}
	return out, rows.Err()
}

// refusalClass returns the code of a refusal and its message without names.
func refusalClass(err error) string {
	var r *refusal.Error
	if errors.As(err, &r) {
		return "refused: " + string(r.Problems[0].Code) + ": " + general(r.Problems[0].Message)
	}
	return "refused: " + general(err.Error())
}

// general returns a message without what belongs to one statement.
func general(message string) string {
	message, _, _ = strings.Cut(message, "; did you mean")
	message, _, _ = strings.Cut(message, ": qualify it as one of")
	message, _, _ = strings.Cut(message, " for the right syntax to use near")
	return specific.ReplaceAllString(message, "#")
}

var specific = regexp.MustCompile(`'[^']*'|"[^"]*"|[0-9]+`)

func (d *differentialRun) add(n uint64, text, class, message string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if class == "" {
		if message == "filled" {
			d.filled++
		}
		return
	}
	d.count[class]++
	if len(d.example[class]) < 3 {
		d.example[class] = append(d.example[class], differentialExample{n, text, message})
	}
}

// documentedRefusals are refusals of honest statements for a reason that the
// documentation of the dialect gives, by a part of their class.
var documentedRefusals = map[string]map[string]string{
	"": { // in every dialect
		"is a column and a select alias":                "A name that could mean two things is refused in every dialect",
		"is a select alias and a name of an enclosing":  "a select alias that is also a name of an enclosing query",
		"the select list has two items named":           "an alias that two items have",
		"column # is ambiguous":                         "a name that several tables have",
		"differ in case only":                           "a name that differs from the nearest one in case",
		"is declared later":                             "a common table expression that is declared later",
		"is also the name of a table":                   "A name that could mean two things is refused in every dialect",
		"cannot be used in a subquery: ":                "A select alias cannot be used in a subquery.",
		"has an expression with COLLATE: repeat":        "A select alias of an expression with COLLATE has to be a whole term.",
		"in HAVING is neither in GROUP BY nor in the":   "A name that could mean two things is refused in every dialect",
		"in HAVING of a subquery is a name of an enclo": "In HAVING of a subquery, a column of an outer query needs its table.",
	},
	"sqlite": {
		"the table-valued function":           "Functions in FROM other than json_each and json_tree are refused",
		"a function after RIGHT or FULL JOIN": "after RIGHT or FULL JOIN",
	},
	"duckdb": {
		"the parameter # of a lambda":         "a parameter of a lambda that is also a column",
		"the star has several columns":        "a name in REPLACE that several tables have",
		"the set operation has two columns":   "a name that two items of the select list have",
		"cannot be used in this ON":           "an ON that names a table before the last comma",
		"GROUP BY ALL next to a subquery":     "GROUP BY ALL next to a subquery that names a column of the block",
		"in HAVING is no item":                "GROUP BY ALL, where HAVING names a column by which DuckDB would group as well",
		"ROLLUP, CUBE or GROUPING SETS has":   "in ROLLUP, CUBE and GROUPING SETS, one column or expression",
		"a constant of ROLLUP":                "in ORDER BY, a constant with a sign by its alias",
		"a CASE in the operand of another":    "a CASE in the operand of another CASE",
		"the columns of this select list can": "several texts in one row that aggregates collect",
		"the statement computes too much for": "texts that are computed from such a text",
		"() searches in a text of up to":      "levenshtein, translate and other slow functions of such a text",
		"the path after -> and ->> has to be": "a path after -> and ->> that is computed or has two dots",
	},
	"mysql": {
		"is not supported next to JSON_OBJECTAGG":                        endsMariaDB,
		"JSON_EXTRACT in an operand of":                                  endsMariaDB,
		"a number in the ORDER BY of":                                    endsMariaDB,
		"a subquery without FROM is not supported":                       endsMariaDB,
		"a window function is not supported in a subquery with ORDER BY": endsMariaDB,
		"several SELECTs as the right side of":                           endsMySQL,
		"GROUP BY an expression is not supported in INTERSECT":           endsMySQL,
		"SOUNDS LIKE is not supported":                                   "The grammar does not have it",
		"a list of columns after an alias is not supported":              "The grammar does not have it",
		"put the operands of LIKE, REGEXP":                               "The grammar does not have it",
		"the server has so many warnings":                                "has more than 65,535 warnings",
		"GROUP_CONCAT is not supported as a term of ORDER BY":            "GROUP_CONCAT as a term of ORDER BY",
		"in an expression of ORDER BY is not supported next":             "An alias in an expression of ORDER BY is refused next to",
		"the columns of * have another order on MySQL":                   "they order its columns differently",
		"an aggregate in a subquery of GROUP BY is not supported":        "an aggregate in a subquery of GROUP BY",
		"of GROUP BY .. WITH ROLLUP twice":                               "Two items of the select list that are one term",
	},
}

const (
	endsMariaDB = "Refused for MariaDB 10.11"
	endsMySQL   = "and for MySQL 9.7"
)

// documentedRefusal returns the sentence of the documentation for a class.
func (d *differentialRun) documentedRefusal(class string) string {
	for _, dialect := range []string{"", d.engine.dialect.Name()} {
		for part, sentence := range documentedRefusals[dialect] {
			if strings.Contains(class, "refused") && strings.Contains(class, part) {
				return sentence
			}
		}
	}
	return ""
}

// mostRefused is the share of the statements that the guard may refuse.
const mostRefused = 0.001

// report fails the test for each class of difference, and if the guard refuses too
// many statements. It logs the smallest statement that shows a class.
func (d *differentialRun) report(t *testing.T) {
	accepted := int(d.accepted.Load())
	t.Logf("%d statements, of which the engine accepts %d, %d of them with rows, in %v", d.next.Load(), accepted, d.filled,
		time.Since(d.start).Round(time.Second))
	refused := 0
	for _, class := range slices.Sorted(maps.Keys(d.count)) {
		t.Logf("%d: %s", d.count[class], class)
		switch {
		case class == engineRefuses || class == tooManyRows:
			continue
		case d.documentedRefusal(class) != "":
			t.Logf("documented: %s", d.documentedRefusal(class))
			continue
		case strings.HasPrefix(class, "refused"):
			refused += d.count[class]
		case !slices.Contains(openClasses, class):
			t.Errorf("%d statements differ: %s", d.count[class], class)
		}
		for i, found := range d.example[class] {
			text := found.text
			if deadline := time.Now().Add(5 * time.Second); i == 0 && !slices.Contains(endings, class) {
				text = shrink(d.engine.dialect.Name(), text, func(text string) bool {
					if time.Now().After(deadline) {
						return false
					}
					again, _ := d.compare(t.Context(), genStatement{SQL: text})
					return again == class
				})
			}
			t.Logf("statement %d of seed %d: %s\n%s", found.n, d.seed, text, found.message)
		}
	}
	if float64(refused) > mostRefused*float64(accepted) {
		t.Errorf("the guard refuses %d of %d statements", refused, accepted)
	}
}
