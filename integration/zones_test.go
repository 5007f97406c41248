package integration_test

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/timezone"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/mysql"
	"github.com/qedkit/qed/secureview/dialect/postgres"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/postgresdb"
)

// moments are near the ends of days, months and years of many zones, and in the hours
// that the clocks of Berlin and New York have twice or not at all.
var moments = func() []time.Time {
	var list []time.Time
	for _, text := range []string{
		"2023-12-31T15:30:00Z", "2023-12-31T23:30:00Z", "2024-01-01T04:59:59Z",
		"2024-02-29T18:14:59Z", "2024-02-29T18:15:00Z", "2024-02-29T23:30:00Z", "2024-03-01T00:00:00Z",
		"2024-03-10T06:30:00Z", "2024-03-10T07:30:00Z", "2024-03-31T00:30:00Z", "2024-03-31T01:30:00Z",
		"2024-03-31T21:59:59.999999Z", "2024-03-31T22:00:00Z", "2024-03-31T22:30:00Z",
		"2024-10-27T00:30:00Z", "2024-10-27T01:30:00Z", "2024-11-03T05:30:00Z", "2024-11-03T06:30:00Z",
		"2025-02-28T22:30:00Z", "2025-02-28T23:30:00Z", "2025-03-31T21:30:00Z",
	} {
		at, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			panic(err)
		}
		list = append(list, at)
	}
	return list
}()

// zones are names of Options.Zone.
var zones = []string{
	"UTC", "Europe/Berlin", "Asia/Tokyo", "America/New_York", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
	"Pacific/Kiritimati", "+02:00", "-03:30", "+05:45", "+00:00",
}

// A period is a day or a month in a zone, with the amount of its rows: row i has the
// amount 2^i.
type period struct {
	begin  time.Time
	amount int64
}

// periods returns the periods of a layout that moments are in, in their order.
func periods(tb testing.TB, zone, layout string) []period {
	tb.Helper()
	in, err := timezone.Load(zone)
	if err != nil {
		tb.Fatal(err)
	}
	var list []period
	for i, at := range moments {
		begin, err := time.ParseInLocation(layout, at.In(in).Format(layout), in)
		if err != nil {
			tb.Fatal(err)
		}
		if n := len(list); n == 0 || !list[n-1].begin.Equal(begin) {
			list = append(list, period{begin: begin})
		}
		list[len(list)-1].amount += 1 << i
	}
	return list
}

// pgTime returns a time as PostgreSQL and DuckDB write it.
func pgTime(at time.Time) string {
	if _, offset := at.Zone(); offset%3600 != 0 {
		return at.Format("2006-01-02 15:04:05.999999-07:00")
	}
	return at.Format("2006-01-02 15:04:05.999999-07")
}

func insertMoments(values func(time.Time) string) string {
	var rows []string
	for i, at := range moments {
		rows = append(rows, fmt.Sprintf("(%d, '%s', %d)", i, values(at), 1<<i))
	}
	return "INSERT INTO o VALUES " + strings.Join(rows, ", ")
}

// ask executes a text with a guard.
func ask(tb testing.TB, db *sqldb.DB, guard *secureview.Guard, text string) *qed.Table {
	tb.Helper()
	got, err := db.QueryText(tb.Context(), guard, text)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return got
}

