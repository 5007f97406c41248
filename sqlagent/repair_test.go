package sqlagent_test

import (
	"database/sql"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqlagent"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// aCompany has people with one department and two addresses, which have cities, and films with a
// language. Order 2 has no buyer, and order 3 one that is gone. A detail has the key of its order.
const aCompany = `
	CREATE TABLE city(id INTEGER PRIMARY KEY, mayor TEXT, population INTEGER);
	CREATE TABLE address(id INTEGER PRIMARY KEY, street TEXT, city_id INTEGER REFERENCES city);
	CREATE TABLE department(id INTEGER PRIMARY KEY, name TEXT, budget INTEGER, floor INTEGER);
	CREATE TABLE person(id INTEGER PRIMARY KEY, surname TEXT, boss INTEGER REFERENCES person, department_id INTEGER REFERENCES department,
		home INTEGER REFERENCES address, work INTEGER REFERENCES address);
	CREATE TABLE language(id INTEGER PRIMARY KEY, name TEXT);
	CREATE TABLE film(id INTEGER PRIMARY KEY, title TEXT, language_id INTEGER REFERENCES language);
	CREATE TABLE buyer(id INTEGER PRIMARY KEY, email TEXT, age INTEGER);
	CREATE TABLE purchase(id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyer, shipped TEXT, worth INTEGER);
	CREATE TABLE detail(id INTEGER PRIMARY KEY REFERENCES purchase, gift INTEGER, code TEXT);
	CREATE TABLE label(id TEXT PRIMARY KEY, gift INTEGER, code TEXT);
	INSERT INTO buyer VALUES (1, 'ann@x.org', 40), (2, 'bob@x.org', 20);
	INSERT INTO purchase VALUES (1, 1, 'y', 10), (2, NULL, 'n', 20), (3, 9, 'y', 30), (4, 1, 'n', 40);
	INSERT INTO detail VALUES (1, 1, 'A'), (4, 0, 'B');
	INSERT INTO department VALUES (1, 'Sales', 10, 2);
	INSERT INTO person VALUES (1, 'Ann', NULL, 1, NULL, NULL), (2, 'Bob', 1, NULL, NULL, NULL)`

// askCompany returns the query of an agent whose model writes a statement, and another one if
// it is asked again.
func askCompany(t *testing.T, opt *sqlagent.Options, statement string) (q qed.Query, rows [][]any, asked bool) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "company.db")
	host, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = host.Exec(aCompany)
	host.Close()
	if err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	schema, err := db.Introspect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	policy := &secureview.Policy{Dialect: "sqlite", Tables: map[string][]string{}}
	for name, table := range schema.Tables {
		policy.Tables[name] = table.Columns
	}
	guard, err := secureview.New(policy, sqlite.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	m := replying(map[string]func(string) string{
		"select_tables": says(`{"tables":["person","purchase"]}`),
		"generate":      says(`{"sql":` + strconv.Quote(statement) + `}`),
		"correct":       func(string) string { asked = true; return `{"sql":"SELECT 1 AS one FROM film"}` },
		"answer":        says("So it is."),
	})
	a, err := sqlagent.New(m, db, guard, schema, opt)
	if err != nil {
		t.Fatal(err)
	}
	_, answer, err := run(t, a, qed.Turn{Text: "What is it?"})
	if err != nil {
		t.Fatal(err)
	}
	if answer.Table != nil {
		rows = answer.Table.Rows
	}
	return answer.Queries[0], rows, asked
}

