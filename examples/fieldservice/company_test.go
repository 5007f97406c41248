package fieldservice_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/examples/fieldservice"
)

// everyRow is the hash of all rows. It is the same on every platform.
const everyRow = "943022ff6de00f1c3fd90f339c9fc27860e8d03293c5b3c0d33f555d774752c6"

func TestCreateIsDeterministic(t *testing.T) {
	for n := range 2 {
		if got := hashOf(t, create(t)); got != everyRow {
			t.Errorf("company %d: the rows hash to %s, want %s", n, got, everyRow)
		}
	}
}

func TestCreateTakesAnyFileName(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b?c#d%20é.db")
	if err := fieldservice.Create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestCreateRefusesWhatIsNotEmpty(t *testing.T) {
	path := filepath.Join(t.TempDir(), "company.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE mine (id INTEGER)"); err != nil {
		t.Fatal(err)
	}
	if err := fieldservice.Create(t.Context(), path); !errors.Is(err, fieldservice.ErrNotEmpty) {
		t.Errorf("Create = %v, want ErrNotEmpty", err)
	}
	if got, want := names(t, db, "table"), []string{"mine"}; !cmp.Equal(got, want) {
		t.Errorf("tables afterwards: %q, want %q", got, want)
	}
}

func TestCreateInRefusesOtherDialects(t *testing.T) {
	if err := fieldservice.CreateIn(t.Context(), shared(t), "oracle"); err == nil || errors.Is(err, fieldservice.ErrNotEmpty) {
		t.Errorf("CreateIn = %v, want an error about the dialect", err)
	}
}

func TestCreateLeavesNothingBehindAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(t.TempDir(), "company.db")
	if err := fieldservice.Create(ctx, path); !errors.Is(err, context.Canceled) {
		t.Errorf("Create with a cancelled context = %v", err)
	}
	if err := fieldservice.Create(t.Context(), path); err != nil {
		t.Errorf("Create afterwards: %v", err)
	}
	if err := fieldservice.Create(t.Context(), filepath.Join(t.TempDir(), "no", "such", "folder.db")); err == nil {
		t.Error("Create in a folder that is not there: no error")
	}
}

func TestEveryTableHasRows(t *testing.T) {
	db := shared(t)
	tables := names(t, db, "table")
	if len(tables) != 56 {
		t.Errorf("%d tables, the package comment says 56", len(tables))
	}
	total := 0
	for _, table := range tables {
		n := count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s"`, table))
		if n == 0 {
			t.Errorf("%s is empty", table)
		}
		total += n
	}
	if total < 9_000 || total > 11_000 {
		t.Errorf("%d rows, the package comment says about ten thousand", total)
	}
}

// Every nullable column has both NULLs and values.
func TestNullableColumnsHaveBoth(t *testing.T) {
	db := shared(t)
	for _, table := range names(t, db, "table") {
		for _, column := range query(t, db, `SELECT name FROM pragma_table_info(?) WHERE "notnull" = 0 AND pk = 0`, table) {
			if table == "branch" && column[0] == "managerId" {
				continue // every branch has a manager
			}
			nulls := count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s" WHERE "%s" IS NULL`, table, column[0]))
			if rows := count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s"`, table)); nulls == 0 || nulls == rows {
				t.Errorf("%s.%s is NULL in %d of %d rows", table, column[0], nulls, rows)
			}
		}
	}
}

func TestTheStoryEndsToday(t *testing.T) {
	db := shared(t)
	for _, test := range []struct{ table, column string }{
		{"workTime", "workedOn"}, {"payment", "paidOn"}, {"invoice", "issuedOn"}, {"inspection", "inspectedOn"},
		{"workOrder", "createdOn"}, {"workOrder", "completedOn"}, {"crew", "createdOn"}, {"partUsage", "usedOn"},
		{"order", "orderedOn"}, {"order", "receivedOn"}, {"customerFeedback", "receivedOn"}, {"employee", "hiredOn"},
		{"user", "lastLoginAt"}, {"note", "createdAt"}, {"workOrderStatusChange", "changedAt"}, {"quote", "quotedOn"},
		{"correctiveAction", "closedOn"}, {"employeeSkill", "certifiedOn"}, {"stockCount", "countedOn"},
	} {
		later := count(t, db, fmt.Sprintf(`SELECT count(*) FROM "%s" WHERE date("%s") > '%s'`, test.table, test.column, fieldservice.Today))
		if later != 0 {
			t.Errorf("%d rows of %s have a %s after %s", later, test.table, test.column, fieldservice.Today)
		}
	}
}

