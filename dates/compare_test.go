package dates_test

import (
	"fmt"
	"log"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/dates"
)

func exact(from, before string) dates.Bound {
	return dates.Bound{From: from, Before: before, Exact: true}
}

func TestCompare(t *testing.T) {
	feb, mar := dates.Period{Words: "last month", From: "2026-02-01", Before: "2026-03-01"}, dates.Period{Words: "this month", From: "2026-03-01", Before: "2026-04-01"}
	quarter := dates.Period{Words: "Q3 2025", From: "2025-07-01", Before: "2025-10-01"}
	one := func(p dates.Period, v dates.Verdict, found ...string) []dates.Reading {
		return []dates.Reading{{Period: p, By: dates.ByModel, Verdict: v, Found: found}}
	}
	two := func(v dates.Verdict) []dates.Reading { return append(one(feb, v), one(mar, v)...) }
	for _, test := range []struct {
		name     string
		zone     string
		declared []dates.Period
		bounds   []dates.Bound
		partly   bool
		want     []dates.Reading
	}{
		{"the same", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-10-01")}, false, one(quarter, dates.Proved)},
		{"as moments", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01 00:00:00", "2025-10-01T00:00:00")}, false, one(quarter, dates.Proved)},
		{"in another zone", "Europe/Berlin", []dates.Period{quarter}, []dates.Bound{exact("2025-06-30T22:00:00Z", "2025-10-01 00:00:00+02")}, false, one(quarter, dates.Proved)},
		{"in the wrong zone", "Europe/Berlin", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01T00:00:00Z", "2025-10-01T00:00:00Z")}, false,
			one(quarter, dates.Contradicted, "2025-07-01T00:00:00Z - 2025-10-01T00:00:00Z")},
		{"twice", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-10-01"), exact("2025-07-01", "2025-10-01")}, false, one(quarter, dates.Proved)},
		{"not all times were read", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-10-01")}, true, one(quarter, dates.NotChecked)},
		{"a bound is not exact", "", []dates.Period{quarter}, []dates.Bound{{From: "2025-07-01", Before: "2025-10-01"}}, false, one(quarter, dates.NotChecked)},
		{"another year, not exact", "", []dates.Period{quarter}, []dates.Bound{{From: "2024-07-01", Before: "2024-10-01"}}, false, one(quarter, dates.NotChecked)},
		{"no times", "", []dates.Period{quarter}, nil, false, one(quarter, dates.NotChecked)},
		{"another quarter", "", []dates.Period{quarter}, []dates.Bound{exact("2025-04-01", "2025-07-01")}, false, one(quarter, dates.Contradicted, "2025-04-01 - 2025-06-30")},
		{"a day too much", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-10-02")}, false, one(quarter, dates.Contradicted, "2025-07-01 - 2025-10-01")},
		{"a day too little", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-02", "2025-10-01")}, false, one(quarter, dates.Contradicted, "2025-07-02 - 2025-09-30")},
		{"the last day cut off", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-09-30 00:00:01")}, false, one(quarter, dates.Contradicted, "2025-07-01 - 2025-09-30 00:00:01")},
		{"no end", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "")}, false, one(quarter, dates.NotChecked)},
		{"active in it", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", ""), exact("", "2025-10-01")}, false, one(quarter, dates.NotChecked)},
		{"all up to its end", "", []dates.Period{quarter}, []dates.Bound{exact("", "2025-10-01")}, false, one(quarter, dates.NotChecked)},
		{"the last day of a balance", "", []dates.Period{quarter}, []dates.Bound{exact("2025-09-30", "2025-10-01")}, false, one(quarter, dates.NotChecked)},
		{"the first days of months", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-09-02")}, false, one(quarter, dates.NotChecked)},
		{"a month less", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-09-01")}, false, one(quarter, dates.Contradicted, "2025-07-01 - 2025-08-31")},
		{"without a day in it", "", []dates.Period{quarter}, []dates.Bound{exact("2025-07-01", "2025-08-15"), exact("2025-08-16", "2025-10-01")}, false, one(quarter, dates.NotChecked)},
		{"a day outside", "", []dates.Period{quarter}, []dates.Bound{exact("2025-10-01", "2025-10-02")}, false, one(quarter, dates.Contradicted, "2025-10-01")},
		{"the month before as well", "", []dates.Period{mar}, []dates.Bound{exact("2026-02-01", "2026-04-01")}, false, one(mar, dates.NotChecked)},
		{"a second time that nobody declared", "", []dates.Period{mar}, []dates.Bound{exact("2026-03-01", "2026-04-01"), exact("2025-03-01", "2025-04-01")}, false, one(mar, dates.NotChecked)},
		{"not over yet", "", []dates.Period{mar}, []dates.Bound{exact("2026-03-01", "2026-03-31 12:00:00")}, false, one(mar, dates.NotChecked)},
		{"adjacent periods in one range", "", []dates.Period{feb, mar}, []dates.Bound{exact("2026-02-01", "2026-04-01")}, false, two(dates.Proved)},
		{"adjacent periods, each", "", []dates.Period{mar, feb}, []dates.Bound{exact("2026-02-01", "2026-03-01"), exact("2026-03-01", "2026-04-01")}, false, append(one(mar, dates.Proved), one(feb, dates.Proved)...)},
		{"one of two", "", []dates.Period{feb, mar}, []dates.Bound{exact("2026-03-01", "2026-04-01")}, false,
			append(one(feb, dates.Contradicted, "2026-03-01 - 2026-03-31"), one(mar, dates.Proved)...)},
		{"a period in parts", "", []dates.Period{{Words: "both", From: "2026-02-01", Before: "2026-04-01"}},
			[]dates.Bound{exact("2026-03-01", "2026-04-01"), exact("2026-02-01", "2026-03-01")}, false,
			one(dates.Period{Words: "both", From: "2026-02-01", Before: "2026-04-01"}, dates.NotChecked)},
		{"no beginning", "", []dates.Period{{Words: "before 2024", Before: "2024-01-01"}}, []dates.Bound{exact("", "2024-01-01")}, false,
			one(dates.Period{Words: "before 2024", Before: "2024-01-01"}, dates.Proved)},
		{"a period that cannot be read", "", []dates.Period{{Words: "soon", From: "soon"}}, []dates.Bound{exact("2026-03-01", "")}, false,
			one(dates.Period{Words: "soon", From: "soon"}, dates.NotChecked)},
		{"a period that ends before it begins", "", []dates.Period{{Words: "x", From: "2026-03-01", Before: "2026-02-01"}}, []dates.Bound{exact("2026-03-01", "")}, false,
			one(dates.Period{Words: "x", From: "2026-03-01", Before: "2026-02-01"}, dates.NotChecked)},
		{"a period without limits", "", []dates.Period{{Words: "always"}}, []dates.Bound{exact("2026-03-01", "")}, false, one(dates.Period{Words: "always"}, dates.NotChecked)},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := facts(t, "2026-03-31T10:00:00Z", dates.Calendar{Zone: test.zone}, "x").Compare(test.declared, test.bounds, !test.partly)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The words of the question are a second opinion: they are left out if the model
// says the same.
func TestCompareWords(t *testing.T) {
	words := func(v dates.Verdict, found ...string) dates.Reading {
		return dates.Reading{Period: dates.Period{Words: "last month", From: "2026-02-01", Before: "2026-03-01"}, By: dates.ByWords, Verdict: v, Found: found}
	}
	january := dates.Period{Words: "last month", From: "2026-01-01", Before: "2026-02-01"}
	for _, test := range []struct {
		name, text string
		declared   []dates.Period
		bounds     []dates.Bound
		want       []dates.Reading
	}{
		{"right", "sales last month", nil, []dates.Bound{exact("2026-02-01", "2026-03-01")}, []dates.Reading{words(dates.Proved)}},
		{"wrong", "sales last month", nil, []dates.Bound{exact("2026-01-01", "2026-02-01")}, []dates.Reading{words(dates.Contradicted, "2026-01-01 - 2026-01-31")}},
		{"no times", "sales last month", nil, nil, []dates.Reading{words(dates.NotChecked)}},
		{"the model is wrong, and its query", "sales last month", []dates.Period{january}, []dates.Bound{exact("2026-01-01", "2026-02-01")},
			[]dates.Reading{{Period: january, By: dates.ByModel, Verdict: dates.Proved}, words(dates.Contradicted, "2026-01-01 - 2026-01-31")}},
		{"the model says the same", "sales last month", []dates.Period{{Words: "last month", From: "2026-02-01", Before: "2026-03-01"}}, []dates.Bound{exact("2026-02-01", "2026-03-01")},
			[]dates.Reading{{Period: dates.Period{Words: "last month", From: "2026-02-01", Before: "2026-03-01"}, By: dates.ByModel, Verdict: dates.Proved}}},
		{"in two parts", "sales in January and February 2026",
			[]dates.Period{{Words: "January", From: "2026-01-01", Before: "2026-02-01"}, {Words: "February 2026", From: "2026-02-01", Before: "2026-03-01"}},
			[]dates.Bound{exact("2026-01-01", "2026-03-01")},
			[]dates.Reading{
				{Period: dates.Period{Words: "January", From: "2026-01-01", Before: "2026-02-01"}, By: dates.ByModel, Verdict: dates.Proved},
				{Period: dates.Period{Words: "February 2026", From: "2026-02-01", Before: "2026-03-01"}, By: dates.ByModel, Verdict: dates.Proved},
			}},
		{"a window with today", "sales in the last 30 days", nil, []dates.Bound{exact("2026-03-02", "2026-04-01")},
			[]dates.Reading{{Period: dates.Period{Words: "last 30 days", From: "2026-03-01", Before: "2026-03-31"}, By: dates.ByWords, Verdict: dates.NotChecked}}},
		{"two months compared", "Compare this month with last month", nil, []dates.Bound{exact("2026-02-01", "2026-04-01")}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := facts(t, "2026-03-31T10:00:00Z", dates.Calendar{}, test.text).Compare(test.declared, test.bounds, true)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// Random periods, and queries that read them in random ways: no right query is
// called wrong, and no wrong one right.
func TestCompareRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	f := facts(t, "2026-03-31T10:00:00Z", dates.Calendar{Zone: "Europe/Berlin"}, "x")
	first := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 20_000 {
		// Periods of some days each, with or without days between them.
		var periods []dates.Period
		var starts, ends []time.Time
		day := first.AddDate(0, 0, r.IntN(3000))
		for range 1 + r.IntN(4) {
			end := day.AddDate(0, 0, 2+r.IntN(40))
			starts, ends = append(starts, day), append(ends, end)
			periods = append(periods, dates.Period{Words: "x", From: day.Format(time.DateOnly), Before: end.Format(time.DateOnly)})
			if day = end; r.IntN(2) == 0 {
				day = end.AddDate(0, 0, 1+r.IntN(300))
			}
		}
		layout := []string{time.DateOnly, time.DateTime}[r.IntN(2)]
		bound := func(from, to time.Time) dates.Bound { return exact(from.Format(layout), to.Format(layout)) }
		var right []dates.Bound
		for i := 0; i < len(starts); {
			k := i // the last period of the same range
			for k+1 < len(starts) && starts[k+1].Equal(ends[k]) && r.IntN(2) == 0 {
				k++
			}
			right = append(right, bound(starts[i], ends[k]))
			i = k + 1
		}
		r.Shuffle(len(right), func(i, k int) { right[i], right[k] = right[k], right[i] })
		for _, got := range f.Compare(periods, right, true) {
			if got.Verdict != dates.Proved {
				t.Fatalf("%v with %v: %+v", periods, right, got)
			}
		}
		// The same with one wrong limit.
		wrong, i := append([]dates.Bound{}, right...), r.IntN(len(right))
		from, _ := time.Parse(layout, wrong[i].From)
		before, _ := time.Parse(layout, wrong[i].Before)
		if r.IntN(2) == 0 {
			wrong[i] = bound(from.AddDate(0, 0, 1), before)
		} else {
			wrong[i] = bound(from, before.AddDate(0, 0, 1-2*r.IntN(2)))
		}
		proved := 0
		for _, got := range f.Compare(periods, wrong, true) {
			if got.Verdict == dates.Proved {
				proved++
			}
		}
		if proved == len(periods) {
			t.Fatalf("%v with %v is proved", periods, wrong)
		}
	}
}

// The query reads the second quarter, and the question is about the last one, which
// is the third.
func ExampleFacts_Compare() {
	now := time.Date(2026, 11, 5, 9, 0, 0, 0, time.UTC)
	facts, err := dates.New(now, dates.Calendar{}, "How many orders came in last quarter?")
	if err != nil {
		log.Fatal(err)
	}
	declared := []dates.Period{{Words: "last quarter", From: "2026-04-01", Before: "2026-07-01"}}
	bounds := []dates.Bound{{From: "2026-04-01", Before: "2026-07-01", Exact: true}}
	for _, r := range facts.Compare(declared, bounds, true) {
		fmt.Printf("%s of the %s is %s: %s %v\n", r.Words, r.By, r.Days(), r.Verdict, r.Found)
	}
	// Output:
	// last quarter of the model is 2026-04-01 - 2026-06-30: proved []
	// last quarter of the words is 2026-07-01 - 2026-09-30: contradicted [2026-04-01 - 2026-06-30]
}
