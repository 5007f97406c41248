package todoagent_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/todoagent"
)

// The answer about a failed task is for the user, in the user's language, and its
// words are understood. The answer has the plan.
func TestFailureForUsers(t *testing.T) {
	for _, test := range []struct{ text, want, skip string }{
		{"show me the ships", "This step did not work: Do two.\nSay \"retry\", \"skip two\"", "skip two"},
		{"zeig mir die Schiffe", "Dieser Schritt ist nicht gelungen: Do two.\nSagen Sie „nochmal“, „überspringe two“", "überspringe two"},
	} {
		model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("one", "say", `{"text":"1"}`), task("two", "fail", `{}`), task("three", "say", `{"text":"3"}`))}})
		talk := newTodoTalk(t, model, todoTools(t), &todoagent.Options{})
		answer := talk.say(test.text)
		if !answer.Partial || !strings.HasPrefix(answer.Text, test.want) {
			t.Errorf("answer = %+v", answer)
		}
		usertexttest.Text(t, "the text", answer.Text)
		usertexttest.Text(t, "the reason", answer.PartialReason)
		want := []qed.PlanTask{
			{Key: "one", Description: "Do one", Tool: "say", Status: qed.TodoComplete},
			{Key: "two", Description: "Do two", Tool: "fail", Status: qed.TodoFailed},
			{Key: "three", Description: "Do three", Tool: "say", Status: qed.TodoPending},
		}
		if diff := cmp.Diff(want, answer.Plan); diff != "" {
			t.Error(diff)
		}
		if talk.problem() == "" {
			t.Error("the developer is not told why")
		}
		if answer := talk.say(test.skip); !strings.Contains(answer.Text, "3") || answer.Plan[1].Status != qed.TodoSkipped {
			t.Errorf("%s: %+v", test.skip, answer)
		}
	}
}
