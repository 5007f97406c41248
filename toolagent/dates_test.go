package toolagent_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/tools"
)

// The answer has the times that the agents behind the tools read, and why theirs
// are doubtful. Those agents have the calendar of the turn.
func TestDates(t *testing.T) {
	period := dates.Period{Words: "last fiscal year", From: "2025-04-01", Before: "2026-04-01"}
	for _, verdict := range []dates.Verdict{dates.Proved, dates.NotChecked, dates.Contradicted} {
		t.Run(string(verdict), func(t *testing.T) {
			model := &mind{think: func(req *llm.Request) reply {
				if len(results(*req)) > 0 {
					return reply{text: "Many."}
				}
				return calls(`ask {"question":"How many came last fiscal year?"}`)
			}}
			reading := dates.Reading{Period: period, By: dates.ByModel, Verdict: verdict}
			asked := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				if start := qed.Info(ctx).Calendar.FiscalYearStart; start != time.April {
					t.Errorf("the fiscal year begins in %v", start)
				}
				a := qed.Answer{Text: "Many.", Dates: []dates.Reading{reading}}
				if verdict == dates.Contradicted {
					a.Partial, a.PartialReason = true, "The dates may be wrong."
				}
				return a, nil
			})
			a := newAgent(t, model, registry(t, tools.FromAgent("ask", "asks", asked)), nil)
			answer, err := qed.Ask(t.Context(), a, qed.Turn{
				Text: "How many came last fiscal year?", Calendar: &dates.Calendar{FiscalYearStart: time.April},
			})
			if err != nil || answer.Partial != (verdict == dates.Contradicted) {
				t.Errorf("partial %v: %s, %v", answer.Partial, answer.PartialReason, err)
			}
			if diff := cmp.Diff([]dates.Reading{reading}, answer.Dates); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