// A name that can have one meaning only is repaired without the model, and the answer shows it.
func TestRepairedNames(t *testing.T) {
	for _, tt := range []struct {
		name, sql, ran string
		rows           [][]any
	}{
		{"the key of a join", "SELECT id, gift FROM purchase p JOIN detail d ON d.id = p.id WHERE id > 1",
			"SELECT p.id, gift FROM purchase p JOIN detail d ON d.id = p.id WHERE p.id > 1", [][]any{{int64(4), int64(0)}}},
		{"a comma join, groups and an order", "SELECT id, COUNT(*) FROM purchase p, detail d WHERE d.id = p.id GROUP BY id ORDER BY id",
			"SELECT p.id, COUNT(*) FROM purchase p, detail d WHERE d.id = p.id GROUP BY p.id ORDER BY id", [][]any{{int64(1), int64(1)}, {int64(4), int64(1)}}},
		{"an outer join that a condition makes an inner one", "SELECT id FROM purchase p LEFT JOIN detail d ON d.id = p.id WHERE d.gift = 1",
			"SELECT p.id FROM purchase p LEFT JOIN detail d ON d.id = p.id WHERE d.gift = 1", [][]any{{int64(1)}}},
		{"in a subquery", "SELECT gift FROM detail WHERE id IN (SELECT p.id FROM purchase p JOIN detail d ON d.id = p.id WHERE id = 4)",
			"SELECT gift FROM detail WHERE id IN (SELECT p.id FROM purchase p JOIN detail d ON d.id = p.id WHERE p.id = 4)", [][]any{{int64(0)}}},
		{"a column of a table one key away", "SELECT p.id, email FROM purchase p ORDER BY p.id",
			`SELECT "p"."id", "buyer"."email" FROM "purchase" AS "p" LEFT JOIN "buyer" ON "buyer"."id" = "p"."buyer_id" ORDER BY "p"."id"`,
			[][]any{{int64(1), "ann@x.org"}, {int64(2), nil}, {int64(3), nil}, {int64(4), "ann@x.org"}}},
		{"with the wrong table before it", "SELECT p.age, COUNT(*), SUM(p.worth) FROM purchase p GROUP BY p.age ORDER BY 1",
			`SELECT "buyer"."age", count(*) AS "COUNT(*)", sum("p"."worth") AS "SUM(p.worth)" FROM "purchase" AS "p" LEFT JOIN "buyer" ON "buyer"."id" = "p"."buyer_id" GROUP BY "buyer"."age" ORDER BY 1`,
			[][]any{{nil, int64(2), int64(50)}, {int64(40), int64(2), int64(50)}}},
		{"two columns of it", "SELECT email, age FROM purchase WHERE age > 30 AND purchase.worth > 10",
			`SELECT "buyer"."email", "buyer"."age" FROM "purchase" LEFT JOIN "buyer" ON "buyer"."id" = "purchase"."buyer_id" WHERE "buyer"."age" > 30 AND "purchase"."worth" > 10`,
			[][]any{{"ann@x.org", int64(40)}}},
		{"a table that is not joined", "SELECT p.surname, department.name FROM person p ORDER BY p.surname",
			`SELECT "p"."surname", "department"."name" FROM "person" AS "p" LEFT JOIN "department" ON "department"."id" = "p"."department_id" ORDER BY "p"."surname"`,
			[][]any{{"Ann", "Sales"}, {"Bob", nil}}},
		{"of the boss", "SELECT b.floor FROM person p JOIN person b ON b.id = p.boss",
			`SELECT "department"."floor" FROM "person" AS "p" JOIN "person" AS "b" ON "b"."id" = "p"."boss" LEFT JOIN "department" ON "department"."id" = "b"."department_id"`,
			[][]any{{int64(2)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, rows, asked := askCompany(t, nil, tt.sql)
			if asked || q.Written != tt.ran {
				t.Fatalf("asked %v, written\n%s\nwant\n%s", asked, q.Written, tt.ran)
			}
			if diff := cmp.Diff(tt.rows, rows); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
			if len(q.Corrections) != 1 || q.Corrections[0].Query != tt.sql || !strings.Contains(q.Corrections[0].Reason, "without the model") {
				t.Errorf("the corrections are %+v", q.Corrections)
			}
		})
	}
}

// A name that may have two meanings goes to the model.
func TestNamesThatStay(t *testing.T) {
	inferred := &joinpath.Schema{
		Tables: map[string]joinpath.Table{"film": {Columns: []string{"id"}}, "buyer": {Columns: []string{"id"}}},
		Relationships: []joinpath.Relationship{
			{FromTable: "film", FromColumn: "id", ToTable: "buyer", ToColumn: "id", Type: joinpath.Inferred, Confidence: 0.9},
			{FromTable: "film", FromColumn: "id", ToTable: "purchase", ToColumn: "worth", Type: joinpath.Manual, Confidence: 1, Cardinality: joinpath.ManyToOne},
		},
	}
	for name, sql := range map[string]string{
		"rows without a match":                "SELECT id FROM purchase p LEFT JOIN detail d ON d.id = p.id",
		"a right join":                        "SELECT id FROM detail d RIGHT JOIN purchase p ON d.id = p.id",
		"the ON of an outer join":             "SELECT p.worth FROM purchase p LEFT JOIN detail d ON d.id = p.id AND id > 1",
		"no key of the join":                  "SELECT code FROM detail d JOIN label l ON l.gift = d.gift",
		"texts that may differ in case":       "SELECT code FROM detail d JOIN label l ON l.code = d.code",
		"a number and a text":                 "SELECT id FROM detail d JOIN label l ON l.id = d.id",
		"equal or something else":             "SELECT id FROM purchase p JOIN detail d ON d.id = p.id OR d.gift = 1",
		"not equal":                           "SELECT id FROM purchase p JOIN detail d ON d.id <> p.id",
		"equal in a condition of groups":      "SELECT id FROM purchase p, detail d GROUP BY d.id, p.id HAVING d.id = p.id",
		"equal to a sum":                      "SELECT id FROM purchase p JOIN detail d ON d.id = p.id + 0",
		"more than the guard lists":           "SELECT id FROM detail a" + strings.Repeat(" JOIN detail b% ON b%.id = a.id", 7) + " JOIN label l ON l.gift = a.gift",
		"one of three":                        "SELECT id FROM purchase p JOIN detail d ON d.id = p.id JOIN buyer b ON b.id = p.buyer_id",
		"a name of two tables":                "SELECT gift FROM purchase",
		"two keys":                            "SELECT street FROM person",
		"two keys away":                       "SELECT population FROM person",
		"the many side":                       "SELECT worth FROM buyer",
		"two people":                          "SELECT floor FROM person p JOIN person b ON b.id = p.boss",
		"another word for the name":           "SELECT name FROM film",
		"a similar name":                      "SELECT f.titles FROM film f",
		"repeated rows":                       "SELECT SUM(age) FROM purchase",
		"an average of repeated rows":         "SELECT AVG(p.age) FROM purchase p",
		"all columns":                         "SELECT *, email FROM purchase",
		"an alias of that name":               "SELECT worth AS email FROM purchase WHERE email > 5",
		"a text in double quotes":             `SELECT id FROM purchase WHERE shipped = "email"`,
		"a common table expression":           "WITH x AS (SELECT email FROM buyer) SELECT email FROM purchase",
		"a subquery":                          "SELECT id FROM detail WHERE id IN (SELECT p.id FROM purchase p WHERE email = 'x')",
		"a set operation":                     "SELECT email FROM purchase UNION SELECT surname FROM person",
		"no relationship":                     "SELECT email FROM person",
		"another table has the name":          "SELECT buyer.email FROM purchase buyer",
		"an alias of the table that is there": "SELECT buyer.email FROM purchase p JOIN buyer b ON b.id = p.buyer_id",
		"a table with two keys":               "SELECT address.street FROM person",
		"one more that is unknown":            "SELECT email, nonsense FROM purchase",
		"two tables at once":                  "SELECT p.email, d.worth FROM purchase p, detail d WHERE d.id = p.id",
		"an inferred relationship":            "SELECT email FROM film",
		"a relationship to no key":            "SELECT shipped FROM film",
		"another name has two meanings then":  "SELECT p.surname, p.floor, name FROM person p JOIN film f ON f.id = p.id",
	} {
		for i := 0; strings.Contains(sql, "%"); i++ {
			sql = strings.Replace(sql, "b% ON b%", "b"+strconv.Itoa(i)+" ON b"+strconv.Itoa(i), 1)
		}
		t.Run(name, func(t *testing.T) { stays(t, &sqlagent.Options{Graph: inferred}, sql) })
	}
	t.Run("hidden columns", func(t *testing.T) {
		for _, sql := range []string{"SELECT email FROM purchase", "SELECT id FROM purchase p JOIN detail d ON d.id = p.id"} {
			stays(t, &sqlagent.Options{HideColumns: true}, sql)
		}
	})
}

func stays(t *testing.T, opt *sqlagent.Options, sql string) {
	t.Helper()
	q, _, asked := askCompany(t, opt, sql)
	for _, c := range q.Corrections {
		asked = asked && !strings.Contains(c.Reason, "without the model")
	}
	if !asked && q.Written != sql {
		t.Errorf("%s was repaired: %s", sql, q.Written)
	}
}

// The other dialects are repaired in the same way.
func TestRepairedNamesOfDialects(t *testing.T) {
	const named = "SELECT id FROM purchase p JOIN detail d ON d.id = p.id GROUP BY id"
	schema := schemaOf([]string{"buyer(id*, age)", "purchase(id*, buyer_id, worth)", "detail(id*, gift)"},
		join("purchase.buyer_id = buyer.id", "", true), join("detail.id = purchase.id", "", true))
	for _, tt := range []struct {
		dialect  dialect.Dialect
		sql, ran string
	}{
		{mysql.Dialect{}, named, "SELECT p.id FROM purchase p JOIN detail d ON d.id = p.id GROUP BY p.id"},
		{postgres.Dialect{}, named, "SELECT p.id FROM purchase p JOIN detail d ON d.id = p.id GROUP BY p.id"},
		{mysql.Dialect{}, "SELECT age, COUNT(*) AS n FROM purchase GROUP BY age",
			"SELECT `buyer`.`age`, count(*) AS `n` FROM `purchase` LEFT JOIN `buyer` ON `buyer`.`id` = `purchase`.`buyer_id` GROUP BY `buyer`.`age`"},
		{postgres.Dialect{}, "SELECT p.Age FROM purchase AS p",
			`SELECT "buyer"."age" FROM "purchase" AS "p" LEFT JOIN "buyer" ON "buyer"."id" = "p"."buyer_id"`},
	} {
		policy := &secureview.Policy{Schema: "main", Tables: map[string][]string{}}
		for name, table := range schema.Tables {
			policy.Tables[name] = table.Columns
		}
		guard, err := secureview.New(policy, tt.dialect)
		if err != nil {
			t.Fatal(err)
		}
		m := replying(map[string]func(string) string{
			"select_tables": says(`{"tables":["purchase"]}`), "generate": says(`{"sql":` + strconv.Quote(tt.sql) + `}`),
			"correct": says(`{"sql":"SELECT 1 AS one FROM buyer"}`), "answer": says("So it is."),
		})
		a, err := sqlagent.New(m, &database{}, guard, schema, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, answer, err := run(t, a, qed.Turn{Text: "What is it?"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.ran, answer.Queries[0].Written); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.dialect.Name(), diff)
		}
	}
}
