package duckdb_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/duckdb"
)

var zonePolicy = &secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{"o": {"id", "tz", "amount"}}}

// newZoned returns a database with rows near the ends of months in Berlin.
func newZoned(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "zoned.duckdb")
	raw, err := sql.Open("duckdb", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = raw.Exec(`CREATE TABLE o(id INTEGER, tz TIMESTAMPTZ, amount BIGINT); INSERT INTO o VALUES
		(1, '2024-02-29 22:59:59+00', 1), (2, '2024-02-29 23:30:00+00', 10), (3, '2024-03-31 21:59:59.5+00', 100),
		(4, '2024-03-31 22:30:00+00', 1000), (5, '2024-10-27 00:30:00+00', 10000), (6, '2024-10-27 01:30:00+00', 100000),
		(7, '1890-01-01 00:00:00+00', 1000000), (8, '0044-03-15 (BC) 10:00:00+00', 10000000),
		(9, '12024-01-01 00:00:00+00', 100000000), (10, 'infinity', 1000000000), (11, '-infinity', 10000000000)`)
	if err := errors.Join(err, raw.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// Values are grouped, shown and compared in one zone, and a text that was shown finds
// its row.
func TestZone(t *testing.T) {
	path := newZoned(t)
	g := newGuard(t, zonePolicy)
	for _, test := range []struct {
		zone          string
		months, times []string
		march         int64 // the amount from 2024-03-01 to 2024-04-01
	}{
		{
			"Europe/Berlin",
			[]string{"2024-02-01 00:00:00+01:00 1", "2024-03-01 00:00:00+01:00 110", "2024-04-01 00:00:00+02:00 1000", "2024-10-01 00:00:00+02:00 110000"},
			[]string{
				"2024-02-29 23:59:59+01:00", "2024-03-01 00:30:00+01:00", "2024-03-31 23:59:59.5+02:00", "2024-04-01 00:30:00+02:00",
				"2024-10-27 02:30:00+02:00", "2024-10-27 02:30:00+01:00", "1890-01-01 00:53:28+00:53:28",
				"0044-03-15 (BC) 10:53:28+00:53:28", "12024-01-01 01:00:00+01:00", "infinity", "-infinity",
			},
			110,
		},
		{
			"UTC",
			[]string{"2024-02-01 00:00:00+00:00 11", "2024-03-01 00:00:00+00:00 1100", "2024-10-01 00:00:00+00:00 110000"},
			[]string{
				"2024-02-29 22:59:59+00:00", "2024-02-29 23:30:00+00:00", "2024-03-31 21:59:59.5+00:00", "2024-03-31 22:30:00+00:00",
				"2024-10-27 00:30:00+00:00", "2024-10-27 01:30:00+00:00", "1890-01-01 00:00:00+00:00",
				"0044-03-15 (BC) 10:00:00+00:00", "12024-01-01 00:00:00+00:00", "infinity", "-infinity",
			},
			1100,
		},
		{
			"Asia/Kathmandu",
			[]string{"2024-03-01 00:00:00+05:45 11", "2024-04-01 00:00:00+05:45 1100", "2024-10-01 00:00:00+05:45 110000"},
			nil,
			11,
		},
		{
			"+02:00",
			[]string{"2024-03-01 00:00:00+02:00 111", "2024-04-01 00:00:00+02:00 1000", "2024-10-01 00:00:00+02:00 110000"},
			nil,
			111,
		},
	} {
		t.Run(test.zone, func(t *testing.T) {
			db := open(t, path, &duckdb.Options{Options: sqldb.Options{Zone: test.zone}})
			if zone, err := db.Zone(t.Context()); err != nil || zone != test.zone {
				t.Fatal(zone, err)
			}
			months := text(t, db, g, "SELECT date_trunc('month', tz) AS m, sum(amount)::BIGINT FROM o "+
				"WHERE tz > '2000-01-01' AND tz < '3000-01-01' GROUP BY ALL ORDER BY 1")
			if diff := cmp.Diff(test.months, months); diff != "" {
				t.Errorf("months (-want +got):\n%s", diff)
			}
			for _, line := range months {
				at := strings.LastIndexByte(line, ' ')
				got := text(t, db, g, "SELECT sum(amount)::BIGINT FROM o WHERE date_trunc('month', tz) = '"+line[:at]+"'")
				if diff := cmp.Diff([]string{line[at+1:]}, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", line[:at], diff)
				}
			}
			got := text(t, db, g, "SELECT sum(amount)::BIGINT FROM o WHERE tz >= '2024-03-01' AND tz < '2024-04-01'")
			if diff := cmp.Diff([]string{fmt.Sprint(test.march)}, got); diff != "" {
				t.Errorf("March (-want +got):\n%s", diff)
			}
			times := text(t, db, g, "SELECT tz FROM o ORDER BY id")
			if diff := cmp.Diff(test.times, times); test.times != nil && diff != "" {
				t.Errorf("times (-want +got):\n%s", diff)
			}
			for i, shown := range times {
				if got := text(t, db, g, "SELECT id FROM o WHERE tz = '"+shown+"'"); len(got) != 1 || got[0] != fmt.Sprint(i+1) {
					t.Errorf("%s finds %s", shown, got)
				}
			}
		})
	}
}

// text returns the rows of a query as lines.
func text(t testing.TB, db *sqldb.DB, g *secureview.Guard, query string) (lines []string) {
	t.Helper()
	table, err := ask(db, g, query)
	if err != nil {
		t.Fatalf("%s\n%v", query, err)
	}
	for _, row := range table.Rows {
		lines = append(lines, strings.TrimSuffix(fmt.Sprintln(row...), "\n"))
	}
	return lines
}

// Dates and times without a zone, and those within lists, are shown as they are.
func TestTimeValues(t *testing.T) {
	db := open(t, newZoned(t), &duckdb.Options{Options: sqldb.Options{Zone: "Asia/Tokyo"}})
	g := newGuard(t, zonePolicy)
	for _, test := range []struct{ expr, want string }{
		{"DATE '2024-02-29'", "2024-02-29"},
		{"DATE '0044-03-15 (BC)'", "0044-03-15 (BC)"},
		{"'infinity'::DATE", "infinity"},
		{"'-infinity'::DATE", "-infinity"},
		{"TIMESTAMP '2024-02-29 10:00:00.5'", "2024-02-29 10:00:00.5"},
		{"TIMESTAMP '0044-03-15 (BC) 10:00:00'", "0044-03-15 (BC) 10:00:00"},
		{"'-infinity'::TIMESTAMP", "-infinity"},
		{"'infinity'::TIMESTAMP_S", "infinity"},
		{"'infinity'::TIMESTAMP_MS", "infinity"},
		{"'infinity'::TIMESTAMP_NS", "infinity"},
		{"'2024-02-29 10:00:00.123456789'::TIMESTAMP_NS", "2024-02-29 10:00:00.123456789"},
		{"TIME '10:00:00'", "10:00:00"},
		{"'10:00:00+05:30'::TIMETZ", "10:00:00+05:30"},
		{"['2024-02-29 20:00:00+00'::TIMESTAMPTZ, NULL]", `["2024-03-01 05:00:00+09",null]`},
		{"{'at': '2024-02-29 20:00:00+00'::TIMESTAMPTZ}", `{"at":"2024-03-01 05:00:00+09"}`},
		{"[TIMESTAMP '2024-02-29 20:00:00']", `["2024-02-29 20:00:00"]`},
		{"('2024-02-29 20:00:00+00'::TIMESTAMPTZ)::DATE", "2024-03-01"},
		{"('2024-02-29 20:00:00+00'::TIMESTAMPTZ)::VARCHAR", "2024-03-01 05:00:00+09"},
	} {
		if diff := cmp.Diff([]string{test.want}, text(t, db, g, "SELECT "+test.expr)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.expr, diff)
		}
	}
}

// All connections have the zone, and no statement changes it.
func TestZoneOfEachConnection(t *testing.T) {
	db := open(t, newZoned(t), &duckdb.Options{Options: sqldb.Options{Zone: "America/New_York", MaxOpenConns: 4}})
	g := newGuard(t, zonePolicy)
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() {
			table, err := ask(db, g, "SELECT tz FROM o WHERE id = 2")
			if err != nil || len(table.Rows) != 1 || table.Rows[0][0] != "2024-02-29 18:30:00-05:00" {
				t.Error(table, err)
			}
		})
	}
	wait.Wait()
	for _, query := range []string{
		"SET TimeZone = 'UTC'", "SET GLOBAL TimeZone = 'UTC'", "RESET TimeZone", "PRAGMA TimeZone = 'UTC'", "SELECT tz FROM o; SET TimeZone = 'UTC'",
	} {
		if _, err := ask(db, g, query); err == nil {
			t.Errorf("%s is allowed", query)
		}
	}
	if got := text(t, db, g, "SELECT tz AT TIME ZONE 'Asia/Tokyo' FROM o WHERE id = 2"); got[0] != "2024-03-01 08:30:00" {
		t.Error(got)
	}
}

