package analyst_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/analyst"
	"github.com/qedkit/qed/analyst/claims"
	"github.com/qedkit/qed/dates"
)

// What a client sends cannot make the server run queries without an end.
func TestRerunIsBounded(t *testing.T) {
	data := orders(t)
	sent := func(n int, query string) *analyst.Exploration {
		e := &analyst.Exploration{Question: "q", Insights: []string{"i"}}
		for range n {
			e.ExecutedQueries = append(e.ExecutedQueries, analyst.ExecutedQuery{Query: query})
		}
		return e
	}
	rerun := func(ctx context.Context, timeout time.Duration, all ...*analyst.Exploration) (rows []int, problems []string, err error) {
		a, err := analyst.New(explorer(), data, &analyst.Options{Timeout: timeout})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Close()
		again, problems, err := a.Rerun(ctx, qed.Turn{Thread: "1"}, all...)
		for _, e := range again {
			rows = append(rows, len(e.ExecutedQueries))
		}
		return rows, problems, err
	}
	rows, problems, err := rerun(t.Context(), time.Minute, sent(60, byRegion), sent(41, byRegion), sent(1, byRegion))
	if err != nil || fmt.Sprint(rows) != "[60 40 0]" || len(problems) != 2 || !strings.Contains(problems[0], "exploration 2, queries 41 to 41: at most 100") {
		t.Errorf("%v rows, problems %q, %v", rows, problems, err)
	}
	slow := "SELECT count(*) AS n FROM t_parsed a, t_parsed b, t_parsed c, t_parsed d, t_parsed e WHERE a.amount + b.amount > c.amount + d.amount * e.amount"
	one := sent(1, byRegion)
	one.ExecutedQueries = append(one.ExecutedQueries, sent(20, slow).ExecutedQueries...)
	rows, problems, err = rerun(t.Context(), 300*time.Millisecond, one, sent(1, byRegion))
	if err != nil || fmt.Sprint(rows) != "[1 0]" || len(problems) != 3 || !strings.Contains(problems[1], "exploration 1, queries 3 to 21: there was no time left") {
		t.Errorf("%v rows, problems %q, %v", rows, problems, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := rerun(ctx, time.Minute, one); !errors.Is(err, context.Canceled) {
		t.Errorf("the client left: %v", err)
	}
}

// The verdicts that a client sends are not believed: the checks run again.
func TestRerunChecksAgain(t *testing.T) {
	a, err := analyst.New(explorer(), orders(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	turn := qed.Turn{Thread: "1", User: "u", Text: "Where are the orders larger?"}
	e, _ := explore(t, a, turn)
	forged := *e
	forged.Data = &analyst.DataFacts{Rows: 1_000_000}
	forged.Checks = []analyst.Check{e.Checks[0], e.Checks[0], e.Checks[0]}
	forged.Checks[0].Claim = &claims.Claim{
		Kind: claims.Means, Metric: "amount", By: "region", Groups: []string{"south", "north"}, Comparison: claims.More,
	}
	forged.Checks[0].Finding = "The mean amount is larger in the south."
	forged.Checks[2].Finding, forged.Checks[2].Query = "Another table", "SELECT secret FROM orders"
	again, problems, err := a.Rerun(t.Context(), turn, &forged)
	if err != nil {
		t.Fatal(err)
	}
	checks := again[0].Checks
	if len(checks) != 2 || checks[0].Verdict != dates.Contradicted || checks[1].Verdict != dates.Proved {
		t.Errorf("the checks are %+v", checks)
	}
	if len(problems) != 1 || !strings.Contains(problems[0], "exploration 1, check 3: ") {
		t.Errorf("problems %q", problems)
	}
	if again[0].Data.Rows != 400 {
		t.Errorf("the data are %+v", again[0].Data)
	}
}
