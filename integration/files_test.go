package integration_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/dataset"
	"github.com/qedkit/qed/analyst/tabular"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb/duckdb"
	"github.com/qedkit/qed/sqldb/duckdb/dialect"
)

// The same file has the same values and the same notes in both databases.
func TestFilesInBothDatabases(t *testing.T) {
	for i, text := range []string{
		"id,x,t,d,b\n1,1.25,customer 1,2024-01-02,true\n2,2.5,,2024-01-03,\n",
		"id;x\n1;1.234,50 €\n2;-7,25 €\n",
		"lat;lon\n52.517;13.4\n48.137;11.6\n",
		"n\n1.234\n2.500\n",
		"n,m\n1,\"x\ny\"\n",
		"a,b\n\"x\r\ny\",1\nz,2\n",
		"a,b\n1\n2,3\n",
		"a,b\n , x\n2,y \n",
		"d,n\n03/04/2026,1\n04/05/2026,2\n",
		"d,n\n13/04/2026,1\n04/05/2026,2\n",
		"d\n3-Apr-26\n14-Dez-26\n",
		"at\n2026-03-04T10:00:00Z\n2026-03-04T13:00:00+05:00\n",
		"at\n2026-03-04T10:00:00.25Z\n2026-03-04T13:00:00.5Z\n",
		"at,n\n2026-03-04 10:00:00.123456789,1\n2026-03-04 10:00:00.123456788,2\n",
		"at\n\"Mon, 02 Mar 2026 15:04:05 GMT\"\n\"Wed, 04 Feb 2026 15:04:05 GMT\"\n",
		"at,n\n2026-03-04 10:00,1\n2026-03-04 10:00:30,2\n",
		"at\n4/13/2026 3:05 PM\n4/1/2026 12:00 AM\n",
		"country,2019,2020\nA,1.5,2.5\nB,3.5,4.5\n",
		"2026-01-01,Berlin,10\n2026-01-02,Ulm,12\n",
		"Report\n\nregion,units\nN,1\nS,2\nTotal,3\n",
		"time,temp\ns,degC\n0,20.5\n1,20.6\n",
		"id,zip,e\n1,=\"0012\",1E5\n2,=\"12\",2E6\n",
		"a,b\n1,2\na,b\n3,4\n",
		"id,big\n9007199254740993,12345678901234567890\n2,5\n",
		"n,m\nN/A,1\n5,2\n",
		"a|b\n1|x,y\n2|'z'\n",
		"a\tb\n1\t5\" pipe\n2\t\"in \"quotes\" x\"\n",
		"\xef\xbb\xbfname,n\nM\xc3\xbcller,1\n",
		"name,n\nM\xfcller,1\n",
		`{"data":[{"a":1,"b":{"c":"x"}},{"a":2.5,"b":{"c":null}}]}`,
		"{\"a\":1,\"l\":[1,2]}\n{\"a\":9007199254740993,\"l\":[]}\n",
		`[{"a":NaN,"d":{"$date":"2026-01-02T03:04:05Z"}},{"a":1,"d":{"$date":"2026-01-03T03:04:05Z"}}]`,
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.txt")
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			loadInBoth(t, path)
		})
	}
}

// loadInBoth loads a file in both databases, which have to agree on the report and on every
// cell. It returns the report and the rows, with times and booleans as [asStored] has them.
func loadInBoth(t *testing.T, path string) (tabular.Report, [][]any) {
	t.Helper()
	d, err := dataset.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	db, reports, err := duckdb.Load(t.Context(), []duckdb.File{{Path: path}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if diff := cmp.Diff(d.Report, reports[0]); diff != "" {
		t.Error(diff)
	}
	var names []string
	for _, c := range d.Columns {
		names = append(names, c.Name)
	}
	g, err := secureview.New(&secureview.Policy{Dialect: "duckdb", Tables: map[string][]string{duckdb.DefaultTable: names}}, dialect.Dialect{})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryText(t.Context(), g, "SELECT * FROM "+duckdb.DefaultTable)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(asStored(d.Sample), asStored(rows)); diff != "" {
		t.Error(diff)
	}
	return d.Report, asStored(rows)
}

// asStored returns the rows of a table with times and booleans as SQLite has them.
func asStored(table *qed.Table) [][]any {
	var rows [][]any
	for _, row := range table.Rows {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = cell
			switch v := cell.(type) {
			case string:
				if at, ok := column.ParseTime(v); ok {
					cells[i] = at.UTC()
				}
			case bool:
				cells[i] = map[bool]int64{true: 1}[v]
			}
		}
		rows = append(rows, cells)
	}
	return rows
}