// Values are grouped, shown and compared in one zone, and a text that was shown finds
// its rows.
func TestPostgresZones(t *testing.T) {
	p := newPostgres(t, pgServer(t), "zoned", `
		CREATE TABLE o(id int PRIMARY KEY, tz timestamptz, amount bigint);
		GRANT SELECT ON o TO zoned;
		`+insertMoments(func(at time.Time) string { return at.Format(time.RFC3339Nano) }))
	guard, err := secureview.New(&secureview.Policy{
		Schema: "public", Tables: map[string][]string{"o": {"id", "tz", "amount"}},
	}, postgres.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	check := func(t *testing.T, db *sqldb.DB, zone string) {
		if got, err := db.Zone(t.Context()); err != nil || got != zone {
			t.Fatalf("the zone is %q, want %q: %v", got, zone, err)
		}
		for _, unit := range []struct{ name, layout string }{{"month", "2006-01"}, {"day", time.DateOnly}} {
			var want [][]any
			trunc := "date_trunc('" + unit.name + "', tz)"
			for _, p := range periods(t, zone, unit.layout) {
				want = append(want, []any{pgTime(p.begin), p.amount})
				got := ask(t, db, guard, "SELECT sum(amount)::bigint FROM o WHERE "+trunc+" = '"+pgTime(p.begin)+"'")
				if diff := cmp.Diff([][]any{{p.amount}}, got.Rows); diff != "" {
					t.Errorf("the %s that is shown as %s (-want +got):\n%s", unit.name, pgTime(p.begin), diff)
				}
				// The days of the calendar in the prompt, without an offset.
				until := p.begin.AddDate(0, 0, 1)
				if unit.name == "month" {
					until = p.begin.AddDate(0, 1, 0)
				}
				got = ask(t, db, guard, "SELECT sum(amount)::bigint FROM o WHERE tz >= '"+p.begin.Format(time.DateOnly)+
					"' AND tz < '"+until.Format(time.DateOnly)+"'")
				if diff := cmp.Diff([][]any{{p.amount}}, got.Rows); diff != "" {
					t.Errorf("from %s (-want +got):\n%s", p.begin, diff)
				}
			}
			got := ask(t, db, guard, "SELECT "+trunc+" AS m, sum(amount)::bigint AS s FROM o GROUP BY 1 ORDER BY 1")
			if diff := cmp.Diff(want, got.Rows); diff != "" {
				t.Errorf("by %s (-want +got):\n%s", unit.name, diff)
			}
			if got.Columns[0].Type != "TIMESTAMPTZ" {
				t.Errorf("the type is %s", got.Columns[0].Type)
			}
		}
		for _, row := range ask(t, db, guard, "SELECT id, tz FROM o").Rows {
			got := ask(t, db, guard, fmt.Sprintf("SELECT id FROM o WHERE tz = '%s'", row[1]))
			if len(got.Rows) != 1 || got.Rows[0][0] != row[0] {
				t.Errorf("%s, which is shown for row %d, finds %v", row[1], row[0], got.Rows)
			}
		}
	}
	for _, zone := range zones {
		t.Run(zone, func(t *testing.T) {
			check(t, p.open(t, &postgresdb.Options{Options: sqldb.Options{Zone: zone}}), zone)
		})
	}
	for setting, zone := range map[string]string{
		"Europe/Berlin": "Europe/Berlin", "asia/tokyo": "Asia/Tokyo", "<+02>-02": "+02:00", "<x>3:30": "-03:30",
	} {
		t.Run("of the database/"+zone, func(t *testing.T) {
			pgExec(t, p.admin, "ALTER DATABASE zoned SET timezone = '"+setting+"'")
			check(t, p.open(t, nil), zone)
		})
	}
}

// All statements run in the zone that DB.Zone returned, also when the setting of the
// database changes, or another client of a connection has changed it.
func TestPostgresZoneStays(t *testing.T) {
	p := newPostgres(t, pgServer(t), "zone_stays", "ALTER DATABASE zone_stays SET timezone = 'Asia/Tokyo'")
	pool := openPGX(t, p.account)
	pool.SetMaxOpenConns(1)
	db := openPostgresDB(t, nil, pool, openPGX(t, p.account))
	if zone, err := db.Zone(t.Context()); err != nil || zone != "Asia/Tokyo" {
		t.Fatal(zone, err)
	}
	pgExec(t, p.admin, "ALTER DATABASE zone_stays SET timezone = 'UTC'")
	pgExec(t, pool, "SET timezone = 'America/New_York'")
	for range 5 {
		got, err := db.Query(t.Context(), pgUnguarded(t, "SELECT timestamptz '2024-01-01 00:00+00', current_setting('timezone')", "public"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]any{{"2024-01-01 09:00:00+09", "Asia/Tokyo"}}, got.Rows); diff != "" {
			t.Error(diff)
		}
	}
	var left string
	if err := pool.QueryRow("SHOW timezone").Scan(&left); err != nil || left != "America/New_York" {
		t.Errorf("the connection is left with the zone %s: %v", left, err)
	}
	for setting, want := range map[string]string{"CET-1CEST": "", "<+20>-20": "", "Etc/UTC": "Etc/UTC"} {
		pgExec(t, p.admin, "ALTER DATABASE zone_stays SET timezone = '"+setting+"'")
		db := p.open(t, nil)
		if zone, err := db.Zone(t.Context()); err != nil || zone != want {
			t.Errorf("%s is %q, want %q: %v", setting, zone, want, err)
		}
	}
	if zone, err := db.Zone(t.Context()); err != nil || zone != "Asia/Tokyo" {
		t.Fatal(zone, err)
	}
}

// No statement changes the zone. It may convert times to another one.
func TestZoneGuarded(t *testing.T) {
	for _, d := range []struct {
		name             string
		allowed, refused []string
	}{
		{
			name: "postgres",
			allowed: []string{
				"SELECT tz AT TIME ZONE 'Asia/Tokyo' FROM o",
				"SELECT date_trunc('month', tz, 'Europe/Berlin') FROM o",
				"SELECT timezone('UTC', tz) FROM o",
			},
			refused: []string{
				"SET TIME ZONE 'UTC'", "SET timezone = 'UTC'", "SET LOCAL timezone TO 'UTC'", "RESET timezone",
				"SELECT set_config('timezone', 'UTC', true)", "SELECT pg_catalog.set_config('TimeZone', 'UTC', false) FROM o",
				"SELECT tz FROM o; SET TIME ZONE 'UTC'", "BEGIN; SET TIME ZONE 'UTC'",
				"SELECT tz FROM o WHERE set_config('timezone', 'UTC', true) = 'UTC'",
				"WITH z AS (SELECT set_config('timezone', 'UTC', true)) SELECT tz FROM o, z",
			},
		},
		{
			name: "mysql",
			allowed: []string{
				"SELECT CONVERT_TZ(tz, '+00:00', '+09:00') FROM o",
			},
			refused: []string{
				"SET time_zone = '+00:00'", "SET SESSION time_zone = 'UTC'", "SET @@session.time_zone = '+01:00'",
				"SET STATEMENT time_zone = '+00:00' FOR SELECT tz FROM o", "SELECT @@time_zone := '+00:00'",
				"SELECT tz FROM o; SET time_zone = '+00:00'", "SELECT '+00:00' INTO @@time_zone",
			},
		},
	} {
		policy := &secureview.Policy{Schema: "zoned", Tables: map[string][]string{"o": {"id", "tz", "amount"}}}
		guard, err := secureview.New(policy, postgres.Dialect{})
		if d.name == "mysql" {
			guard, err = secureview.New(policy, mysql.Dialect{})
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range d.allowed {
			if _, err := guard.Rewrite(t.Context(), text); err != nil {
				t.Errorf("%s: %s: %v", d.name, text, err)
			}
		}
		for _, text := range d.refused {
			if stmt, err := guard.Rewrite(t.Context(), text); !isRefused(err) {
				t.Errorf("%s: %s: %v, %v", d.name, text, err, stmt)
			}
		}
		// A hint is a comment, which is not printed.
		const hint = "SELECT /*+ SET_VAR(time_zone='+00:00') */ tz FROM o"
		if stmt, err := guard.Rewrite(t.Context(), hint); err == nil && strings.Contains(stmt.SQL(), "time_zone") {
			t.Errorf("%s: %s", d.name, stmt.SQL())
		}
	}
}

func isRefused(err error) bool {
	_, ok := errors.AsType[*refusal.Error](err)
	return ok
}

// TIMESTAMP is converted to the zone, DATETIME is not. A text that is shown finds its
// rows: in the hour that the clocks of the zone show twice, those of both times.
func TestMySQLDBZones(t *testing.T) {
	m := newMaria(t, mariaServer(t), "zoned_maria", `SET time_zone = '+00:00';
		CREATE TABLE o(id int PRIMARY KEY, tz timestamp(6) NULL, amount bigint, plain datetime DEFAULT '2024-02-29 23:30:00');
		SET time_zone = '+00:00'; `+strings.Replace(insertMoments(func(at time.Time) string {
		return at.UTC().Format("2006-01-02 15:04:05.999999")
	}), "INTO o", "INTO o(id, tz, amount)", 1))
	m.grant(t, "SELECT ON o")
	tables := map[string][]string{"o": {"id", "tz", "amount", "plain"}}
	check := func(t *testing.T, db *sqldb.DB, zone string) {
		if got, err := db.Zone(t.Context()); err != nil || got != zone {
			t.Fatalf("the zone is %q, want %q: %v", got, zone, err)
		}
		for _, layout := range []string{"2006-01", time.DateOnly} {
			var want [][]any
			for _, p := range periods(t, zone, layout) {
				want = append(want, []any{p.begin.Format(layout), fmt.Sprint(p.amount)})
				until := p.begin.AddDate(0, 0, 1)
				if layout == "2006-01" {
					until = p.begin.AddDate(0, 1, 0)
				}
				got := askMaria(t, db, "zoned_maria", tables, "SELECT sum(amount) FROM o WHERE tz >= '"+p.begin.Format(time.DateOnly)+
					"' AND tz < '"+until.Format(time.DateOnly)+"'")
				if diff := cmp.Diff([][]any{{fmt.Sprint(p.amount)}}, got.Rows); diff != "" {
					t.Errorf("from %s (-want +got):\n%s", p.begin, diff)
				}
			}
			format := strings.NewReplacer("2006", "%Y", "01", "%m", "02", "%d").Replace(layout)
			got := askMaria(t, db, "zoned_maria", tables, "SELECT date_format(tz, '"+format+"') AS m, sum(amount) AS s FROM o GROUP BY 1 ORDER BY 1")
			if diff := cmp.Diff(want, got.Rows); diff != "" {
				t.Errorf("by %s (-want +got):\n%s", layout, diff)
			}
		}
		got := askMaria(t, db, "zoned_maria", tables, "SELECT id, tz, plain FROM o ORDER BY id")
		in, err := timezone.Load(zone)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range got.Rows {
			shown := moments[i].In(in).Format("2006-01-02 15:04:05.000000")
			if row[1] != shown || row[2] != "2024-02-29 23:30:00" {
				t.Errorf("%v, want %s", row, shown)
			}
			var same [][]any
			for j, at := range moments {
				if at.In(in).Format("2006-01-02 15:04:05.000000") == shown {
					same = append(same, []any{int64(j)})
				}
			}
			found := askMaria(t, db, "zoned_maria", tables, "SELECT id FROM o WHERE tz = '"+shown+"' ORDER BY id")
			if diff := cmp.Diff(same, found.Rows); diff != "" {
				t.Errorf("rows that are shown as %s (-want +got):\n%s", shown, diff)
			}
		}
	}
	for _, zone := range []string{"UTC", "+02:00", "-03:30", "+05:45", "+00:00"} {
		t.Run(zone, func(t *testing.T) { check(t, m.open(t, &sqldb.Options{Zone: zone}), zone) })
	}
	t.Run("of the connection string", func(t *testing.T) {
		config := m.account.Clone()
		config.Params = map[string]string{"time_zone": "'-05:00'"}
		check(t, openMySQLDB(t, nil, openMaria(t, config)), "-05:00")
	})
	t.Run("system", func(t *testing.T) {
		zone, err := m.open(t, nil).Zone(t.Context())
		if err != nil || zone != "UTC" && zone != "" {
			t.Errorf("%q, %v", zone, err)
		}
	})
	t.Run("restored", func(t *testing.T) {
		pool := m.pool(t, 1)
		db := openMySQLDB(t, &sqldb.Options{Zone: "+09:00"}, pool)
		askMaria(t, db, "zoned_maria", tables, "SELECT id FROM o")
		var left string
		if err := pool.QueryRow("SELECT @@time_zone").Scan(&left); err != nil || left != "SYSTEM" {
			t.Errorf("the connection is left with the zone %s: %v", left, err)
		}
	})

	// The server's tables of time zones are empty.
	db := m.open(t, &sqldb.Options{Zone: "Europe/Berlin"})
	_, err := db.Query(t.Context(), mariaGuarded(t, "zoned_maria", tables, "SELECT id FROM o"))
	if !errors.Is(err, sqldb.ErrArgument) || !strings.Contains(err.Error(), "mysql_tzinfo_to_sql") {
		t.Errorf("an unknown zone: %v", err)
	}
	if err := loadZones(t, m); err != nil {
		t.Log("not tried with names of zones: ", err)
		return
	}
	for _, zone := range []string{"Europe/Berlin", "Asia/Kathmandu", "America/New_York"} {
		t.Run(zone, func(t *testing.T) { check(t, m.open(t, &sqldb.Options{Zone: zone}), zone) })
	}
}

// Zones that no database knows are an error at once.
func TestZoneOption(t *testing.T) {
	for _, zone := range []string{"Local", "Europe/Nowhere", "CEST", "+2", "+25:00", "'; SELECT 1", "UTC\x00"} {
		_, err := postgresdb.Open("postgres://localhost/x", &postgresdb.Options{Options: sqldb.Options{Zone: zone}})
		if !errors.Is(err, sqldb.ErrArgument) || !strings.Contains(err.Error(), "Options.Zone") {
			t.Errorf("%q: %v", zone, err)
		}
	}
}

// loadZones loads the time zones of this machine into the server, until the test ends.
func loadZones(t *testing.T, m *maria) error {
	t.Helper()
	load, err := exec.LookPath("mariadb-tzinfo-to-sql")
	if err != nil {
		return err
	}
	root := mariaServer(t)
	root.DBName, root.MultiStatements = "mysql", true
	pool := openMaria(t, root)
	for _, zone := range []string{"Europe/Berlin", "Asia/Kathmandu", "America/New_York"} {
		script, err := exec.Command(load, "/usr/share/zoneinfo/"+zone, zone).Output()
		if err != nil {
			return err
		}
		mariaExec(t, pool, string(script))
	}
	t.Cleanup(func() {
		mariaExec(t, pool, `DELETE FROM time_zone; DELETE FROM time_zone_name; DELETE FROM time_zone_transition;
			DELETE FROM time_zone_transition_type`)
	})
	return nil
}