func TestZoneOption(t *testing.T) {
	path := newZoned(t)
	for _, zone := range []string{"Local", "Europe/Nowhere", "+05:30", "'; SELECT 1", "CEST"} {
		_, err := duckdb.Open(t.Context(), path, &duckdb.Options{Options: sqldb.Options{Zone: zone}})
		if !errors.Is(err, sqldb.ErrArgument) || !strings.Contains(err.Error(), "Options.Zone") {
			t.Errorf("%q: %v", zone, err)
		}
	}
}

// Without the option, the zone is that of the process.
func TestZoneOfProcess(t *testing.T) {
	if path := os.Getenv("QED_TEST_ZONED"); path != "" {
		db := open(t, path, nil)
		zone, err := db.Zone(t.Context())
		fmt.Println("zone:", zone, err)
		fmt.Println("rows:", text(t, db, newGuard(t, zonePolicy), "SELECT date_trunc('month', tz) FROM o WHERE id = 2"))
		return
	}
	path := newZoned(t)
	for tz, want := range map[string][2]string{
		"Europe/Berlin": {"zone: Europe/Berlin <nil>", "rows: [2024-03-01 00:00:00+01:00]"},
		"UTC":           {"zone: UTC <nil>", "rows: [2024-02-01 00:00:00+00:00]"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestZoneOfProcess$")
		cmd.Env = append(os.Environ(), "TZ="+tz, "QED_TEST_ZONED="+path)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want[0]) || !strings.Contains(string(out), want[1]) {
			t.Errorf("TZ=%s: %v\n%s", tz, err, out)
		}
	}
}
