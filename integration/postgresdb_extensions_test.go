package integration_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// extensionStatements are compared with the same text on a connection whose search path
// has the extensions' schema.
var extensionStatements = []string{
	`SELECT id FROM u WHERE email = 'ann@x.org' ORDER BY id`,
	`SELECT id FROM u WHERE email <> 'ann@x.org' ORDER BY id`,
	`SELECT id FROM u WHERE email IN ('ann@x.org', 'nobody') ORDER BY id`,
	`SELECT id FROM u WHERE email NOT IN (SELECT user_email FROM ev) ORDER BY id`,
	`SELECT id FROM u WHERE email = ANY (ARRAY['ann@x.org']) ORDER BY id`,
	`SELECT id FROM u WHERE email = ANY (SELECT user_email FROM ev) ORDER BY id`,
	`SELECT id FROM u WHERE 'B' = ANY (tags) ORDER BY id`,
	`SELECT id FROM u WHERE (email, id) = ('ann@x.org', 1)`,
	`SELECT id FROM u WHERE (email, id) IN (SELECT user_email, id FROM ev) ORDER BY id`,
	`SELECT id FROM u WHERE email BETWEEN 'ANN' AND 'ann@z' ORDER BY id`,
	`SELECT id FROM u WHERE email LIKE 'ann%' ORDER BY id`,
	`SELECT id FROM u WHERE email NOT LIKE 'ann%' ORDER BY id`,
	`SELECT id FROM u WHERE email ILIKE 'ANN%' ORDER BY id`,
	`SELECT id FROM u WHERE email ~~* 'ANN%' ORDER BY id`,
	`SELECT id FROM u WHERE email ~ '^ann' ORDER BY id`,
	`SELECT id FROM u WHERE email !~ '^ann' ORDER BY id`,
	`SELECT id FROM u WHERE email SIMILAR TO 'ann%' ORDER BY id`,
	`SELECT id FROM u WHERE email IS DISTINCT FROM 'ann@x.org' ORDER BY id`,
	`SELECT id FROM u WHERE nullif(email, 'ann@x.org') IS NULL ORDER BY id`,
	`SELECT id, CASE email WHEN 'ann@x.org' THEN 1 ELSE 0 END FROM u ORDER BY id`,
	`SELECT u.id, sum(e.n) FROM u JOIN ev e ON e.user_email = u.email GROUP BY u.id ORDER BY u.id`,
	`SELECT u.id, e.n FROM u LEFT JOIN ev e ON e.user_email = u.email AND e.n > 5 ORDER BY u.id`,
	`SELECT id, n FROM u JOIN (SELECT user_email AS email, n FROM ev) e USING (email) ORDER BY id`,
	`SELECT id, n FROM u NATURAL JOIN (SELECT user_email AS email, n FROM ev) e ORDER BY id`,
	`SELECT lower(email), count(*) FROM u GROUP BY email ORDER BY 1`,
	`SELECT count(DISTINCT email) FROM u`,
	`SELECT count(*) FROM (SELECT DISTINCT email FROM u) d`,
	`SELECT id FROM u ORDER BY email DESC, id`,
	`SELECT id, row_number() OVER (PARTITION BY email ORDER BY id) FROM u ORDER BY id`,
	`SELECT lower(max(email)), lower(min(email)) FROM u`,
	`SELECT replace(email, 'X.ORG', 'y'), split_part(email, 'X', 1), strpos(email, 'x') FROM u ORDER BY id`,
	`SELECT translate(email, 'ax', 'bz'), lower(email), length(email), upper(email) FROM u ORDER BY id`,
	`SELECT regexp_replace(email, 'ANN', 'm'), regexp_match(email, 'ANN') FROM u ORDER BY id`,
	`SELECT count(*) FROM (SELECT email FROM u UNION SELECT user_email FROM ev) x`,
	`SELECT count(*) FROM (SELECT email FROM u INTERSECT SELECT user_email FROM ev) x`,
	`WITH d AS (SELECT email AS e FROM u) SELECT count(*) FROM d WHERE e = 'ann@x.org'`,
	`SELECT id FROM uv WHERE email = 'ann@x.org' ORDER BY id`,
	`SELECT id FROM dom WHERE mail = 'ANN@x.org'`,
	`SELECT id FROM u WHERE name = 'a'`,
	`SELECT max(name), replace(name, 'A', 'x') FROM u GROUP BY name ORDER BY 1`,
	`SELECT id FROM tree WHERE path <@ 'a.b' ORDER BY id`,
	`SELECT id FROM tree WHERE path @> 'a.b.c' ORDER BY id`,
	`SELECT id FROM tree WHERE path ~ 'a.*{1}' ORDER BY id`,
	`SELECT id FROM tree WHERE path = 'a.b' OR path > 'b' ORDER BY id`,
	`SELECT (path || 'z')::text FROM tree ORDER BY id`,
	`SELECT id FROM kv WHERE h -> 'a' = '1'`,
	`SELECT id FROM kv WHERE h @> 'a=>1' ORDER BY id`,
	`SELECT id FROM kv WHERE h ? 'b'`,
	`SELECT id FROM kv WHERE h = 'a=>1'`,
	`SELECT id FROM u WHERE name % 'bbbc' ORDER BY id`,
}

