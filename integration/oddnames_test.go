package integration_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// A name that no policy can have costs the table or the column, not the database. A
// view over something that is excluded is left out.
func TestLeftOut(t *testing.T) {
	const common = `
		CREATE TABLE good(id int PRIMARY KEY, name varchar(20)); INSERT INTO good VALUES (1, 'Ann');
		CREATE TABLE hidden(id int, pay int);
		CREATE VIEW plain AS SELECT id FROM good;
		CREATE VIEW fixed AS SELECT 1 AS one;
		CREATE VIEW pays AS SELECT id AS who, pay AS much FROM hidden WHERE pay > 0;
		CREATE VIEW paid AS SELECT g.name, p.much FROM good g JOIN pays p ON p.who = g.id;
		CREATE VIEW counted AS SELECT count(*) AS n FROM hidden;
		CREATE VIEW twice AS SELECT p.id FROM plain p;
		CREATE TABLE wage(id int, pay int, bonus int, yearly int GENERATED ALWAYS AS (pay * 12) STORED);
		CREATE TABLE login(id int, token varchar(9)); CREATE VIEW logins AS SELECT id FROM login; CREATE VIEW fresh AS SELECT id, token FROM login;
		CREATE VIEW hint AS SELECT id, token AS hint FROM login; CREATE VIEW hints(a, b) AS SELECT * FROM login; CREATE VIEW hinted AS SELECT a FROM hints;`
	const apart = `CREATE DATABASE left_apart; CREATE VIEW left_apart.pays AS SELECT pay FROM left_out.hidden;
		CREATE VIEW through AS SELECT * FROM left_apart.pays;`
	views := []string{
		"paid reads pays, which reads hidden, which is excluded",
		"pays reads hidden, which is excluded",
		"wage.yearly uses wage.pay, which is excluded",
		"login.token looks like a secret", "fresh.token looks like a secret",
		"hint uses login.token, which looks like a secret", "hints uses login.token, which looks like a secret",
		"hinted reads hints, which uses login.token, which looks like a secret",
	}
	latin := func(t *testing.T, name, script string) *sqldb.DB {
		root := openPGX(t, pgServer(t))
		pgExec(t, root, "CREATE DATABASE "+name+" TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'")
		t.Cleanup(func() { root.Exec("DROP DATABASE " + name + " WITH (FORCE)") })
		config := pgServer(t)
		config.Database = name
		pool := openPGX(t, config)
		pgExec(t, pool, script)
		return openPostgresDB(t, nil, pool)
	}
	for _, tt := range []struct {
		name    string
		dialect dialect.Dialect
		schema  string
		open    func(t *testing.T) *sqldb.DB
		left    []string
	}{
		{"PostgreSQL", postgres.Dialect{}, "public", func(t *testing.T) *sqldb.DB {
			p := newPostgres(t, pgServer(t), "left_out", common+`
				CREATE SCHEMA left_apart;
				CREATE TABLE odd(id int, "A" int, a int, "first	name" text); CREATE TABLE "Order"(id int); CREATE TABLE "order"(id int);
				CREATE FUNCTION pay() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(pay) FROM public.hidden';
				CREATE VIEW called AS SELECT pay() AS pay;
				CREATE FUNCTION pay(int, int) RETURNS bigint LANGUAGE sql STABLE AS 'SELECT sum(pay) FROM public.hidden';
				CREATE OPERATOR ### (leftarg = int, rightarg = int, function = pay); CREATE VIEW operated AS SELECT 1 ### 2 AS pay;
				CREATE VIEW measured AS SELECT most_common_vals::text AS v FROM pg_stats;
				CREATE VIEW quoted AS SELECT query_to_xml('SELECT * FROM public.hidden', true, true, '') AS x;
				CREATE MATERIALIZED VIEW kept AS SELECT pay FROM hidden;
				CREATE TABLE old(id int) PARTITION BY RANGE (id); CREATE TABLE older PARTITION OF old DEFAULT;
				CREATE VIEW olds AS SELECT id FROM older;
				CREATE TABLE everyone(id int); ALTER TABLE hidden INHERIT everyone; CREATE VIEW staff AS SELECT id FROM everyone;
				CREATE TABLE best(id int); ALTER TABLE good INHERIT best;
				CREATE TABLE top(id int); CREATE TABLE left_apart.middle() INHERITS (top); ALTER TABLE hidden INHERIT left_apart.middle;
				CREATE VIEW apart AS SELECT id FROM left_apart.middle;
				CREATE VIEW left_apart.pays AS SELECT pay FROM hidden; CREATE VIEW through AS SELECT * FROM left_apart.pays;
				CREATE VIEW unseen AS SELECT pay FROM hidden; CREATE VIEW layered AS SELECT pay FROM unseen;
				CREATE VIEW whole AS SELECT to_jsonb(l) AS j FROM login l; CREATE VIEW logged AS SELECT count(*) AS n FROM login l;
				CREATE TABLE left_apart.key(id int, api_key text); CREATE VIEW left_apart.keys AS SELECT api_key AS k FROM left_apart.key;
				CREATE VIEW keys AS SELECT k FROM left_apart.keys;
				GRANT SELECT ON ALL TABLES IN SCHEMA public TO left_out; REVOKE ALL ON unseen FROM left_out`)
			return p.open(t, nil)
		}, []string{
			"Order differs from order in letter case only",
			"apart reads hidden, which is excluded",
			"called is a view, and it is not known whether it reads something that is excluded",
			"everyone reads hidden, which is excluded",
			"operated is a view, and it is not known whether it reads something that is excluded",
			"measured is a view, and it is not known whether it reads something that is excluded",
			"kept reads hidden, which is excluded", "layered reads hidden, which is excluded",
			"keys uses left_apart.keys.api_key, which looks like a secret", "whole uses login.token, which looks like a secret",
			"odd.A differs from a in letter case only", "odd.a differs from A in letter case only",
			`"odd.first\tname" has control characters or invalid UTF-8 in its name`,
			"olds reads old, which is excluded",
			"order differs from Order in letter case only",
			"quoted is a view, and it is not known whether it reads something that is excluded",
			"staff reads everyone, which reads hidden, which is excluded",
			"through reads hidden, which is excluded",
			"top reads hidden, which is excluded",
		}},
		{"PostgreSQL without an encoding", postgres.Dialect{}, "public", func(t *testing.T) *sqldb.DB {
			return latin(t, "left_out_bytes", common+"CREATE TABLE old(id int);"+
				`DO $$ BEGIN EXECUTE format('CREATE TABLE %I(id int)', 'b' || chr(255)) ; END $$`)
		}, []string{`"b\xff" has control characters or invalid UTF-8 in its name`}},
		{"MariaDB", mysql.Dialect{}, "left_out", func(t *testing.T) *sqldb.DB {
			server := integration.MariaDBOwn(t, "--lower-case-table-names=0").Config()
			m := newMaria(t, server, "left_out", common+"CREATE TABLE old(id int); CREATE TABLE odd(id int, `first\tname` int);"+
				"CREATE TABLE `Order`(id int); CREATE TABLE `order`(id int); CREATE TABLE `tab\tname`(id int); CREATE VIEW unnamed AS SELECT '', id FROM good;"+apart)
			return m.openAsRoot(t, server, nil)
		}, []string{
			"Order differs from order in letter case only", "order differs from Order in letter case only",
			`"odd.first\tname" has control characters or invalid UTF-8 in its name`,
			`"tab\tname" has control characters or invalid UTF-8 in its name`,
			"through reads hidden, which is excluded",
		}},
		{"MySQL", mysql.Dialect{}, "left_out", func(t *testing.T) *sqldb.DB {
			m := newMaria(t, integration.MySQL(t), "left_out", common+"CREATE TABLE old(id int); CREATE TABLE odd(id int, `first\tname` int);"+apart)
			t.Cleanup(func() { m.admin.Exec("DROP DATABASE left_apart") })
			return m.openAsRoot(t, integration.MySQL(t), nil)
		}, []string{`"odd.first\tname" has control characters or invalid UTF-8 in its name`, "through reads hidden, which is excluded"}},
		{"SQLite", sqlite.Dialect{}, "", func(t *testing.T) *sqldb.DB {
			file := filepath.Join(t.TempDir(), "left.db")
			pool, err := sql.Open("sqlite", file)
			if err != nil {
				t.Fatal(err)
			}
			defer pool.Close()
			if _, err := pool.Exec(common + `CREATE TABLE old(id int); CREATE TABLE odd(id int, "" text, "first	name" text);
				CREATE VIRTUAL TABLE found USING fts5(body); CREATE VIRTUAL TABLE notes USING fts5(body);
				CREATE TRIGGER finds AFTER INSERT ON hidden BEGIN INSERT INTO found VALUES (new.pay); END;
				CREATE VIRTUAL TABLE tri USING fts5(body);
				CREATE VIRTUAL TABLE signs USING fts5(body, password); CREATE VIRTUAL TABLE words USING fts5(body);
				CREATE TRIGGER words_ai AFTER INSERT ON login BEGIN INSERT INTO words VALUES (new.token); END;
				CREATE TABLE "` + strings.Repeat("n", 300) + `"(id int)`); err != nil {
				t.Fatal(err)
			}
			db, err := sqlitedb.Open(file, nil)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { db.Close() })
			return db
		}, []string{
			"found reads hidden, which is excluded", "signs uses signs.password, which looks like a secret",
			"words uses login.token, which looks like a secret",
			strings.Repeat("n", 300) + " has a name of 300 bytes",
			"odd. has an empty name",
			`"odd.first\tname" has control characters or invalid UTF-8 in its name`,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := tt.open(t)
			schema, err := db.Introspect(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			policy, omitted, err := sqldb.PolicyFor(schema, &sqldb.PolicyOptions{
				Dialect: tt.dialect.Name(), Exclude: []string{"hidden", "old", "wage.pay"}, Include: []string{"counted"},
			})
			if err != nil {
				t.Fatal(err)
			}
			var left []string
			for _, o := range omitted {
				left = append(left, o.String())
			}
			want := slices.Concat(tt.left, views)
			slices.Sort(want)
			slices.Sort(left)
			if diff := cmp.Diff(want, left); diff != "" {
				t.Errorf("left out (-want +got):\n%s", diff)
			}
			guard, err := secureview.New(policy, tt.dialect)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := sqldb.Readable(schema, guard); err != nil {
				t.Error(err)
			}
			got, err := db.QueryText(t.Context(), guard, "SELECT good.name, counted.n, (SELECT count(id) FROM logins) AS l FROM good, counted, plain, twice WHERE twice.id = plain.id")
			if err != nil || pgRows(got) != "Ann 0 0" {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
