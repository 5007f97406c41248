package todoagent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/todoagent"
)

// A todoStep is a message and its expected outcome.
type todoStep struct {
	say     string
	want    string   // the answer's text, or the text of the question; empty: any
	asks    bool     // it is a question
	partial bool     // the answer is partial
	intent  string   // as it was told
	memory  []string // the entries that were added
}

func intentOf(intent string, changes ...map[string]any) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"intent": intent, "changes": changes}}
}

func readAs(intent string) llmtest.Reply {
	return llmtest.Reply{JSON: map[string]any{"intent": intent, "reason": "so it seems"}}
}

// The conversations mix replies, changes, aborts, continuing, errors and retries.
func TestConversations(t *testing.T) {
	miami := planned(task("resolve", "resolve", `{"name":"Miami"}`), task("sum", "say", `{"text":{"$result":"resolve/port"}}`))
	shanghai := planned(task("resolve", "resolve", `{"name":"Shanghai"}`), task("sum", "say", `{"text":{"$result":"resolve/port"}}`))
	flaky := planned(task("one", "say", `{"text":"1"}`), task("two", "flaky", `{}`), task("three", "say", `{"text":"3"}`))
	broken := planned(task("one", "fail", `{}`), task("two", "say", `{"text":"2"}`))

	tests := map[string]struct {
		model map[string][]llmtest.Reply
		steps []todoStep
	}{
		"an answer by number": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami}},
			steps: []todoStep{
				{say: "Miami", want: "Which Miami?", asks: true, intent: "new_request", memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "2", want: "MCT", intent: "exact_answer", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"an invalid answer is asked again, then right": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami}, "read_reply": {{JSON: map[string]any{"intent": "exact_answer"}}}},
			steps: []todoStep{
				{say: "Miami", asks: true, memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "the other one", want: "Which Miami?", asks: true, intent: "exact_answer", memory: []string{"2 resolve clarification_needed -> resolve"}},
				{say: "option 1", want: "POM", memory: []string{"3 resolve complete -> sum", "3 sum complete -> "}},
			},
		},
		"a change in the middle of a question makes a new plan": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami, shanghai}, "read_reply": {readAs("modification")}, "classify_intent": {intentOf("modification")}},
			steps: []todoStep{
				{say: "Miami", asks: true, memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "Port of Miami, but also the arrival date", want: "Shanghai", intent: "modification", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"something else in the middle of a question": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami, shanghai}, "read_reply": {readAs("new_request")}},
			steps: []todoStep{
				{say: "Miami", asks: true, memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "forget it, show me container status instead", want: "Shanghai", intent: "new_request", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"nothing more in the middle of a question, then something new": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami, shanghai}},
			steps: []todoStep{
				{say: "Miami", asks: true, memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "never mind", want: "All right.", intent: "abort"},
				{say: "Shanghai then", want: "Shanghai", intent: "new_request", memory: []string{"3 resolve complete -> sum", "3 sum complete -> "}},
			},
		},
		"after nothing more, continue has nothing to go on with": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami, shanghai}},
			steps: []todoStep{
				{say: "Miami", asks: true, memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "forget it", want: "All right."},
				{say: "continue", want: "Shanghai", intent: "new_request", memory: []string{"3 resolve complete -> sum", "3 sum complete -> "}},
			},
		},
		"an error, and trying again": {
			model: map[string][]llmtest.Reply{"plan_todos": {flaky}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one complete -> two", "1 two error -> two"}},
				{say: "retry", want: "1\n\nat last\n\n3", intent: "modification", memory: []string{"2 two complete -> three", "2 three complete -> "}},
			},
		},
		"an error, and continue runs the task that failed": {
			model: map[string][]llmtest.Reply{"plan_todos": {flaky}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one complete -> two", "1 two error -> two"}},
				{say: "Please continue.", want: "1\n\nat last\n\n3", intent: "continue", memory: []string{"2 two complete -> three", "2 three complete -> "}},
			},
		},
		"an error twice, then skipped": {
			model: map[string][]llmtest.Reply{"plan_todos": {broken}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "try again", partial: true, memory: []string{"2 one error -> one"}},
				{say: "skip it", want: "2", partial: true, memory: []string{"3 two complete -> "}},
			},
		},
		"skipping a task by its key skips what needs its result": {
			model: map[string][]llmtest.Reply{"plan_todos": {miami}},
			steps: []todoStep{
				{say: "Miami", asks: true, memory: []string{"1 resolve clarification_needed -> resolve"}},
				{say: "skip resolve", partial: true, intent: "modification"},
			},
		},
		"an error, and the model reads how to fix it": {
			model: map[string][]llmtest.Reply{"plan_todos": {broken}, "classify_intent": {intentOf("modification", map[string]any{"key": "one", "action": "skip"})}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "do without the first one", want: "2", partial: true, intent: "modification", memory: []string{"2 two complete -> "}},
			},
		},
		"a task is edited by its key and done again": {
			model: map[string][]llmtest.Reply{"plan_todos": {flaky}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one complete -> two", "1 two error -> two"}},
				{say: `edit three: {"text":"three"}`, want: "1\n\nat last\n\nthree", intent: "modification", memory: []string{"2 two complete -> three", "2 three complete -> "}},
			},
		},
		"an edit that the tool does not take is refused, and the plan stays": {
			model: map[string][]llmtest.Reply{"plan_todos": {flaky}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one complete -> two", "1 two error -> two"}},
				{say: `edit three: {"words":"three"}`, partial: true},
				{say: "continue", want: "1\n\nat last\n\n3", memory: []string{"3 two complete -> three", "3 three complete -> "}},
			},
		},
		"a task that the plan does not have is asked for once more": {
			model: map[string][]llmtest.Reply{"plan_todos": {broken}, "classify_intent": {
				intentOf("modification", map[string]any{"key": "first", "action": "skip"}), intentOf("modification", map[string]any{"key": "one", "action": "skip"})}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "skip the first", want: "2", partial: true, memory: []string{"2 two complete -> "}},
			},
		},
		"an error, and another request": {
			model: map[string][]llmtest.Reply{"plan_todos": {broken, shanghai}, "classify_intent": {intentOf("new_request")}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "what about Shanghai?", want: "Shanghai", intent: "new_request", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"an error, and nothing more": {
			model: map[string][]llmtest.Reply{"plan_todos": {broken}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "Cancel, please", want: "All right.", intent: "abort"},
			},
		},
		"an error, then a question, then an answer": {
			model: map[string][]llmtest.Reply{"plan_todos": {planned(task("one", "flaky", `{}`), task("two", "resolve", `{"name":"Miami"}`), task("three", "say", `{"text":"done"}`))}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "retry one", asks: true, want: "Which Miami?", memory: []string{"2 one complete -> two", "2 two clarification_needed -> two"}},
				{say: "Miami Container Terminal", want: "at last\n\nResolved MCT\n\ndone", memory: []string{"3 two complete -> three", "3 three complete -> "}},
			},
		},
		"two questions, one after the other": {
			model: map[string][]llmtest.Reply{"plan_todos": {planned(task("a", "resolve", `{"name":"Miami"}`), task("b", "resolve", `{"name":"Miami"}`), task("c", "say", `{"text":{"$result":"b/port"}}`))}},
			steps: []todoStep{
				{say: "go", asks: true, memory: []string{"1 a clarification_needed -> a"}},
				{say: "1", asks: true, memory: []string{"2 a complete -> b", "2 b clarification_needed -> b"}},
				{say: "2", want: "Resolved POM\n\nMCT", memory: []string{"3 b complete -> c", "3 c complete -> "}},
			},
		},
		"a plan that cannot be used is corrected": {
			model: map[string][]llmtest.Reply{"plan_todos": {planned(task("a", "sai", `{}`)), shanghai}},
			steps: []todoStep{{say: "go", want: "Shanghai", memory: []string{"1 resolve complete -> sum", "1 sum complete -> "}}},
		},
		"a plan that cannot be used three times is the user's": {
			model: map[string][]llmtest.Reply{"plan_todos": {planned(task("a", "sai", `{}`)), planned(task("a", "say", `{"words":1}`)), planned(task("A b", "say", `{}`)), shanghai},
				"read_reply": {readAs("exact_answer")}},
			steps: []todoStep{
				{say: "go", asks: true, intent: "new_request"},
				{say: "by the port's name", want: "Shanghai", intent: "exact_answer", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"a request that no tool answers": {
			model: map[string][]llmtest.Reply{"plan_todos": {{JSON: map[string]any{"tasks": []any{}, "reason": "I only know ports."}}, shanghai}},
			steps: []todoStep{
				{say: "who won the cup?", want: "I only know ports.", partial: true},
				{say: "Shanghai", want: "Shanghai", intent: "new_request", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"a reason without words": {
			model: map[string][]llmtest.Reply{"plan_todos": {{JSON: map[string]any{"tasks": []any{}, "reason": " "}}}},
			steps: []todoStep{{say: "who won the cup?", want: "There is nothing that I can do about this. Please ask for something else.", partial: true}},
		},
		"the model does not say what a message is": {
			model: map[string][]llmtest.Reply{"plan_todos": {broken, shanghai}, "classify_intent": {{Text: "?"}, {Text: "?"}, {Text: "?"}}},
			steps: []todoStep{
				{say: "go", partial: true, memory: []string{"1 one error -> one"}},
				{say: "hm", want: "Shanghai", intent: "new_request", memory: []string{"2 resolve complete -> sum", "2 sum complete -> "}},
			},
		},
		"a finished plan is not resumed": {
			model: map[string][]llmtest.Reply{"plan_todos": {shanghai, miami}},
			steps: []todoStep{
				{say: "Shanghai", want: "Shanghai", memory: []string{"1 resolve complete -> sum", "1 sum complete -> "}},
				{say: "continue", asks: true, intent: "new_request", memory: []string{"2 resolve clarification_needed -> resolve"}},
				{say: "skip", partial: true},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var calls atomic.Int64
			talk := newTodoTalk(t, todoModel(t, test.model), todoTools(t, repeatable(qed.NewTool("flaky", "fails once", func(context.Context, struct{}) (map[string]string, error) {
				if calls.Add(1) == 1 {
					return nil, errors.New("not yet")
				}
				return map[string]string{"text": "at last"}, nil
			}))), nil)
			var memory []string
			for i, step := range test.steps {
				var answer qed.Answer
				var intents []string
				for event, err := range talk.agent.Run(talk.ctx, qed.Turn{Thread: "t", Text: step.say}) {
					if err != nil {
						t.Fatalf("step %d: %v", i, err)
					}
					switch d := event.Data.(type) {
					case qed.IntentClassified:
						intents = append(intents, string(d.Intent))
					case qed.Completed:
						answer = d.Answer
					}
				}
				text := answer.Text
				if step.asks != (len(answer.Questions) == 1) || len(answer.Questions) > 1 {
					t.Fatalf("step %d: %q asks %v", i, answer.Text, answer.Questions)
				}
				if step.asks {
					text = answer.Questions[0].Text
				}
				if step.want != "" && text != step.want || answer.Partial != step.partial {
					t.Errorf("step %d: answer = %q, partial %v (%s)", i, text, answer.Partial, answer.PartialReason)
				}
				if step.intent != "" && strings.Join(intents, " ") != step.intent {
					t.Errorf("step %d: intent = %v", i, intents)
				}
				memory = append(memory, step.memory...)
				if diff := cmp.Diff(memory, talk.entries()); diff != "" {
					t.Fatalf("step %d: memory (-want +got):\n%s", i, diff)
				}
			}
		})
	}
}

// Parallel tasks run at the same time, and one that interrupts the run does not stop the others.
func TestSideBySide(t *testing.T) {
	var running, most, calls atomic.Int64
	both := make(chan struct{})
	wait := repeatable(qed.NewTool("wait", "waits for the other", func(ctx context.Context, _ struct {
		N int `json:"n"`
	}) (map[string]string, error) {
		calls.Add(1)
		if running.Add(1) == 2 {
			close(both)
		}
		select {
		case <-both:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		most.Store(2)
		return map[string]string{"text": "waited"}, nil
	}))
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(
		parallel(task("a", "wait", `{"n":1}`)), parallel(task("b", "resolve", `{"name":"Miami"}`)), parallel(task("c", "wait", `{"n":2}`)),
		task("end", "say", `{"text":{"$result":"b/port"}}`))}})
	talk := newTodoTalk(t, model, todoTools(t, wait), nil)
	if answer := talk.say("go"); len(answer.Questions) != 1 {
		t.Fatalf("answer = %+v", answer)
	}
	talk.remembers("1 a complete -> b", "1 b clarification_needed -> b", "1 c complete -> b")
	if answer := talk.say("1"); answer.Text != "waited\n\nwaited\n\nPOM" {
		t.Errorf("answer = %+v", answer)
	}
	talk.remembers("1 a complete -> b", "1 b clarification_needed -> b", "1 c complete -> b", "2 b complete -> end", "2 end complete -> ")
	if n := calls.Load(); n != 2 || most.Load() != 2 {
		t.Errorf("the tool was called %d times", n)
	}
}

func TestApprovals(t *testing.T) {
	run := func() todoTask { return task("run", "say", `{"text":"ran"}`) }
	tests := map[string]struct {
		opt   todoagent.Options
		plans int
		say   string
		want  string
		asks  bool
		calls string // the tool whose calls are approved
	}{
		"a plan is approved":             {opt: todoagent.Options{ApprovePlan: true}, say: "yes", want: "ran"},
		"a plan is rejected":             {opt: todoagent.Options{ApprovePlan: true}, say: "no", want: "All right, the plan is dropped."},
		"a plan is changed":              {opt: todoagent.Options{ApprovePlan: true}, say: `edit: {"tasks":{"run":{"description":"d","tool":"say","arguments":{"text":"changed"},"can_clarify":false,"status":"pending"}},"current_task_key":"run","original_request":"","rewritten_request":""}`, want: "changed"},
		"a plan is changed to a bad one": {opt: todoagent.Options{ApprovePlan: true}, say: `edit: {"tasks":{"run":{"description":"d","tool":"rm","can_clarify":false,"status":"pending"}},"current_task_key":"run","original_request":"","rewritten_request":""}`, asks: true},
		"a call is approved":             {calls: "say", say: "ok", want: "ran"},
		"a call is changed":              {calls: "say", say: `edit: {"text":"changed"}`, want: "changed"},
		"a call is changed to a bad one": {calls: "say", say: `edit: {"words":"changed"}`, asks: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(run())}}), approving(t, todoTools(t), test.calls), &test.opt)
			asked := talk.say("go")
			if len(asked.Questions) != 1 || asked.Questions[0].Kind != question.KindApproval {
				t.Fatalf("answer = %+v", asked)
			}
			for _, e := range talk.entries() {
				if strings.Contains(e, "complete") {
					t.Errorf("it ran unapproved: %s", e)
				}
			}
			answer := talk.say(test.say)
			if test.asks {
				if len(answer.Questions) != 1 {
					t.Errorf("answer = %+v", answer)
				}
				return
			}
			if answer.Text != test.want || len(answer.Questions) > 0 {
				t.Errorf("answer = %+v", answer)
			}
		})
	}

	t.Run("a plan is shown in its order, and taken back as it was shown", func(t *testing.T) {
		plan := planned(task("zebra", "say", `{"text":"why?"}`), task("apple", "say", `{"text":{"$result":"zebra/text"}}`))
		talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {plan}}), todoTools(t), &todoagent.Options{ApprovePlan: true})
		asked := talk.say("go")
		_, shown, _ := strings.Cut(asked.Text, "\n{")
		shown, _, _ = strings.Cut("{"+shown, "\n")
		if strings.Index(shown, "zebra") > strings.Index(shown, "apple") {
			t.Errorf("shown as %s", shown)
		}
		if answer := talk.say("edit: " + shown); answer.Text != "why?" {
			t.Errorf("answer = %+v", answer)
		}
	})

	t.Run("a bad change of a plan, then a good one", func(t *testing.T) {
		const edit = `edit: {"tasks":{"run":{"description":"d","tool":"%s","arguments":{"text":"changed"},"can_clarify":false,"status":"pending"}},"current_task_key":"run","original_request":"","rewritten_request":""}`
		talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(run())}}), todoTools(t), &todoagent.Options{ApprovePlan: true})
		talk.say("go")
		for _, tool := range []string{"rm", "rm -rf"} {
			if answer := talk.say(fmt.Sprintf(edit, tool)); len(answer.Questions) != 1 || !strings.Contains(answer.Text, tool) {
				t.Fatalf("answer = %+v", answer)
			}
		}
		if answer := talk.say(fmt.Sprintf(edit, "say")); answer.Text != "changed" {
			t.Errorf("answer = %+v", answer)
		}
	})

	t.Run("a call is rejected, and the plan stays", func(t *testing.T) {
		talk := newTodoTalk(t, todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(run())}}), approving(t, todoTools(t), "say"), nil)
		talk.say("go")
		answer := talk.say("reject: too dear")
		if !answer.Partial || !strings.Contains(talk.problem(), "too dear") {
			t.Errorf("answer = %+v", answer)
		}
		talk.remembers("1 run clarification_needed -> run", "2 run error -> run")
	})
}

func TestRefusesOptions(t *testing.T) {
	model, tools := llmtest.New(), todoTools(t)
	for name, opt := range map[string]*todoagent.Options{
		"Durable without a Store":     {Durable: &qed.DurableOptions{}},
		"a prompt that does not work": {Prompts: fstest.MapFS{"plan_todos.tmpl": {Data: []byte("{{.Nonsense}}")}}},
	} {
		if _, err := todoagent.New(model, tools, opt); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := todoagent.New(model, qed.NewRegistry(nil), nil); err == nil {
		t.Error("no tools are taken")
	}
	if _, err := todoagent.New(model, tools, nil); err != nil {
		t.Error(err)
	}
	if err := qed.NewRegistry(nil).Add(qed.Tool{Name: "t", Kind: qed.FunctionTool, Interrupts: true, Call: nil}); err == nil {
		t.Error("a traditional tool that asks is taken")
	}
}