const extensionScript = `
	CREATE SCHEMA IF NOT EXISTS ext;
	CREATE EXTENSION citext SCHEMA ext; CREATE EXTENSION ltree SCHEMA ext; CREATE EXTENSION hstore SCHEMA ext;
	CREATE EXTENSION pg_trgm SCHEMA ext;
	CREATE DOMAIN mail AS ext.citext;
	CREATE TABLE u(id int PRIMARY KEY, email ext.citext, name text, tags ext.citext[]);
	INSERT INTO u VALUES (1, 'Ann@X.org', 'a', '{a,b}'), (2, 'bob@x.org', 'bbbb', '{}'), (3, 'ANN@x.ORG', 'c', NULL);
	CREATE TABLE ev(id int PRIMARY KEY, user_email ext.citext, n int);
	INSERT INTO ev VALUES (1, 'ann@x.org', 5), (2, 'BOB@X.ORG', 6);
	CREATE VIEW uv AS SELECT * FROM u;
	CREATE TABLE dom(id int, mail mail); INSERT INTO dom VALUES (1, 'Ann@X.org'), (2, 'x');
	CREATE TABLE tree(id int, path ext.ltree); INSERT INTO tree VALUES (1, 'a'), (2, 'a.b'), (3, 'a.b.c'), (4, 'c');
	CREATE TABLE kv(id int, h ext.hstore); INSERT INTO kv VALUES (1, 'a=>1'), (2, 'b=>2, a=>3');
	GRANT USAGE ON SCHEMA ext TO ACCOUNT; GRANT SELECT ON ALL TABLES IN SCHEMA public TO ACCOUNT`

// needsExtension skips a test whose extension the server does not have. PostgreSQL 15 of
// Debian has those that come with it, and the programs of PostgreSQL 18 have vector: each
// test runs on one of them.
func needsExtension(t *testing.T, name string) {
	t.Helper()
	var has bool
	if err := openPGX(t, pgServer(t)).QueryRow("SELECT count(*) > 0 FROM pg_available_extensions WHERE name = $1", name).Scan(&has); err != nil {
		t.Fatal(err)
	}
	if !has {
		t.Skip("the server does not have the extension " + name)
	}
}

// newExtensions creates a database with the extensions in a schema.
func newExtensions(t *testing.T, schema string) *pgDatabase {
	t.Helper()
	needsExtension(t, "citext")
	name := strings.ToLower(t.Name()[strings.LastIndexAny(t.Name(), "/_")+1:]) + "_types"
	script := strings.NewReplacer("ext.", schema+".", "SCHEMA ext", "SCHEMA "+schema, "EXISTS ext", "EXISTS "+schema, "ACCOUNT", name)
	return newPostgres(t, pgServer(t), name, script.Replace(extensionScript))
}

