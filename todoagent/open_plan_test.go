package todoagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// The open plan can be inspected after every turn, for every outcome.
func TestOpen(t *testing.T) {
	miami := planned(task("resolve", "resolve", `{"name":"Miami"}`), task("sum", "say", `{"text":{"$result":"resolve/port"}}`))
	broken := planned(task("one", "fail", `{}`), task("two", "say", `{"text":"2"}`))
	for name, test := range map[string]struct {
		plan llmtest.Reply
		opt  todoagent.Options
		call string // the tool whose calls are approved
		say  []string
		want []string // after each turn: the current task and how it is; empty: none is open
	}{
		"asks, and is answered":    {miami, todoagent.Options{}, "", []string{"Miami", "1"}, []string{"resolve clarification_needed", ""}},
		"asks, and is given up":    {miami, todoagent.Options{}, "", []string{"Miami", "forget it"}, []string{"resolve clarification_needed", ""}},
		"asks, and is skipped":     {miami, todoagent.Options{}, "", []string{"Miami", "skip"}, []string{"resolve clarification_needed", ""}},
		"fails, and is skipped":    {broken, todoagent.Options{}, "", []string{"go", "skip"}, []string{"one error", ""}},
		"fails, and is given up":   {broken, todoagent.Options{}, "", []string{"go", "never mind"}, []string{"one error", ""}},
		"waits, and is approved":   {broken, todoagent.Options{ApprovePlan: true}, "", []string{"go", "yes"}, []string{"one pending", "one error"}},
		"waits, and is rejected":   {broken, todoagent.Options{ApprovePlan: true}, "", []string{"go", "no"}, []string{"one pending", ""}},
		"a call waits, and is not": {broken, todoagent.Options{}, "fail", []string{"go", "no"}, []string{"one clarification_needed", "one error"}},
	} {
		t.Run(name, func(t *testing.T) {
			talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {test.plan}}), approving(t, todoTools(t), test.call), &test.opt)
			var got []string
			for _, text := range test.say {
				talk.say(text)
				l, err := todoagent.OpenPlan(talk.ctx, talk.store, "t")
				if err != nil {
					t.Fatal(err)
				}
				open := ""
				if l != nil {
					for _, task := range l.Tasks {
						if task.Key == l.Current {
							open = task.Key + " " + string(task.Status)
						}
					}
				}
				got = append(got, open)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("open (-want +got):\n%s", diff)
			}
		})
	}
	if l, err := todoagent.OpenPlan(t.Context(), &store.InMemory{}, "nobody's"); l != nil || err != nil {
		t.Errorf("of a thread that does not exist: %+v, %v", l, err)
	}
	if _, err := todoagent.OpenPlan(t.Context(), &store.InMemory{}, strings.Repeat("x", 10_000)); err == nil {
		t.Error("a bad name of a thread is taken")
	}
}
