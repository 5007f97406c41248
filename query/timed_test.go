package query_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm/llmtest"
)

// timedShips are ships whose queries read times.
type timedShips struct {
	ships
	times dates.Times
}

func (s *timedShips) Times(context.Context, json.RawMessage) (dates.Times, error) {
	return s.times, nil
}

// The times of a request are compared with those that the query reads.
func TestTimed(t *testing.T) {
	march := []dates.Bound{{From: "2026-03-01", Before: "2026-04-01", Exact: true}}
	april := []dates.Bound{{From: "2026-04-01", Before: "2026-05-01", Exact: true}}
	for _, test := range []struct {
		name    string
		times   dates.Times
		verdict dates.Verdict
		partial string
	}{
		{"proved", dates.Times{Bounds: march, Complete: true, Looks: true}, dates.Proved, ""},
		{"another month", dates.Times{Bounds: april, Complete: true, Looks: true}, dates.Contradicted, "The dates may be wrong."},
		{"not read whole", dates.Times{Bounds: april, Looks: true}, dates.NotChecked, ""},
		{"no time", dates.Times{Complete: true}, dates.NotChecked, "does not look at one"},
	} {
		m := model(llmtest.Reply{JSON: map[string]any{"query": "all", "periods": []dates.Period{{Words: "March 2026", From: "2026-03-01", Before: "2026-04-01"}}}})
		got, _ := done[struct {
			Dates   []dates.Reading
			Partial string
		}](t, builder(t, m, nil, &timedShips{times: test.times}), `{"request":"ships of March 2026"}`)
		if len(got.Dates) != 1 || got.Dates[0].Verdict != test.verdict || (test.partial == "") != (got.Partial == "") || !strings.Contains(got.Partial, test.partial) {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