func extensionGuard(t *testing.T) (*secureview.Policy, *secureview.Guard) {
	policy := &secureview.Policy{
		Dialect: "postgres", Schema: "public",
		Tables: map[string][]string{
			"u": {"id", "email", "name", "tags"}, "ev": {"id", "user_email", "n"}, "uv": {"id", "email", "name"},
			"dom": {"id", "mail"}, "tree": {"id", "path"}, "kv": {"id", "h"},
		},
	}
	guard, err := secureview.New(policy, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	return policy, guard
}

// Statements with types of extensions have the rows that PostgreSQL itself returns,
// wherever the extensions are.
func TestPostgresExtensionTypes(t *testing.T) {
	for _, schema := range []string{"ext", "public"} {
		t.Run(schema, func(t *testing.T) {
			p := newExtensions(t, schema)
			direct := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{
				Session: pgSession(&sqldb.Session{SearchPath: []string{"public", schema}}),
			}}, openPGX(t, p.adminConfig()))
			policy, guard := extensionGuard(t)
			db := p.open(t, nil)
			if err := db.Check(t.Context(), policy); err != nil {
				t.Error(err)
			}
			for range 2 { // the second time with what is known of the first
				for _, text := range extensionStatements {
					want, err := direct.Query(t.Context(), pgUnguarded(t, text, "public", "u", "ev", "uv", "dom", "tree", "kv"))
					if err != nil {
						t.Fatalf("%s: %v", text, err)
					}
					got, err := db.QueryText(t.Context(), guard, text)
					if err != nil || pgRows(got) != pgRows(want) {
						t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
					}
				}
			}
		})
	}
}

