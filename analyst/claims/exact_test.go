package claims_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst/claims"
)

// Claims about the numbers of a query, each both ways.
func TestResults(t *testing.T) {
	quarters := table(t, "quarter sales cost", []any{"2024-Q1", 100.0, 80.0}, []any{"2024-Q2", 120.0, 90.0},
		[]any{"2024-Q3", 110.0, 70.0}, []any{"2024-Q4", 158.0, 100.0})
	rising := table(t, "year n", []any{2019, 10}, []any{2020, 11}, []any{2021, 15}, []any{2022, 18}, []any{2023, 30}, []any{2024, 31}, []any{2025, 40})
	one := table(t, "total half", []any{1_234_567.0, 600_000.0})
	cut := quarters.Clone()
	cut.Truncated = true
	empty := table(t, "day n")
	of := func(kind claims.Kind, value float64, groups ...string) claims.Claim {
		return claims.Claim{Kind: kind, Metric: "sales", By: "quarter", Groups: groups, Value: &value}
	}
	with := func(c claims.Claim, comparison claims.Comparison) claims.Claim {
		c.Comparison = comparison
		return c
	}
	total := func(value float64) claims.Claim {
		return claims.Claim{Kind: claims.Total, Metric: "total", Value: &value}
	}
	direction := func(kind claims.Kind, comparison claims.Comparison, groups ...string) claims.Claim {
		return claims.Claim{Kind: kind, Metric: "sales", By: "quarter", Groups: groups, Comparison: comparison}
	}
	trend := func(comparison claims.Comparison) claims.Claim {
		return claims.Claim{Kind: claims.Trend, Metric: "n", By: "year", Comparison: comparison}
	}
	for _, test := range []struct {
		name  string
		rows  *qed.Table
		claim claims.Claim
		want  string
	}{
		{"exact", one, total(1234567), proved},
		{"one more", one, total(1234568), contradicted},
		{"rounded to thousands", one, total(1235000), proved},
		{"rounded to 1.2 million", one, total(1.2e6), doubt},
		{"1.3 million", one, total(1.3e6), contradicted},
		{"at least a million", one, with(total(1e6), claims.AtLeast), proved},
		{"at least two million", one, with(total(2e6), claims.AtLeast), contradicted},
		{"at most two million", one, with(total(2e6), claims.AtMost), proved},
		{"a cell", quarters, of(claims.Total, 120, "2024-Q2"), proved},
		{"growth", quarters, of(claims.Growth, 0.2, "2024-Q2", "2024-Q1"), proved},
		{"growth in the wrong order", quarters, of(claims.Growth, 0.2, "2024-Q1", "2024-Q2"), contradicted},
		{"a fall", quarters, with(of(claims.Growth, 0.083, "2024-Q3", "2024-Q2"), claims.Less), proved},
		{"a fall that is negative", quarters, of(claims.Growth, -0.08, "2024-Q3", "2024-Q2"), proved},
		{"12 % for 8 %", quarters, with(of(claims.Growth, 0.12, "2024-Q3", "2024-Q2"), claims.Less), contradicted},
		{"growth of at least 40 %", quarters, with(of(claims.Growth, 0.4, "2024-Q4", "2024-Q3"), claims.AtLeast), proved},
		{"it grew", quarters, direction(claims.Growth, claims.More, "2024-Q4", "2024-Q3"), proved},
		{"it fell", quarters, direction(claims.Growth, claims.Less, "2024-Q4", "2024-Q3"), contradicted},
		{"above the mean of all", quarters, of(claims.Growth, 0.295, "2024-Q4"), proved},
		{"above the mean of the others", quarters, of(claims.Growth, 0.44, "2024-Q4"), proved},
		{"above no mean", quarters, of(claims.Growth, 0.35, "2024-Q4"), contradicted},
		{"above the mean of a part", &cut, of(claims.Growth, 0.295, "2024-Q4"), undecided},
		{"times", quarters, of(claims.Ratio, 1.58, "2024-Q4", "2024-Q1"), proved},
		{"columns", one, claims.Claim{Kind: claims.Ratio, Metric: "total", With: "half", Value: new(2.06)}, proved},
		{"a share", quarters, of(claims.Share, 0.32, "2024-Q4"), proved},
		{"another share", quarters, of(claims.Share, 0.4, "2024-Q4"), contradicted},
		{"a share of a part", &cut, of(claims.Share, 0.32, "2024-Q4"), undecided},
		{"the peak", quarters, direction(claims.Rank, "", "2024-Q4"), proved},
		{"no peak", quarters, direction(claims.Rank, "", "2024-Q2"), contradicted},
		{"the second place", quarters, of(claims.Rank, 2, "2024-Q2"), proved},
		{"the smallest", quarters, direction(claims.Rank, claims.Less, "2024-Q1"), proved},
		{"the largest part, but not half", quarters, direction(claims.Most, "", "2024-Q4"), doubt},
		{"a smaller part", quarters, direction(claims.Most, "", "2024-Q2"), contradicted},
		{"more than half", table(t, "quarter sales", []any{"a", 51}, []any{"b", 49}), direction(claims.Most, "", "a"), proved},
		{"tens of percent", quarters, with(of(claims.Growth, 0.1, "2024-Q3", "2024-Q2"), claims.Less), doubt},
		{"grew by more than 10 %", quarters, with(of(claims.Growth, 0.11, "2024-Q2", "2024-Q1"), claims.More), doubt},
		{"percent for a part", table(t, "total", []any{35.2}), total(0.352), doubt},
		{"thousands", table(t, "total", []any{1235}), total(1235000), doubt},
		{"rising", rising, trend(claims.More), proved},
		{"falling", rising, trend(claims.Less), contradicted},
		{"up and down", table(t, "year n", []any{2019, 10}, []any{2020, 30}, []any{2021, 15}, []any{2022, 18}, []any{2023, 11}, []any{2024, 19}), trend(claims.More), chance},
		{"two years", table(t, "year n", []any{2019, 10}, []any{2020, 30}), trend(claims.More), undecided},
		{"never, without rows", empty, claims.Claim{Kind: claims.Never}, proved},
		{"never, with rows", rising, claims.Claim{Kind: claims.Never}, contradicted},
		{"never, a count of 0", table(t, "n", []any{0}), claims.Claim{Kind: claims.Never, Metric: "n"}, proved},
		{"never, a count of 3", table(t, "n", []any{3}), claims.Claim{Kind: claims.Never, Metric: "n"}, contradicted},
		{"no value", table(t, "total", []any{nil}), total(5), undecided},
		{"a negative base", table(t, "quarter sales", []any{"a", 5.0}, []any{"b", -5.0}), of(claims.Growth, -2, "a", "b"), undecided},
		{"parts below 0", table(t, "quarter sales", []any{"a", 5.0}, []any{"b", -1.0}), of(claims.Share, 1, "a"), undecided},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := check(t, claims.Finding{Result: test.rows, Claim: &test.claim, Language: "en"})
			if decision(r) != test.want {
				t.Errorf("%s, want %s: %s", decision(r), test.want, r.Text)
			}
		})
	}
	for name, claim := range map[string]claims.Claim{
		"no group":       direction(claims.Growth, claims.More),
		"no direction":   direction(claims.Growth, "", "2024-Q4", "2024-Q3"),
		"unknown group":  of(claims.Total, 1, "2025-Q1"),
		"no number":      {Kind: claims.Total, Metric: "sales", By: "quarter", Groups: []string{"2024-Q1"}},
		"many rows":      {Kind: claims.Total, Metric: "sales", Value: new(1.0)},
		"a bound of all": with(of(claims.Rank, 1, "2024-Q4"), claims.AtLeast),
		"more than":      with(of(claims.Share, 0.2, "2024-Q4"), claims.More),
		"a trend of 5":   {Kind: claims.Trend, Metric: "sales", By: "quarter", Comparison: claims.More, Value: new(5.0)},
		"not a number":   of(claims.Total, math.NaN(), "2024-Q1"),
	} {
		if _, err := claims.Check(t.Context(), claims.Finding{Result: quarters, Claim: &claim}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// A finding whose words state another number than its claim was not checked.
func TestOtherNumber(t *testing.T) {
	quarters := table(t, "quarter sales", []any{"2024-Q1", 1000.0}, []any{"2024-Q2", 1200.0}, []any{"2024-Q3", 1800.0})
	growth := claims.Claim{Kind: claims.Growth, Metric: "sales", By: "quarter", Groups: []string{"2024-Q2", "2024-Q1"}, Value: new(0.2)}
	ratio := claims.Claim{Kind: claims.Ratio, Metric: "sales", By: "quarter", Groups: []string{"2024-Q3", "2024-Q1"}, Value: new(1.8)}
	share := claims.Claim{Kind: claims.Share, Metric: "sales", By: "quarter", Groups: []string{"2024-Q1"}, Value: new(0.25)}
	total := claims.Claim{Kind: claims.Total, Metric: "sales", By: "quarter", Groups: []string{"2024-Q2"}, Value: new(1200.0)}
	for _, test := range []struct {
		text  string
		claim claims.Claim
		want  string
	}{
		{"Sales grew by 20 % in Q2 2024.", growth, proved},
		{"Sales grew by about 20 percent, to 1,200.", growth, proved},
		{"Der Umsatz stieg um 20,0 % auf 1.200 Euro.", growth, proved},
		{"Sales are 120 % of those of the quarter before.", growth, proved},
		{"Sales grew by a fifth.", growth, proved},
		{"Sales doubled in Q2.", growth, undecided},
		{"Sales grew by 20 % in the second half of the year.", growth, proved},
		{"Sales of double rooms grew by 20 %.", growth, proved},
		{"Sales to those above 65 grew by 20 %.", growth, proved},
		{"Sales grew by 65 %.", growth, undecided},
		{"Sales grew by 80 %.", growth, undecided},
		{"Sales grew by 120 %.", growth, undecided},
		{"Sales grew by 1,200.", growth, undecided},
		{"Q1 has 75 % of the sales.", share, undecided},
		{"Sales were 65 in Q2 2024.", total, undecided},
		{"The coupon was used 1,200 times in Q2.", total, proved},
		{"Sales grew by thirty percent.", growth, undecided},
		{"Sales grew by 20 %, to 1,300.", growth, undecided},
		{"Der Umsatz stieg um 20 % auf das Doppelte.", growth, undecided},
		{"Sales grew within 3 months.", growth, proved},
		{"Sales rose by twenty percent, 100 % of it online.", growth, undecided},
		{"Sales rose by one fifth, with 95 % confidence.", growth, undecided},
		{"Sales grew by 35 % in Q2 2024.", growth, undecided},
		{"Der Umsatz stieg um 35 %.", growth, undecided},
		{"Sales in Q3 are 1.8 times those in Q1.", ratio, proved},
		{"Sales in Q3 are 80 % above those in Q1.", ratio, proved},
		{"Sales in Q3 are nearly twice those in Q1.", ratio, proved},
		{"Sales in Q3 are nearly twice those in Q1, 5 % above plan.", ratio, undecided},
		{"Sales in Q3 are 3 times those in Q1.", ratio, undecided},
		{"In Q3 ist der Umsatz das 3-fache.", ratio, undecided},
		{"Der Umsatz in Q3 liegt 80 % über dem in Q1.", ratio, proved},
		{"Der Umsatz in Q3 liegt 60 % über dem in Q1.", ratio, undecided},
		{"Auf die übrigen Quartale entfallen 75 % des Umsatzes.", share, proved},
		{"Q1 has 25 % of the sales.", share, proved},
		{"75 % of the sales are not in Q1.", share, proved},
		{"A quarter of the sales is in Q1.", share, proved},
		{"A quarter of the sales is in Q1, and 60 % in Q3.", share, undecided},
		{"Q1 has 40 % of the sales.", share, undecided},
		{"Sales were 1,200 in Q2 2024.", total, proved},
		{"Sales were EUR 1.2 thousand in Q2.", total, proved},
		{"Der Umsatz betrug 1.200 Euro.", total, proved},
		{"Sales were higher in Q2, in all 14 shops.", total, undecided},
		{"Sales were 1,500 in Q2 2024.", total, undecided},
		{"Der Umsatz betrug 2.100 Euro.", total, undecided},
	} {
		if r := check(t, claims.Finding{Text: test.text, Result: quarters, Query: "SELECT .. WHERE age > 65", Claim: &test.claim}); decision(r) != test.want {
			t.Errorf("%s %s, want %s: %s", test.text, decision(r), test.want, r.Text)
		}
	}
}

// The counts and means of a sample are those of all rows.
func TestTally(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	rows := table(t, "shop amount kind")
	claim := northMore()
	all := claims.NewTally(rows.Columns, claim)
	sums, n := map[string]float64{}, map[string]int{}
	total := 0
	for i := range 20_000 {
		shop := []string{"north", "south"}[i%2]
		v := 100 + shift(shop, 60) + 40*r.ExpFloat64()
		if i%997 == 0 {
			v = 30_000
		}
		row := []any{shop, v, kindOf(i)}
		sums[shop], n[shop], total = sums[shop]+v, n[shop]+1, total+1
		all.Add(row)
		if i%20 < 2 {
			rows.Append(row...)
		}
	}
	rep := check(t, claims.Finding{Rows: rows, Total: total, Sampled: true, All: all, Claim: claim, Language: "en"})
	f := find(t, rep, claims.CheckDifference).Figures
	for shop, got := range map[string]float64{"north": f["mean_a"], "south": f["mean_b"]} {
		if want := sums[shop] / float64(n[shop]); math.Abs(got-want) > 1e-9*want {
			t.Errorf("%s has %v, want the mean of all rows %v", shop, got, want)
		}
	}
	share := &claims.Claim{Kind: claims.Share, Metric: "kind", Outcome: "rare", Count: new(1)}
	all = claims.NewTally(rows.Columns, share)
	for _, row := range rows.Rows {
		all.Add(row)
	}
	all.Add([]any{"north", 1.0, "rare"})
	rep = check(t, claims.Finding{Rows: rows, Total: len(rows.Rows) + 1, Sampled: true, All: all, Claim: share, Language: "en"})
	if got := find(t, rep, claims.CheckShare); got.Figures["share"] != 1/float64(len(rows.Rows)+1) || got.Outcome != claims.Pass {
		t.Errorf("a value that only the rows outside of the sample have: %s", got.Text)
	}
}

// A stratifier that was asked for is used, or leaves the finding open.
func TestNamedStratifiers(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	rows := table(t, "shop amount name age day only_north empty")
	for i := range 600 {
		shop := []string{"north", "south"}[i%2]
		only := any("x")
		if shop == "south" {
			only = "y"
		}
		rows.Append(shop, 100+shift(shop, 20)+10*r.NormFloat64(), fmt.Sprint("name ", i), 20+r.IntN(60),
			time.Date(2024, 1, 1+i/2, 0, 0, 0, 0, time.UTC).Format(time.DateOnly), only, nil)
	}
	for column, want := range map[string]string{
		"age": proved, "day": proved,
		"name": undecided, "only_north": undecided, "empty": undecided,
	} {
		claim := northMore()
		claim.Stratifiers = []string{column}
		if rep := check(t, claims.Finding{Rows: rows, Claim: claim, Language: "en"}); decision(rep) != want {
			t.Errorf("%s: %s, want %s: %s", column, decision(rep), want, rep.Text)
		}
	}
}

// Equal rows are copies if the data has a key, and chance if it has none.
func TestCopies(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	for _, test := range []struct {
		name   string
		copies bool
		rows   func(add func(...any))
	}{
		{"all rows, 30 times", true, func(add func(...any)) {
			for range 40 {
				shop, v, kind := []string{"north", "south"}[r.IntN(2)], r.NormFloat64(), kindOf(r.IntN(6))
				for range 30 {
					add(shop, v, kind)
				}
			}
		}},
		{"a part, twice", true, func(add func(...any)) {
			for i := range 500 {
				shop, v, kind := []string{"north", "south"}[r.IntN(2)], r.NormFloat64(), kindOf(r.IntN(6))
				add(shop, v, kind)
				if i < 50 {
					add(shop, v, kind)
				}
			}
		}},
		{"no row twice", false, func(add func(...any)) {
			for range 500 {
				add([]string{"north", "south"}[r.IntN(2)], r.NormFloat64(), kindOf(r.IntN(6)))
			}
		}},
		{"whole numbers", false, func(add func(...any)) {
			for range 500 {
				add([]string{"north", "south"}[r.IntN(2)], r.IntN(40), kindOf(r.IntN(6)))
			}
		}},
		{"marks from 1 to 5", false, func(add func(...any)) {
			for range 800 {
				add([]string{"north", "south"}[r.IntN(2)], 1+r.IntN(5), kindOf(r.IntN(6)))
			}
		}},
		{"without values", false, func(add func(...any)) {
			for i := range 300 {
				var v any
				if i%3 > 0 {
					v = r.NormFloat64()
				}
				add([]string{"north", "south"}[r.IntN(2)], v, kindOf(r.IntN(6)))
			}
		}},
	} {
		rows := table(t, "shop amount kind")
		test.rows(func(row ...any) { rows.Append(row...) })
		rep := check(t, claims.Finding{Rows: rows, Claim: northMore(), Language: "en"})
		if _, got := results(rep)[claims.CheckCopies]; got != test.copies {
			t.Errorf("%s: copies %v: %s", test.name, got, rep.Text)
		}
	}
}

// Columns that no claim can be about.
func TestBadColumns(t *testing.T) {
	rows := table(t, "shop amount kind id empty constant")
	for i := range 50_000 {
		shop := []string{"north", "south"}[i%2]
		rows.Append(shop, 100+shift(shop, 1)+float64(i%7), kindOf(i), fmt.Sprintf("u%07d", i), nil, 5)
	}
	for _, test := range []struct {
		claim claims.Claim
		want  string
	}{
		{*northMore(), proved},
		{claims.Claim{Kind: claims.Means, Metric: "empty", By: "shop"}, undecided},
		{claims.Claim{Kind: claims.Means, Metric: "constant", By: "shop"}, undecided},
		{claims.Claim{Kind: claims.Correlation, Metric: "amount", With: "constant"}, undecided},
		{claims.Claim{Kind: claims.Shares, Metric: "id", By: "shop"}, undecided},
		{claims.Claim{Kind: claims.Share, Metric: "id", Outcome: "u0000001", Count: new(1)}, proved},
	} {
		if rep := check(t, claims.Finding{Rows: rows, Claim: &test.claim, Language: "en"}); decision(rep) != test.want {
			t.Errorf("%+v: %s, want %s: %s", test.claim, decision(rep), test.want, rep.Text)
		}
	}
	if _, err := claims.Check(t.Context(), claims.Finding{Rows: rows, Claim: &claims.Claim{Kind: claims.Means, Metric: "amount", By: "id"}}); err == nil {
		t.Error("50,000 groups were accepted")
	}
}
