package integration_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

const pgSessionScript = `
	CREATE SCHEMA app;
	CREATE TABLE own(id int, tenant text);
	INSERT INTO own SELECT i, 'tenant ' || i % 50 FROM generate_series(0, 499) i;
	ALTER TABLE own ENABLE ROW LEVEL SECURITY;
	CREATE POLICY p ON own USING (tenant = current_setting('app.tenant', true));
	CREATE VIEW told AS SELECT current_setting('app.key', true) AS id;
	CREATE TABLE plain(id serial, name text);
	INSERT INTO plain VALUES (1, 'one');
	CREATE FUNCTION app.greet(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'Hello, ' || $1$$;
	CREATE FUNCTION public.lower(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT 'hijacked'$$;
	GRANT USAGE ON SCHEMA public, app TO told;
	GRANT SELECT ON own, told TO told;
	GRANT ALL ON plain, plain_id_seq TO told`

// pgSession returns a SessionFunc that always returns the same session.
func pgSession(s *sqldb.Session) sqldb.SessionFunc {
	return func(context.Context) (*sqldb.Session, error) { return s, nil }
}

func TestPostgresSessionSettings(t *testing.T) {
	p := newPostgres(t, pgServer(t), "told", pgSessionScript)
	pool := openPGX(t, p.account)
	pool.SetMaxOpenConns(1)
	var session *sqldb.Session
	db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{
		MaxCellBytes: 1 << 20,
		Session:      func(context.Context) (*sqldb.Session, error) { return session, nil },
	}}, pool)
	for _, test := range []struct{ value, want any }{
		{nil, ""},
		{"plain", "plain"},
		{`O'Hara \ "x" \' '' $1 %s ; DROP TABLE own; --`, `O'Hara \ "x" \' '' $1 %s ; DROP TABLE own; --`},
		{"Zoë 🎉\n\t\x01", "Zoë 🎉\n\t\x01"},
		{strings.Repeat("x", 100_000), strings.Repeat("x", 100_000)},
		{[]byte("bytes"), "bytes"},
		{true, "true"},
		{false, "false"},
		{-7, "-7"},
		{int64(math.MinInt64), "-9223372036854775808"},
		{0.1, "0.1"},
		{1e300, "1e+300"},
		{math.Inf(1), "+Inf"},
	} {
		session = &sqldb.Session{Settings: map[string]any{"app.key": test.value, "App.Tenant": "tenant 7"}}
		got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT t.id, count(*) FROM public.told t, public.own o GROUP BY 1", "public", "told", "own"))
		if err != nil {
			t.Errorf("%.40v: %v", test.value, err)
		} else if len(got.Rows) != 1 || got.Rows[0][0] != test.want || got.Rows[0][1] != int64(10) {
			t.Errorf("%.40v: got %.80v", test.value, got.Rows)
		}
		var key, tenant, name, role string
		if err := pool.QueryRow("SELECT coalesce(current_setting('app.key', true), ''), coalesce(current_setting('app.tenant', true), ''), current_setting('application_name'), CURRENT_USER").Scan(&key, &tenant, &name, &role); err != nil {
			t.Fatal(err)
		}
		if key+tenant+name != "" || role != "told" {
			t.Errorf("%.40v: left behind: %q %q %q %q", test.value, key, tenant, name, role)
		}
	}
	session = nil
	if got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT count(*) FROM public.own", "public", "own")); err != nil || pgRows(got) != "0" {
		t.Errorf("without a session: %v, %v", got, err)
	}
}

