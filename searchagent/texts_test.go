package searchagent_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/esquery"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
)

// The texts of an answer that the model did not write are for users, in their
// language, and the answer has the plan.
func TestFailuresForUsers(t *testing.T) {
	for name, test := range map[string]struct {
		rules  []llmtest.Rule
		engine *engine
		limits budget.Limits
		plan   []qed.TodoStatus
		whole  bool // the answer is not partial
	}{
		"nothing found":    {[]llmtest.Rule{isSearch(), reply("plan", plan(find("all", findAll))), reply("generate", body(right), body(right)), reply("answer", text(" "))}, &engine{}, budget.Limits{}, []qed.TodoStatus{qed.TodoComplete}, true},
		"no plan":          {[]llmtest.Rule{isSearch(), reply("plan", text("?"), text("?"), text("?"))}, &engine{}, budget.Limits{}, nil, false},
		"no search":        {[]llmtest.Rule{isSearch(), reply("plan", plan(find("all", findAll))), reply("generate", fails(llm.ErrRefusal))}, &engine{}, budget.Limits{}, []qed.TodoStatus{qed.TodoFailed}, false},
		"no index":         {scripted(), &engine{answers: []answer{{contains: `"Tax"`, docs: folders("abc-123")}, {err: engineFails(esquery.ErrNotFound, "index_not_found_exception")}}}, budget.Limits{}, []qed.TodoStatus{qed.TodoComplete, qed.TodoPending}, false},
		"the engine fails": {scripted(), &engine{answers: []answer{{contains: `"Tax"`, docs: folders("abc-123")}, {err: engineFails(esquery.ErrUnavailable, "dial tcp")}}}, budget.Limits{}, []qed.TodoStatus{qed.TodoComplete, qed.TodoPending}, false},
		"one call":         {scripted(), found(2), budget.Limits{ModelCalls: 1}, nil, false},
		"few calls":        {scripted(), found(2), budget.Limits{ModelCalls: 3}, []qed.TodoStatus{qed.TodoPending, qed.TodoPending}, false},
	} {
		for _, language := range []string{"en", "de"} {
			t.Run(name+" "+language, func(t *testing.T) {
				a := newAgent(t, llmtest.New(test.rules...), test.engine, nil)
				got, err := qed.Ask(budget.With(t.Context(), test.limits), a, qed.Turn{Text: taxDocuments, Language: language})
				if err != nil || got.Partial == test.whole {
					t.Fatalf("%+v, %v", got, err)
				}
				usertexttest.Text(t, "the text", got.Text)
				if !test.whole {
					usertexttest.Text(t, "the reason", got.PartialReason)
				}
				var status []qed.TodoStatus
				for _, task := range got.Plan {
					status = append(status, task.Status)
				}
				if diff := cmp.Diff(test.plan, status); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}