func TestTheStoryAddsUp(t *testing.T) {
	db := shared(t)
	for _, test := range []struct{ rule, broken string }{
		{"no two employees have the same name",
			`SELECT count(*) - count(DISTINCT firstName || ' ' || lastName) FROM employee`},
		{"nobody works more than ten hours a day",
			`SELECT count(*) FROM (SELECT 1 FROM workTime GROUP BY employeeId, workedOn HAVING SUM(hours) > 10)`},
		{"hours are logged by members of a crew of that work order",
			`SELECT count(*) FROM workTime w WHERE NOT EXISTS (SELECT 1 FROM crew c JOIN employeeCrew m ON m.crewId = c.id
			 WHERE c.workOrderId = w.workOrderId AND m.employeeId = w.employeeId)`},
		{"each crew has one lead",
			`SELECT count(*) FROM (SELECT 1 FROM employeeCrew GROUP BY crewId HAVING SUM(isLead) <> 1)`},
		{"a work order's site belongs to its customer",
			`SELECT count(*) FROM workOrder o JOIN customerLocation l ON l.id = o.customerLocationId WHERE l.customerId <> o.customerId`},
		{"a completed work order has a date, and no other has",
			`SELECT count(*) FROM workOrder WHERE (workOrderStatusId = 5) <> (completedOn IS NOT NULL)`},
		{"an inspection answers the questions of its own template, all of them",
			`SELECT count(*) FROM inspection i JOIN inspectionQuestion q ON q.inspectionTemplateId = i.inspectionTemplateId
			 LEFT JOIN inspectionAnswer a ON a.inspectionId = i.id AND a.inspectionQuestionId = q.id WHERE a.id IS NULL`},
		{"an invoice is billed to the customer's head office and shipped to a site of his",
			`SELECT count(*) FROM invoice i JOIN customerLocation b ON b.id = i.billingLocationId JOIN customerLocation s
			 ON s.id = i.shippingLocationId WHERE b.customerId <> i.customerId OR s.customerId <> i.customerId OR NOT b.isHeadOffice`},
		{"an invoice's lines come to its net amount",
			`SELECT count(*) FROM invoice i WHERE ROUND(netAmount, 2) <> (SELECT ROUND(SUM(amount), 2) FROM invoiceLine WHERE invoiceId = i.id)`},
		{"an invoice's net amount and tax come to its total",
			`SELECT count(*) FROM invoice WHERE ROUND(netAmount + taxAmount, 2) <> ROUND(total, 2)`},
		{"no invoice is paid more than once over",
			`SELECT count(*) FROM invoice i WHERE (SELECT ROUND(SUM(amount), 2) FROM payment WHERE invoiceId = i.id) > ROUND(total, 2)`},
		{"the last status change is the status",
			`SELECT count(*) FROM workOrder o WHERE workOrderStatusId <> (SELECT toStatusId FROM workOrderStatusChange
			 WHERE workOrderId = o.id ORDER BY id DESC LIMIT 1)`},
	} {
		if n := count(t, db, test.broken); n != 0 {
			t.Errorf("%s: broken %d times", test.rule, n)
		}
	}
}

func BenchmarkCreate(b *testing.B) {
	folder := b.TempDir()
	for n := 0; b.Loop(); n++ {
		if err := fieldservice.Create(b.Context(), filepath.Join(folder, strconv.Itoa(n))); err != nil {
			b.Fatal(err)
		}
	}
}

// create makes a company for one test.
func create(t *testing.T) *sql.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "company.db")
	if err := fieldservice.Create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

var company struct {
	once sync.Once
	path string
	err  error
}

// shared is the company of the tests that only read.
func shared(t *testing.T) *sql.DB {
	t.Helper()
	company.once.Do(func() {
		company.path = filepath.Join(os.TempDir(), fmt.Sprintf("fieldservice-%d.db", os.Getpid()))
		company.err = fieldservice.Create(context.Background(), company.path)
	})
	if company.err != nil {
		t.Fatal(company.err)
	}
	db, err := sql.Open("sqlite", company.path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func TestMain(m *testing.M) {
	code := m.Run()
	if company.path != "" {
		os.Remove(company.path)
	}
	os.Exit(code)
}

// query returns all rows as text, with "NULL" for NULL.
func query(t *testing.T, db *sql.DB, text string, args ...any) [][]string {
	t.Helper()
	all, err := tryQuery(t.Context(), db, text, args...)
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return all
}

func tryQuery(ctx context.Context, db *sql.DB, text string, args ...any) ([][]string, error) {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var all [][]string
	for rows.Next() {
		cells := make([]any, len(columns))
		for i := range cells {
			cells[i] = new(any)
		}
		if err := rows.Scan(cells...); err != nil {
			return nil, err
		}
		row := make([]string, len(cells))
		for i, cell := range cells {
			row[i] = textOf(*cell.(*any))
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "NULL"
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		if v.Equal(v.Truncate(24 * time.Hour)) {
			return v.UTC().Format(time.DateOnly)
		}
		return v.UTC().Format(time.DateTime)
	}
	return fmt.Sprint(value)
}

func count(t *testing.T, db *sql.DB, text string) int {
	t.Helper()
	n, err := strconv.Atoi(query(t, db, text)[0][0])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func names(t *testing.T, db *sql.DB, kind string) []string {
	t.Helper()
	var all []string
	for _, row := range query(t, db, "SELECT name FROM sqlite_schema WHERE type = ? ORDER BY name", kind) {
		all = append(all, row[0])
	}
	if len(all) == 0 {
		t.Fatalf("the database has no %s", kind)
	}
	return all
}

func hashOf(t *testing.T, db *sql.DB) string {
	t.Helper()
	sum := sha256.New()
	for _, table := range names(t, db, "table") {
		for _, row := range query(t, db, fmt.Sprintf(`SELECT * FROM "%s" ORDER BY rowid`, table)) {
			fmt.Fprintf(sum, "%s %q\n", table, row)
		}
	}
	for _, row := range query(t, db, "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name") {
		io.WriteString(sum, row[0]+row[1])
	}
	return hex.EncodeToString(sum.Sum(nil))
}