// With an invalid setting the statement does not run, and the error contains no
// value.
func TestPostgresSessionRefused(t *testing.T) {
	p := newPostgres(t, pgServer(t), "told", pgSessionScript+`;
		CREATE ROLE stranger; GRANT SELECT ON plain TO stranger`)
	t.Cleanup(func() { p.admin.Exec("DROP OWNED BY stranger; DROP ROLE stranger") })
	const secret = "hunter2"
	var session *sqldb.Session
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{
		Session: func(context.Context) (*sqldb.Session, error) { return session, nil },
	}})
	set := func(name string, value any) *sqldb.Session {
		return &sqldb.Session{Settings: map[string]any{name: value}}
	}
	for name, s := range map[string]*sqldb.Session{
		"one word":          set("key", secret),
		"the role":          set("role", secret),
		"the authorization": set("session_authorization", secret),
		"the time limit":    set("statement_timeout", secret),
		"three words":       set("app.key.more", secret),
		"a digit first":     set("app.1", secret),
		"no word":           set(".", secret),
		"an empty name":     set("", secret),
		"a quote":           set("app.k'", secret),
		"a break":           set("app.key\n", secret),
		"not ASCII":         set("app.schlüssel", secret),
		"NUL in the value":  set("app.key", secret+"\x00"),
		"not UTF-8":         set("app.key", []byte(secret+"\xff")),
		"an empty text":     set("app.key", ""),
		"no bytes":          set("app.key", []byte{}),
		"nil bytes":         set("app.key", []byte(nil)),
		"a map":             set("app.key", map[string]string{secret: secret}),
		"one name twice":    {Settings: map[string]any{"app.key": secret, "APP.KEY": secret}},
		"an absent role":    {Role: secret},
		"another's role":    {Role: "stranger"},
		"NUL in the role":   {Role: secret + "\x00"},
		"an empty schema":   {SearchPath: []string{""}},
		"NUL in a schema":   {SearchPath: []string{secret + "\x00"}},
	} {
		session = s
		_, err := db.Query(t.Context(), pgUnguarded(t, "SELECT id FROM public.plain", "public", "plain"))
		if !errors.Is(err, sqldb.ErrArgument) {
			t.Errorf("%s: %v", name, err)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if strings.Contains(e.Error(), secret) {
				t.Errorf("%s: the error contains the value: %v", name, e)
			}
		}
	}
	session = nil
	if _, err := db.Query(t.Context(), pgUnguarded(t, "SELECT id FROM public.plain", "public", "plain")); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestPostgresSessionRoleAndSearchPath(t *testing.T) {
	p := newPostgres(t, pgServer(t), "told", pgSessionScript+`;
		ALTER ROLE told NOINHERIT;
		CREATE ROLE "re""ader's 🎉"; GRANT "re""ader's 🎉" TO told;
		CREATE TABLE for_role(id int); INSERT INTO for_role VALUES (42); GRANT SELECT ON for_role TO "re""ader's 🎉"`)
	t.Cleanup(func() { p.admin.Exec(`DROP OWNED BY "re""ader's 🎉"; DROP ROLE "re""ader's 🎉"`) })
	for _, test := range []struct {
		session sqldb.Session
		text    string
		reads   []string
		want    string // empty for an error
	}{
		{sqldb.Session{Role: `re"ader's 🎉`}, "SELECT CURRENT_USER, id FROM public.for_role", []string{"for_role"}, `re"ader's 🎉 42`},
		{sqldb.Session{}, "SELECT CURRENT_USER, id FROM public.for_role", []string{"for_role"}, ""},
		{sqldb.Session{}, "SELECT CURRENT_USER", nil, "told"},
		{sqldb.Session{SearchPath: []string{"absent", "app"}}, "SELECT greet('Ann')", nil, "Hello, Ann"},
		{sqldb.Session{SearchPath: []string{"public"}}, "SELECT lower('Ann')", nil, "ann"},
		{sqldb.Session{}, "SELECT greet('Ann')", nil, ""},
	} {
		pool := openPGX(t, p.account)
		pool.SetMaxOpenConns(1)
		db := openPostgresDB(t, &postgresdb.Options{Options: sqldb.Options{Session: pgSession(&test.session)}}, pool)
		got, err := db.Query(t.Context(), pgUnguarded(t, test.text, "public", test.reads...))
		if (err != nil) != (test.want == "") || err == nil && pgRows(got) != test.want {
			t.Errorf("%+v: %s: %v, %v", test.session, test.text, got, err)
		}
		var left string
		if err := pool.QueryRow("SELECT CURRENT_USER || ' ' || current_setting('search_path')").Scan(&left); err != nil || left != `told "$user", public` {
			t.Errorf("%+v: left behind: %s, %v", test.session, left, err)
		}
	}
}

