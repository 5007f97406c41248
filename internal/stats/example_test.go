package stats_test

import (
	"fmt"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/stats"
)

// delays are the hours that ships were late, on days of January.
func delays() *qed.Table {
	t := &qed.Table{Columns: []qed.Column{{Name: "eta"}, {Name: "carrier"}, {Name: "hours"}}}
	for i, hours := range []any{2, 3, 2.5, 4, 3.5, 5, 4.5, 48, 5.5, "7", 6.5, nil} {
		carrier := "Alpha"
		if i%2 == 1 {
			carrier = "Beta"
		}
		if err := t.Append(fmt.Sprintf("2025-01-%02d", i+1), carrier, hours); err != nil {
			panic(err)
		}
	}
	return t
}

func Example() {
	all, err := stats.Describe(delays(), "hours")
	if err != nil {
		panic(err)
	}
	s := all[0]
	fmt.Printf("%d values, %d missing: median %g, half between %g and %g, mean %.3g\n",
		s.Count, s.Missing, s.Numbers.Median, s.Numbers.Q1, s.Numbers.Q3, s.Numbers.Mean)
	// Output: 11 values, 1 missing: median 4.5, half between 3.25 and 6, mean 8.32
}

func ExampleFindOutliers() {
	o, err := stats.FindOutliers(delays(), "hours")
	if err != nil {
		panic(err)
	}
	for _, found := range o.Found {
		fmt.Printf("row %d: %g is above %g, score %.3g\n", found.Row, found.Value, o.HighFence, found.Score)
	}
	// Output: row 7: 48 is above 10.125, score 19.6
}

func ExampleNewSeries() {
	s, err := stats.NewSeries(delays(), "eta", "hours", nil)
	if err != nil {
		panic(err)
	}
	t := s.Trend()
	fmt.Printf("%s: %.2g hours a %s (p = %.2g, n = %d)\n", t.Direction, t.Slope, t.Period, t.P, t.N)
	// Output: rising: 0.5 hours a day (p = 0.0018, n = 11)
}

func ExampleFindSeasonality() {
	s, err := stats.FindSeasonality(delays(), "eta", "hours", nil)
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Cycles[1].Name, s.Cycles[1].Found, s.Cycles[1].Unclear)
	// Output: weekday false the data cover 11 days, and at least 21 are needed
}

func ExampleCompareGroups() {
	c, err := stats.CompareGroups(delays(), "hours", "carrier")
	if err != nil {
		panic(err)
	}
	for _, g := range c.Groups {
		fmt.Printf("%s: median %g of %d\n", g.Name, g.Median, g.N)
	}
	fmt.Printf("differ: %v (p = %.2f)\n", c.Differ, c.P)
	// Output:
	// Beta: median 5 of 5
	// Alpha: median 4 of 6
	// differ: false (p = 0.27)
}

func ExampleCorrelate() {
	t := &qed.Table{Columns: []qed.Column{{Name: "distance"}, {Name: "cost"}}}
	for i := range 12 {
		if err := t.Append(i, i*i); err != nil {
			panic(err)
		}
	}
	c, err := stats.Correlate(t, "distance", "cost")
	if err != nil {
		panic(err)
	}
	fmt.Printf("Pearson %.2f, Spearman %.2f, n = %d, related: %v\n", c.Pearson, c.Spearman, c.N, c.Related)
	// Output: Pearson 0.96, Spearman 1.00, n = 12, related: true
}
