package orders_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/qedkit/qed/examples/analyst/orders"
)

// read returns the rows as maps from column to cell.
func read(t *testing.T) []map[string]string {
	t.Helper()
	rows, err := file()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

var file = sync.OnceValues(func() ([]map[string]string, error) {
	var text bytes.Buffer
	if err := orders.Write(&text); err != nil {
		return nil, err
	}
	lines, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		return nil, err
	}
	if !slices.Equal(lines[0], orders.Columns) {
		return nil, fmt.Errorf("the header is %q", lines[0])
	}
	rows := make([]map[string]string, len(lines)-1)
	for i, line := range lines[1:] {
		rows[i] = map[string]string{}
		for j, cell := range line {
			rows[i][lines[0][j]] = cell
		}
	}
	return rows, nil
})

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// share returns the share of the rows that have a cell, among those that match.
func share(rows []map[string]string, column, cell string, match func(map[string]string) bool) float64 {
	n, all := 0, 0
	for _, row := range rows {
		if match(row) {
			all++
			if row[column] == cell {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

func correlation(x, y []float64) float64 {
	var mx, my, xy, xx, yy float64
	for i := range x {
		mx += x[i] / float64(len(x))
		my += y[i] / float64(len(y))
	}
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

func TestSameDataEachTime(t *testing.T) {
	var a, b bytes.Buffer
	if err := orders.Write(&a); err != nil {
		t.Fatal(err)
	}
	if err := orders.Write(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the data differs")
	}
	if n := bytes.Count(a.Bytes(), []byte("\n")); n < 50_001 {
		t.Errorf("it has %d lines", n)
	}
}

func TestSimpsonsParadox(t *testing.T) {
	rows := read(t)
	onTime := func(team, job string) float64 {
		return share(rows, "on_time", "1", func(row map[string]string) bool {
			return row["team"] == team && (job == "" || row["job"] == job)
		})
	}
	if alpha, beta := onTime("Alpha", ""), onTime("Beta", ""); alpha >= beta-0.05 {
		t.Errorf("of all jobs, Alpha has %.3f on time and Beta %.3f", alpha, beta)
	}
	for _, job := range []string{"install", "repair", "overhaul"} {
		if alpha, beta := onTime("Alpha", job), onTime("Beta", job); alpha <= beta+0.03 {
			t.Errorf("of the jobs %s, Alpha has %.3f on time and Beta %.3f", job, alpha, beta)
		}
	}
}

func TestBrokenMonth(t *testing.T) {
	sum, n := map[string]float64{}, map[string]float64{}
	for _, row := range read(t) {
		month := row["ordered_on"][:7]
		sum[month] += number(t, row["invoice"])
		n[month]++
	}
	if len(n) != 24 {
		t.Fatalf("there are %d months", len(n))
	}
	usual := sum["2024-06"] / n["2024-06"]
	for month := range n {
		ratio, want := sum[month]/n[month]/usual, 1.0
		if month == orders.BrokenMonth {
			want = 100
		}
		if math.Abs(ratio/want-1) > 0.15 {
			t.Errorf("the mean invoice of %s is %.2f times that of 2024-06", month, ratio)
		}
	}
}

func TestDuplicates(t *testing.T) {
	seen, ids := map[string]int{}, map[string]int{}
	days := map[string]bool{}
	for _, row := range read(t) {
		var cells []string
		for _, column := range orders.Columns {
			cells = append(cells, row[column])
		}
		ids[row["order_id"]]++
		whole := strings.Join(cells, "|")
		if seen[whole]++; seen[whole] > 1 {
			days[row["ordered_on"]] = true
		}
	}
	if len(seen) != orders.Count || len(ids) != orders.Count {
		t.Errorf("there are %d different rows and %d ids", len(seen), len(ids))
	}
	if len(days) != 7 || !days[orders.DoubledFrom] || !days[orders.DoubledTo] {
		t.Errorf("the days with duplicates are %v", days)
	}
}

func TestSpuriousCorrelation(t *testing.T) {
	x, y := map[string][]float64{}, map[string][]float64{}
	for _, row := range read(t) {
		for _, group := range []string{"", row["quarter"]} {
			x[group] = append(x[group], number(t, row["app_logins"]))
			y[group] = append(y[group], number(t, row["wait_days"]))
		}
	}
	if len(x) != 9 {
		t.Fatalf("there are %d quarters", len(x)-1)
	}
	for quarter := range x {
		r := correlation(x[quarter], y[quarter])
		if quarter == "" && r < 0.6 || quarter != "" && math.Abs(r) > 0.05 {
			t.Errorf("the correlation in the quarter %q is %.3f", quarter, r)
		}
	}
}

func TestMissingRatings(t *testing.T) {
	rows := read(t)
	missing := func(onTime string) float64 {
		return share(rows, "rating", "", func(row map[string]string) bool { return row["on_time"] == onTime })
	}
	if late, inTime := missing("0"), missing("1"); late < 3*inTime || inTime < 0.01 {
		t.Errorf("%.3f of the ratings of late orders are missing, and %.3f of the others", late, inTime)
	}
}
