package integration_test

import (
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/qedkit/qed/integration"
	"github.com/qedkit/qed/sqldb"
)

// Every reason for a failed connection has a kind, and a text without any part
// of the connection string.
func TestPostgresConnecting(t *testing.T) {
	server := integration.PostgreSQLOwn(t)
	p := newPostgres(t, server.Config(), "connecting", `
		CREATE TABLE t(id int);
		CREATE ROLE limited LOGIN PASSWORD 'correct horse' CONNECTION LIMIT 0;
		CREATE ROLE stranger LOGIN PASSWORD 'correct horse';
		GRANT CONNECT ON DATABASE connecting TO limited`)
	var hba string
	if err := p.admin.QueryRow("SHOW hba_file").Scan(&hba); err != nil {
		t.Fatal(err)
	}
	pgExec(t, p.admin, `COPY (VALUES ('host all postgres 127.0.0.1/32 trust'), ('host all all 127.0.0.1/32 scram-sha-256')) TO '`+hba+`'`)
	pgExec(t, p.admin, "SELECT pg_reload_conf()")
	for _, test := range []struct {
		name   string
		change func(*pgx.ConnConfig)
		want   sqldb.Kind
	}{
		{"nothing wrong", func(*pgx.ConnConfig) {}, ""},
		{"password", func(c *pgx.ConnConfig) { c.Password = "hunter2" }, sqldb.ErrUnreadable},
		{"no password", func(c *pgx.ConnConfig) { c.Password = "" }, sqldb.ErrUnreadable},
		{"unknown account", func(c *pgx.ConnConfig) { c.User = "hunter2" }, sqldb.ErrUnreadable},
		{"too many connections", func(c *pgx.ConnConfig) { c.User = "limited" }, sqldb.ErrUnavailable},
		{"unknown database", func(c *pgx.ConnConfig) { c.Database = "hunter2" }, sqldb.ErrMissing},
		{"forbidden database", func(c *pgx.ConnConfig) { c.User, c.Database = "stranger", "connecting" }, sqldb.ErrUnreadable},
		{"unknown host", func(c *pgx.ConnConfig) { c.Host = "hunter2.invalid" }, sqldb.ErrUnavailable},
		{"a server of MariaDB", func(c *pgx.ConnConfig) {
			_, port, _ := net.SplitHostPort(integration.MariaDB(t).Addr)
			number, _ := strconv.Atoi(port)
			c.Port = uint16(number)
		}, sqldb.ErrUnavailable},
		{"closed port", func(c *pgx.ConnConfig) { c.Port = 1 }, sqldb.ErrUnavailable},
		{"refused parameter", func(c *pgx.ConnConfig) { c.RuntimeParams = map[string]string{"hunter2": "x"} }, sqldb.ErrArgument},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := p.account.Copy()
			test.change(config)
			config.Fallbacks = nil
			db := openPostgresDB(t, nil, openPGX(t, config))
			_, err := db.Query(t.Context(), pgUnguarded(t, "SELECT 1", "public"))
			if test.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if !errors.Is(err, test.want) {
				t.Errorf("got %v, want %v", err, test.want)
			}
			for _, secret := range []string{"hunter2", "correct", "connecting", "limited"} {
				if err != nil && strings.Contains(err.Error(), secret) {
					t.Errorf("%q is in the text: %v", secret, err)
				}
			}
		})
	}
}

// The error of a statement has a kind, and a text without values of rows.
func TestPostgresExecution(t *testing.T) {
	p := newPostgres(t, pgServer(t), "failing", `
		CREATE TABLE t(id text);
		INSERT INTO t VALUES ('hunter2'), ('99999999999999999999');
		CREATE TABLE denied(id int);
		CREATE TABLE gone(id int);
		CREATE FUNCTION lost() RETURNS bigint LANGUAGE plpgsql STABLE SECURITY DEFINER AS 'BEGIN RETURN (SELECT count(*) FROM public.gone); END';
		CREATE VIEW broken AS SELECT lost() AS id;
		DROP TABLE gone;
		CREATE FUNCTION raising() RETURNS int LANGUAGE plpgsql STABLE AS $$BEGIN RAISE EXCEPTION 'for %', (SELECT max(id) FROM public.t); END$$;
		CREATE VIEW raised AS SELECT raising() AS id;
		CREATE MATERIALIZED VIEW unfilled AS SELECT 1 AS id WITH NO DATA;
		GRANT SELECT ON t, broken, raised, unfilled TO failing`)
	db := p.open(t, nil)
	for _, test := range []struct {
		text  string
		reads []string
		want  sqldb.Kind
		says  string
	}{
		{"SELECT id::int FROM public.t", []string{"t"}, sqldb.ErrExecution, "a value of the type"},
		{"SELECT id::int FROM public.t WHERE id > '9' AND id < 'a'", []string{"t"}, sqldb.ErrExecution, "out of the range"},
		{"SELECT id::date FROM public.t", []string{"t"}, sqldb.ErrExecution, "date"},
		{"SELECT 1 / (length(id) - 7) FROM public.t", []string{"t"}, sqldb.ErrExecution, "division by zero"},
		{"SELECT id::jsonb FROM public.t", []string{"t"}, sqldb.ErrExecution, ""},
		{"SELECT ('{' || id)::int[] FROM public.t", []string{"t"}, sqldb.ErrExecution, ""},
		{"SELECT regexp_replace('x', '(' || id, '') FROM public.t", []string{"t"}, sqldb.ErrExecution, ""},
		{"SELECT id FROM public.raised", []string{"raised"}, sqldb.ErrExecution, ""},
		{"SELECT missing FROM public.t", []string{"t"}, sqldb.ErrExecution, `column "missing" does not exist`},
		{"SELECT id FROM public.missing", []string{"missing"}, sqldb.ErrExecution, `"public.missing" does not exist`},
		{"SELECT missing(id) FROM public.t", []string{"t"}, sqldb.ErrExecution, "function missing(text) does not exist"},
		{"SELECT id FROM FROM", []string{"t"}, sqldb.ErrExecution, "syntax error"},
		{"SELECT id, count(*) FROM public.t", []string{"t"}, sqldb.ErrExecution, "GROUP BY"},
		{"SELECT id + 1 FROM public.t", []string{"t"}, sqldb.ErrExecution, "operator does not exist"},
		{"SELECT id FROM public.broken", []string{"broken"}, sqldb.ErrExecution, `"public.gone" does not exist`},
		{"SELECT id FROM public.unfilled", []string{"unfilled"}, sqldb.ErrExecution, "has not been populated"},
		{"SELECT id FROM public.denied", []string{"denied"}, sqldb.ErrUnreadable, "DB.Check"},
		{"SELECT 1" + strings.Repeat(" + 1", 50000), nil, sqldb.ErrTooLarge, ""},
		{"SELECT 1; SELECT 2", nil, sqldb.ErrExecution, ""},
	} {
		_, err := db.Query(t.Context(), pgUnguarded(t, test.text, "public", test.reads...))
		if !errors.Is(err, test.want) {
			t.Errorf("%.80s: got %v, want %v", test.text, err, test.want)
		} else if text := err.Error(); !strings.Contains(text, test.says) || strings.Contains(text, "hunter2") || strings.Contains(text, "9999") {
			t.Errorf("%.80s: %s", test.text, text)
		}
	}
}
