package analyst

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/internal/peakmem"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect/sqlite"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/sqldb/sqlitedb"
)

// millionRows has a column of a million values, one without values and constant ones.
func millionRows(t *testing.T) *data {
	t.Helper()
	name := "file:" + t.TempDir() + "/million.db"
	host, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := host.Exec(`CREATE TABLE t_parsed(id TEXT, n REAL, none REAL, one TEXT, c REAL, half TEXT);
		WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
		INSERT INTO t_parsed SELECT 'customer-' || i, i + i % 2 * 100000, NULL, 'same', 7, CASE i % 2 WHEN 1 THEN 'odd' ELSE 'even' END FROM n`); err != nil {
		t.Fatal(err)
	}
	db, err := sqlitedb.Open(name, &sqlitedb.Options{Options: sqldb.Options{Timeout: 2 * time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	opt, err := (*Options)(nil).withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	d, err := newData(Data{DB: db, Dialect: sqlite.Dialect{}, Policy: &secureview.Policy{
		Tables: map[string][]string{"t_parsed": {"id", "n", "none", "one", "c", "half"}},
	}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// Claims about a column with a million values, without any, or with one are checked or
// refused in bounded time and memory, and nothing is said about rows that were not read.
func TestMillionRows(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a million rows for each claim")
	}
	d := millionRows(t)
	const rows, sums = "SELECT id, n, none, one, c, half FROM t_parsed", "SELECT id, sum(n) AS s FROM t_parsed GROUP BY id"
	value := func(v float64) *float64 { return &v }
	for _, tt := range []struct {
		name, query string
		claim       claims.Claim
		want        string // the verdict, or words of the refusal
	}{
		{"two groups", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "half", Groups: []string{"odd", "even"}, Comparison: claims.More}, "proved"},
		{"the wrong group", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "half", Groups: []string{"even", "odd"}, Comparison: claims.More}, "contradicted"},
		{"stratifiers that cannot be used", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "half", Groups: []string{"odd", "even"}, Comparison: claims.More, Stratifiers: []string{"id", "none", "one"}}, "not_checked"},
		{"a million groups", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "id"}, "has at least 50000 groups, and at most 100 can be compared"},
		{"a group outside of the sample", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "id", Groups: []string{"customer-x"}, Comparison: claims.More}, "among the 50000 rows that were read, which are not all"},
		{"an outcome outside of the sample", rows, claims.Claim{Kind: claims.Share, Metric: "id", Outcome: "customer-x", Value: value(0.5)}, "among the 50000 rows that were read, which are not all"},
		{"a group outside of the result", sums, claims.Claim{Kind: claims.Total, Metric: "s", By: "id", Groups: []string{"customer-999999"}, Value: value(1)}, "among the 1000 rows that were read, which are not all"},
		{"a constant share", rows, claims.Claim{Kind: claims.Share, Metric: "one", Outcome: "same", Value: value(1)}, "proved"},
		{"no values", rows, claims.Claim{Kind: claims.Means, Metric: "none", By: "half"}, "not_checked"},
		{"no groups", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "none"}, "not_checked"},
		{"one group", rows, claims.Claim{Kind: claims.Means, Metric: "n", By: "one"}, "not_checked"},
		{"constant values", rows, claims.Claim{Kind: claims.Means, Metric: "c", By: "half"}, "not_checked"},
		{"correlation without values", rows, claims.Claim{Kind: claims.Correlation, Metric: "n", With: "none"}, "not_checked"},
		{"correlation with a constant", rows, claims.Claim{Kind: claims.Correlation, Metric: "n", With: "c"}, "not_checked"},
		{"distinct values", "SELECT count(DISTINCT id) AS s FROM t_parsed", claims.Claim{Kind: claims.Total, Metric: "s", Value: value(1e6)}, "proved"},
		{"a sum of nothing", "SELECT sum(none) AS s FROM t_parsed", claims.Claim{Kind: claims.Total, Metric: "s", Value: value(0)}, "not_checked"},
	} {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			e := &explorer{data: d, checks: &claims.Session{}}
			var report *claims.Report
			var err error
			began := time.Now()
			grown := peakmem.Growth(t, func() {
				report, _, err = e.check(t.Context(), validateArguments{Finding: "It is so.", RelatedQuery: tt.query, Claim: &tt.claim})
			})
			took := time.Since(began)
			t.Logf("%d ms, %d MB", took.Milliseconds(), grown>>20)
			if took > time.Minute || grown > 160<<20 {
				t.Errorf("it took %s and %d MB", took, grown>>20)
			}
			switch {
			case err != nil && !strings.Contains(err.Error(), tt.want):
				t.Errorf("%v, want %s", err, tt.want)
			case err == nil && string(report.Verdict) != tt.want:
				t.Errorf("%s: %s, want %s", report.Verdict, report.Text, tt.want)
			}
		})
	}
}
