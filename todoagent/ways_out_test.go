package todoagent_test

import (
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// Each question of the planner can be left in each way: which port a tool means, whether
// a plan or a call is approved, and how to plan at all.
func TestWaysOut(t *testing.T) {
	ask := planned(task("resolve_entities", "resolve", `{"name":"Miami"}`))
	say := planned(task("say_it", "say", `{"text":"Shanghai"}`))
	for name, tt := range map[string]struct {
		plan  llmtest.Reply
		opt   todoagent.Options
		calls string // the tool whose calls are approved
	}{
		"tool":    {plan: ask},
		"plan":    {plan: say, opt: todoagent.Options{ApprovePlan: true}},
		"call":    {plan: say, calls: "say"},
		"no plan": {plan: planned(task("nothing", "no_such_tool", `{}`))},
	} {
		t.Run(name, func(t *testing.T) {
			qedtest.WaysOut(t, func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent {
				m := llmtest.New(
					llmtest.Rule{Name: "reiterate_intention", Repeat: true, Replies: []llmtest.Reply{{JSON: map[string]any{"question": "the question"}}}},
					llmtest.Rule{Name: "plan_todos", Repeat: true, Replies: []llmtest.Reply{tt.plan}},
					llmtest.Rule{Name: "classify_intent", Repeat: true, Replies: []llmtest.Reply{{JSON: map[string]any{"intent": "new_plan"}}}})
				opt := tt.opt
				opt.Store = &store.InMemory{}
				agent, err := todoagent.New(wrap(m), approving(t, todoTools(t), tt.calls), &opt)
				if err != nil {
					t.Fatal(err)
				}
				return agent
			}, "show me Miami")
		})
	}
}