// No statement changes data or settings, even if its guard allowed it and the
// account may write.
func TestPostgresReadOnly(t *testing.T) {
	p := newPostgres(t, pgServer(t), "told", pgSessionScript)
	pool := openPGX(t, p.account)
	pool.SetMaxOpenConns(1)
	db := openPostgresDB(t, nil, pool)
	state := func(q interface {
		QueryRow(string, ...any) *sql.Row
	}) (text string) {
		t.Helper()
		err := q.QueryRow(`SELECT concat_ws('|', (SELECT string_agg(concat(id, name), ',') FROM public.plain), coalesce(current_setting('app.key', true), ''), current_setting('statement_timeout'),
			current_setting('search_path'), current_setting('default_transaction_read_only'), current_setting('row_security'), CURRENT_USER)`).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	before := state(pool)
	for _, text := range []string{
		"WITH x AS (INSERT INTO public.plain VALUES (9, 'new') RETURNING id) SELECT id FROM x",
		"WITH x AS (UPDATE public.plain SET name = 'other' RETURNING id) SELECT id FROM x",
		"WITH x AS (DELETE FROM public.plain RETURNING id) SELECT id FROM x",
		"INSERT INTO public.plain VALUES (9, 'new') RETURNING id",
		"SELECT id FROM public.plain FOR UPDATE",
		"SELECT nextval('public.plain_id_seq')",
		"SELECT set_config('transaction_read_only', 'off', true)",
		"SELECT set_config('transaction_read_only', 'off', false)",
		"SET TRANSACTION READ WRITE",
		"CREATE TEMPORARY TABLE x(a int)",
	} {
		if _, err := db.Query(t.Context(), pgUnguarded(t, text, "public", "plain")); err == nil {
			t.Errorf("%s: it ran", text)
		}
	}
	for _, text := range []string{
		"SELECT set_config('app.key', 'mine', false)",
		"SELECT set_config('statement_timeout', '0', false)",
		"SELECT set_config('search_path', 'public', false)",
		"SELECT set_config('default_transaction_read_only', 'off', false)",
		"SELECT set_config('row_security', 'off', false)",
		"SELECT set_config('session_authorization', 'told', false)",
		"SELECT set_config('role', 'told', false)",
	} {
		db.Query(t.Context(), pgUnguarded(t, text, "public"))
	}
	if after := state(pool); after != before {
		t.Errorf("before: %s\nafter:  %s", before, after)
	}
}

// Many callers on few connections, some of which cancel, never see each other's
// session.
func TestPostgresSessionsApart(t *testing.T) {
	p := newPostgres(t, pgServer(t), "told", pgSessionScript)
	type caller struct{}
	db := p.open(t, &postgresdb.Options{Options: sqldb.Options{
		Session: func(ctx context.Context) (*sqldb.Session, error) {
			who := ctx.Value(caller{}).(int)
			s := &sqldb.Session{Settings: map[string]any{"app.key": fmt.Sprintf("key %d", who), "app.tenant": fmt.Sprintf("tenant %d", who)}}
			if who%3 == 0 { // some callers have fewer settings
				delete(s.Settings, "app.key")
			}
			return s, nil
		},
	}})
	quick := pgUnguarded(t, "SELECT t.id, o.tenant FROM public.told t, public.own o", "public", "told", "own")
	slow := pgUnguarded(t, "SELECT t.id, o.tenant, pg_sleep(0.001) FROM public.told t, public.own o", "public", "told", "own")
	var answered, cancelled atomic.Int64
	var group sync.WaitGroup
	for who := range 50 {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(1, uint64(who)))
			for range 40 {
				ctx, cancel := context.WithCancel(context.WithValue(t.Context(), caller{}, who))
				statement := quick
				if rng.IntN(5) == 0 {
					statement = slow
					time.AfterFunc(time.Duration(rng.IntN(40))*time.Millisecond, cancel)
				}
				got, err := db.Query(ctx, statement)
				cancel()
				if errors.Is(err, sqldb.ErrCanceled) && statement == slow {
					cancelled.Add(1)
					continue
				}
				if err != nil {
					t.Errorf("%d: %v", who, err)
					return
				}
				answered.Add(1)
				key := fmt.Sprintf("key %d", who)
				if who%3 == 0 {
					key = ""
				}
				if len(got.Rows) != 10 {
					t.Errorf("%d: %d rows", who, len(got.Rows))
				}
				for _, row := range got.Rows {
					if id, _ := row[0].(string); id != key || row[1] != fmt.Sprintf("tenant %d", who) {
						t.Errorf("%d sees %v", who, row)
						return
					}
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d answered, %d cancelled", answered.Load(), cancelled.Load())
	if cancelled.Load() == 0 || answered.Load() < 1000 {
		t.Error("the test does not test what it should")
	}
}