// An operator that somebody could put next to those of an extension is never called: the
// statement is refused, with a remedy that works.
func TestPostgresExtensionSchemas(t *testing.T) {
	const statement = `SELECT max(id) FROM u WHERE email = name HAVING count(*) > 0`
	const trap = `
		CREATE FUNCTION ext.trap(ext.citext, text) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
		CREATE OPERATOR ext.= (FUNCTION = ext.trap, LEFTARG = ext.citext, RIGHTARG = text)`
	for _, tt := range []struct{ name, script, want, remedy string }{
		{"everybody", "GRANT CREATE ON SCHEMA ext TO PUBLIC", "everybody may create operators", "REVOKE CREATE ON SCHEMA ext FROM PUBLIC"},
		{"unusable", "REVOKE USAGE ON SCHEMA ext FROM ACCOUNT", "the account may not use", "GRANT USAGE ON SCHEMA ext TO ACCOUNT"},
		{"operator", trap, "= belongs to no extension", "DROP OPERATOR ext.= (ext.citext, text)"},
		{"function", "CREATE FUNCTION ext.max(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT 1'", "max belongs to no extension", "DROP FUNCTION ext.max(text)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newExtensions(t, "ext")
			_, guard := extensionGuard(t)
			script := func(text string) { pgExec(t, p.admin, strings.ReplaceAll(text, "ACCOUNT", p.account.User)) }
			script(tt.script)
			db := p.open(t, nil)
			_, err := db.QueryText(t.Context(), guard, statement)
			if !errors.Is(err, sqldb.ErrAccount) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			// What reads no such column is as before.
			if got, err := db.QueryText(t.Context(), guard, `SELECT id FROM u WHERE name = 'a'`); err != nil || pgRows(got) != "1" {
				t.Errorf("without the type: %v, %v", got, err)
			}
			script(tt.remedy)
			if got, err := db.QueryText(t.Context(), guard, statement); err != nil || len(got.Rows) != 0 {
				t.Errorf("after the remedy: %v, %v", got, err)
			}
		})
	}
	t.Run("own", func(t *testing.T) {
		p := newExtensions(t, "ext")
		_, guard := extensionGuard(t)
		pgExec(t, p.admin, "GRANT CREATE ON SCHEMA ext TO "+p.account.User)
		db := p.open(t, nil)
		if got, err := db.QueryText(t.Context(), guard, statement); err != nil || len(got.Rows) != 0 {
			t.Errorf("before: %v, %v", got, err)
		}
		pgExec(t, openPGX(t, p.account), trap)
		if got, err := db.QueryText(t.Context(), guard, statement); !errors.Is(err, sqldb.ErrAccount) {
			t.Errorf("with an operator of the account: %v, %v", got, err)
		}
	})
	t.Run("elsewhere", func(t *testing.T) { // a schema of somebody else has operators for the type
		p := newExtensions(t, "ext")
		_, guard := extensionGuard(t)
		pgExec(t, p.admin, "CREATE SCHEMA other; GRANT ALL ON SCHEMA other TO PUBLIC;"+
			strings.NewReplacer("ext.trap", "other.trap", "ext.=", "other.=").Replace(trap))
		if got, err := p.open(t, nil).QueryText(t.Context(), guard, statement); err != nil || len(got.Rows) != 0 {
			t.Errorf("got %v, %v", got, err)
		}
	})
	t.Run("session", func(t *testing.T) {
		p := newExtensions(t, "ext")
		_, guard := extensionGuard(t)
		pgExec(t, p.admin, "CREATE SCHEMA app; GRANT USAGE ON SCHEMA app TO PUBLIC;"+
			"CREATE FUNCTION app.replace(varchar, varchar, varchar) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'x'$$")
		db := p.open(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(&sqldb.Session{SearchPath: []string{"app"}})}})
		if got, err := db.QueryText(t.Context(), guard, "SELECT replace(name, 'a', 'b') FROM u"); !errors.Is(err, sqldb.ErrSession) {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

// Check names the schema of a type that the account cannot use.
func TestPostgresExtensionCheck(t *testing.T) {
	p := newExtensions(t, "ext")
	policy, _ := extensionGuard(t)
	pgExec(t, p.admin, "REVOKE USAGE ON SCHEMA ext FROM "+p.account.User)
	db := p.open(t, nil)
	var failed *sqldb.Error
	if err := db.Check(t.Context(), policy); !errors.As(err, &failed) || len(failed.Findings) != 1 ||
		failed.Findings[0].Kind != sqldb.CannotRead || failed.Findings[0].Object != "ext" {
		t.Fatalf("got %v", err)
	}
	pgExec(t, p.admin, failed.Findings[0].Fix)
	if err := db.Check(t.Context(), policy); err != nil {
		t.Error(err)
	}
}

// The distances of pgvector need no search path of the host.
func TestPostgresVector(t *testing.T) {
	needsExtension(t, "vector")
	p := newPostgres(t, pgServer(t), "vectors", `
		CREATE SCHEMA ext; CREATE EXTENSION vector SCHEMA ext;
		CREATE TABLE doc(id int, v ext.vector(3)); INSERT INTO doc VALUES (1, '[1,0,0]'), (2, '[0,1,0]'), (3, '[0.9,0.1,0]');
		CREATE INDEX ON doc USING hnsw (v ext.vector_l2_ops);
		GRANT USAGE ON SCHEMA ext TO vectors; GRANT SELECT ON doc TO vectors`)
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "postgres", Schema: "public", Tables: map[string][]string{"doc": {"id", "v"}},
	}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	db := p.open(t, nil)
	for text, want := range map[string]string{
		"SELECT id FROM doc ORDER BY v <-> '[1,0,0]', id LIMIT 2":             "1 3",
		"SELECT id FROM doc ORDER BY v <=> '[0,2,0]', id LIMIT 1":             "2",
		"SELECT id FROM doc ORDER BY v <#> '[1,0,0]', id LIMIT 2":             "1 3",
		"SELECT id FROM doc ORDER BY v <+> '[1,0,0]', id LIMIT 2":             "1 3",
		"SELECT id FROM doc WHERE v = '[0,1,0]'":                              "2",
		"SELECT a.id FROM doc a JOIN doc b ON b.id = 1 ORDER BY a.v <-> b.v":  "1 3 2",
		"SELECT id FROM doc WHERE v <+> '[1,0,0]'::vector(3) < 1 ORDER BY id": "1 3",
		"SELECT a.id FROM doc a JOIN doc b USING (v) ORDER BY a.id":           "1 2 3",
	} {
		if got, err := db.QueryText(t.Context(), guard, text); err != nil || pgRows(got) != want {
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
}

// A column of USING has the common type of its tables' columns. The text of a statement
// has one of these, so that their types must be alike where it is used.
func TestPostgresMergedColumns(t *testing.T) {
	needsExtension(t, "citext")
	p := newPostgres(t, pgServer(t), "merged", `
		CREATE EXTENSION citext;
		CREATE TABLE a(id int, big bigint, v varchar(5), d date, mail citext); INSERT INTO a VALUES (1, 1, 'x', '2024-01-01', 'X');
		CREATE TABLE b(id numeric, big int, v text, d timestamp, mail text); INSERT INTO b VALUES (1, 1, 'x', '2024-01-01', 'X');
		CREATE TABLE c(id int, note text); INSERT INTO c VALUES (1, 'n');
		GRANT SELECT ON ALL TABLES IN SCHEMA public TO merged`)
	guard, err := secureview.New(&secureview.Policy{
		Dialect: "postgres", Schema: "public", Tables: map[string][]string{
			"a": {"id", "big", "v", "d", "mail"}, "b": {"id", "big", "v", "d", "mail"}, "c": {"id", "note"},
		},
	}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	db := p.open(t, nil)
	for text, want := range map[string]string{ // an empty text: refused
		"SELECT a.id / 2 FROM a JOIN b USING (id)":                       "0",
		"SELECT a.id / 2 FROM a JOIN b ON a.id = b.id":                   "0",
		"SELECT count(*) FROM a JOIN b USING (id)":                       "1",
		"SELECT big, v FROM a JOIN b USING (big, v)":                     "1 x",
		"SELECT id / 2 FROM a JOIN c USING (id)":                         "0",
		"SELECT coalesce(a.id, b.id) / 2 FROM a FULL JOIN b USING (id)":  "0.50000000000000000000",
		"SELECT id / 2 FROM a FULL JOIN b USING (id)":                    "0.50000000000000000000",
		"SELECT id / 2 FROM a JOIN b USING (id)":                         "",
		"SELECT id / 2 FROM a LEFT JOIN b USING (id)":                    "",
		"SELECT id FROM a RIGHT JOIN b USING (id)":                       "",
		"SELECT d FROM a JOIN b USING (d)":                               "",
		"SELECT * FROM a JOIN b USING (d)":                               "",
		"SELECT d FROM (SELECT d FROM a JOIN b USING (d)) x":             "",
		"SELECT 1 FROM a JOIN b USING (mail) WHERE mail = 'x'":           "",
		"SELECT note FROM a JOIN b USING (id) JOIN c USING (id)":         "",
		"SELECT id FROM a NATURAL JOIN b":                                "",
		"SELECT a.v FROM a JOIN b USING (v, id) GROUP BY a.v, id":        "",
		"SELECT 1 FROM a JOIN b USING (id) WHERE EXISTS (SELECT id + 1)": "",
	} {
		stmt, err := guard.Rewrite(t.Context(), text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		got, err := db.Query(t.Context(), stmt)
		switch {
		case want == "" && (!errors.Is(err, sqldb.ErrExecution) || !strings.Contains(err.Error(), "write ON")):
			t.Errorf("%s: got %v, %v, want an error", text, got, err)
		case want != "" && (err != nil || pgRows(got) != want):
			t.Errorf("%s: got %v, %v, want %s", text, got, err, want)
		}
	}
}
