package searchagent_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/searchagent"
)

func classified(intent, confidence string) llmtest.Rule {
	return reply("classify", llmtest.Reply{JSON: map[string]any{"intent": intent, "confidence": confidence, "reasoning": "It asks to delete."}})
}

var unknownIntent = llmtest.Reply{JSON: map[string]any{"intent": "drop", "confidence": "high", "reasoning": "r"}}

func TestClassify(t *testing.T) {
	for _, tt := range []struct {
		name     string
		classify llmtest.Rule
		opt      searchagent.Options
		searches bool
		route    string
		fallback bool
	}{
		{name: "a search", classify: classified("search", "high"), searches: true, route: "search"},
		{name: "perhaps a search", classify: classified("search", "low"), searches: true, route: "search"},
		{name: "something else", classify: classified("other", "high"), route: "other"},
		{name: "a deletion", classify: classified("delete", "high"), route: "delete"},
		{name: "probably a move", classify: classified("move", "medium"), route: "move"},
		{name: "perhaps a deletion", classify: classified("delete", "low"), searches: true, route: "search"},
		{name: "an intent that there is not", classify: reply("classify", unknownIntent, unknownIntent, unknownIntent), searches: true, route: "search", fallback: true},
		{name: "perhaps something else", classify: classified("other", "low"), searches: true, route: "search"},
		{name: "nonsense", classify: reply("classify", text("?"), text("?"), text("?")), searches: true, route: "search", fallback: true},
		{name: "a refusal", classify: reply("classify", fails(llm.ErrRefusal)), searches: true, route: "search", fallback: true},
		{name: "not wanted", opt: searchagent.Options{SkipClassification: true}, searches: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rules := scripted()[1:]
			if tt.classify.Replies != nil {
				rules = append(rules, tt.classify)
			}
			e := found(1)
			m := llmtest.New(rules...)
			events, got := ask(t, newAgent(t, m, e, &tt.opt), qed.Turn{Text: taxDocuments})
			if decisions := classifications(events); tt.route == "" && len(decisions) > 0 ||
				tt.route != "" && (len(decisions) != 1 || decisions[0].Route != tt.route || decisions[0].Fallback != tt.fallback) {
				t.Errorf("decided %+v", decisions)
			}
			for _, d := range classifications(events) {
				said := tt.classify.Replies[0].JSON
				want, _ := said.(map[string]any)
				if confidence, _ := want["confidence"].(string); !tt.fallback && d.Confidence != confidence ||
					!tt.fallback && d.Reason != "It asks to delete." {
					t.Errorf("decided %+v", d)
				}
			}
			if tt.searches {
				if got.Partial || len(e.ran) != 2 {
					t.Errorf("answer = %+v", got)
				}
				return
			}
			if !got.Partial || len(e.ran) != 0 || len(m.Requests()) != 1 {
				t.Errorf("answer = %+v after %d searches", got, len(e.ran))
			}
			wants(t, "the answer", got.Text, "files", "It asks to delete")
		})
	}
}

// classifications returns the decisions that are not edges of the graph.
func classifications(events []qed.EventData) []qed.RouteDecision {
	return slices.DeleteFunc(all[qed.RouteDecision](events), func(d qed.RouteDecision) bool { return d.Reason == "" })
}

func TestNoQuestion(t *testing.T) {
	if _, _, err := run(t, newAgent(t, llmtest.New(), &engine{}, nil), qed.Turn{Text: " \n"}); !errors.Is(err, qed.ErrEmptyTurn) {
		t.Errorf("error = %v", err)
	}
}

func TestModelIsUnreachable(t *testing.T) {
	for _, kind := range []llm.ErrorKind{llm.ErrUnavailable, llm.ErrAuth, llm.ErrRateLimit} {
		m := llmtest.New(reply("classify", fails(kind)))
		if _, _, err := run(t, newAgent(t, m, &engine{}, nil), qed.Turn{Text: taxDocuments}); !errors.Is(err, kind) {
			t.Errorf("error = %v, want one of kind %v", err, kind)
		}
	}
}
