package research_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/store"
)

// talk has a conversation with an agent in one thread, and returns the last answer.
func talk(t testing.TB, a qed.Agent, texts ...string) qed.Answer {
	t.Helper()
	var answer qed.Answer
	for i, text := range texts {
		var err error
		if answer, err = qed.Ask(t.Context(), a, qed.Turn{Thread: "t", Text: text}); err != nil {
			t.Fatal(err)
		}
		if i < len(texts)-1 && len(answer.Questions) != 1 {
			t.Fatalf("after %q there is no question: %+v", text, answer)
		}
	}
	return answer
}

// withReplies adds what reads the replies of the user, which are all answers.
func withReplies(say map[string]func(prompt) any) *reader {
	all := map[string]func(prompt) any{"read_reply": func(p prompt) any {
		id := p.quoted("id")
		return object{"intent": "exact_answer", "answers": []object{{"question": id[0], "value": p.inner("message")[0]}}}
	}}
	for name, f := range say {
		all[name] = f
	}
	return with(all)
}

func TestOneQuestion(t *testing.T) {
	opt := narrow(t)
	opt.Store = &store.InMemory{}
	m := withReplies(nil)
	a := newAgent(t, m, index(t, harbour), opt)
	answer := talk(t, a, "What does the berth thing cost?", "The berth fee")
	report := reportOf(t, answer)
	want := research.Clarification{
		Rounds: []research.Round{{Questions: []string{"What does “thing” mean in: What does the berth thing cost?"}, Reply: "The berth fee"}},
		Ended:  research.EndReplied,
	}
	if diff := cmp.Diff(want, report.Clarification); diff != "" || report.Context != "The berth fee" || !answer.Saved {
		t.Errorf("%s, %+v", diff, report)
	}
	// Where nobody can be asked, the research begins.
	_, report = ask(t, newAgent(t, m, index(t, harbour), narrow(t)), "What does the berth thing cost?")
	if report.Clarification.Ended != research.EndCannotAsk || len(report.Tasks) != 1 {
		t.Errorf("%+v", report)
	}
}

// A user who drops the question gets an answer without a report.
func TestDroppedQuestion(t *testing.T) {
	for _, rounds := range []int{0, 3} {
		for _, approve := range []bool{false, true} {
			opt := narrow(t)
			opt.Store, opt.MaxRounds, opt.ApprovePlan = &store.InMemory{}, rounds, approve
			m := withReplies(map[string]func(prompt) any{"read_reply": func(prompt) any { return object{"intent": "abort"} }})
			answer := talk(t, newAgent(t, m, index(t, harbour), opt), "What does the berth thing cost?", "never mind")
			if _, err := research.ReportOf(answer); !errors.Is(err, research.ErrNoReport) || answer.Text == "" || answer.Partial {
				t.Errorf("%q, partial %v, %v", answer.Text, answer.Partial, err)
			}
		}
	}
}

// Given queries skip the clarification.
func TestGivenQueries(t *testing.T) {
	opt := narrow(t)
	opt.MaxRounds, opt.Request = 3, given("berth fee")
	m := &reader{}
	_, report := ask(t, newAgent(t, m, index(t, harbour), opt), "What does the thing cost?")
	if report.Clarification.Ended != research.EndQueriesGiven || report.Tasks[0].Queries[0] != "berth fee" || m.calls["analyze_question"]+m.calls["write_queries"] > 0 {
		t.Errorf("%+v, %v", report, m.calls)
	}
}

func TestIterativeClarification(t *testing.T) {
	// A judge whose coverage grows with the rounds, and who has few gaps.
	judge := func(coverage float64, gaps int) map[string]func(prompt) any {
		return map[string]func(prompt) any{"judge_coverage": func(p prompt) any {
			all := strings.SplitN("a b c d e f g", " ", gaps+1)[:gaps]
			return object{"coverage": coverage, "gaps": all, "questions": []string{"How?", "Why?"}}
		}}
	}
	for name, tt := range map[string]struct {
		say    map[string]func(prompt) any
		texts  []string
		ended  research.ClarificationEnd
		rounds int
	}{
		"the user ends it":   {nil, []string{"/end"}, research.EndByUser, 1},
		"the user ends late": {nil, []string{"the small one", " /END "}, research.EndByUser, 2},
		"the last round":     {nil, []string{"the small one", "since May", "by night"}, research.EndMaxRounds, 3},
		"convergence":        {judge(0.8, 2), []string{"the small one"}, research.EndConvergence, 2},
		"too many gaps":      {judge(0.8, 3), []string{"the small one", "since May", "by night"}, research.EndMaxRounds, 3},
		"too little covered": {judge(0.79, 0), []string{"the small one", "since May", "by night"}, research.EndMaxRounds, 3},
		"no question": {map[string]func(prompt) any{"judge_coverage": func(prompt) any {
			return object{"coverage": 0.1, "gaps": []string{}, "questions": []string{}}
		}}, nil, research.EndIsClear, 1},
	} {
		t.Run(name, func(t *testing.T) {
			opt := narrow(t)
			opt.Store, opt.MaxRounds = &store.InMemory{}, 3
			a := newAgent(t, withReplies(tt.say), index(t, harbour), opt)
			report := reportOf(t, talk(t, a, append([]string{feeQuestion}, tt.texts...)...))
			c := report.Clarification
			if c.Ended != tt.ended || len(c.Rounds) != tt.rounds || len(report.Tasks) == 0 || report.Analysis == nil {
				t.Errorf("%+v", report)
			}
			for i, r := range c.Rounds {
				if len(r.Queries) != 3 || r.Queries[0] != feeQuestion || r.Found == 0 || r.Found > 9 || i > 0 && r.Dedup == 0 {
					t.Errorf("round %d: %+v", i+1, r)
				}
				if i > 0 && !strings.Contains(r.Queries[1], "the small one") {
					t.Errorf("the queries of round %d do not follow the reply: %q", i+1, r.Queries)
				}
			}
			if len(tt.texts) > 1 && report.Context != "The user said: "+strings.Join(replied(tt.texts), " ") {
				t.Errorf("the context is %q", report.Context)
			}
		})
	}
}

// replied returns the texts that are replies.
func replied(texts []string) (all []string) {
	for _, text := range texts {
		if !strings.Contains(text, "/") {
			all = append(all, text)
		}
	}
	return all
}

func TestApprovePlan(t *testing.T) {
	for name, tt := range map[string]struct {
		replies  []string
		tasks    []string // the queries; nil means that none ran
		problems int      // how often the edited list was refused
	}{
		"approved": {[]string{"yes"}, []string{feeQuestion}, 0},
		"rejected": {[]string{"no: too broad"}, nil, 0},
		"edited": {[]string{edit(`"waste": {"description": "the waste", "tool": "research", "arguments": {"query": "waste guide"}, "status": "pending", "can_clarify": false},
			"fee": {"description": "the berth fee", "tool": "", "after": ["waste"], "status": "complete", "can_clarify": false}`)}, []string{"waste guide", "the berth fee more"}, 0},
		"edited wrongly": {[]string{edit(`"waste": {"description": "the waste", "tool": "shell", "status": "pending", "can_clarify": false}`), "yes"}, []string{feeQuestion}, 1},
		"no tasks":       {[]string{edit(``), "yes"}, []string{feeQuestion}, 1},
		"a later task":   {[]string{edit(`"a": {"description": "x", "tool": "", "after": ["b"], "status": "pending", "can_clarify": false}`), "yes"}, []string{feeQuestion}, 1},
		"a bad key":      {[]string{edit(`"A b": {"description": "x", "tool": "", "status": "pending", "can_clarify": false}`), "yes"}, []string{feeQuestion}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			opt := narrow(t)
			opt.Store, opt.ApprovePlan = &store.InMemory{}, true
			a := newAgent(t, withReplies(nil), index(t, harbour), opt)
			answer := talk(t, a, feeQuestion)
			if !strings.Contains(answer.Questions[0].Text, "1. find out: "+feeQuestion) {
				t.Errorf("the question is %s", answer.Questions[0])
			}
			for i, reply := range tt.replies {
				answer = talk(t, a, reply)
				if refused := len(answer.Questions) > 0; refused != (i < tt.problems) {
					t.Fatalf("after %q: %+v", reply, answer)
				}
			}
			report := reportOf(t, answer)
			var queries []string
			for _, task := range report.Tasks {
				queries = append(queries, task.Queries[0])
			}
			if diff := cmp.Diff(tt.tasks, queries); diff != "" {
				t.Error(diff)
			}
			if tt.tasks == nil && (!answer.Partial || !strings.Contains(answer.Text, "Your reason: too broad")) {
				t.Errorf("%+v", answer)
			}
		})
	}
	opt := narrow(t)
	opt.ApprovePlan = true
	if _, err := qed.Ask(t.Context(), newAgent(t, &reader{}, index(t, harbour), opt), qed.Turn{Text: feeQuestion}); !errors.Is(err, qed.ErrCannotInterrupt) {
		t.Errorf("without a store: %v", err)
	}
}

// edit returns a reply with an edited list.
func edit(tasks string) string {
	return fmt.Sprintf(`edit: {"tasks": {%s}, "current_task_key": null, "original_request": "q", "rewritten_request": "q"}`, tasks)
}

// The question about the request, and the one about the plan, can be left in each way.
func TestWaysOut(t *testing.T) {
	for name, approve := range map[string]bool{"question": false, "plan": true} {
		for rounds := range 3 {
			t.Run(fmt.Sprint(name, rounds), func(t *testing.T) {
				qedtest.WaysOut(t, func(t *testing.T, wrap func(llm.Model) llm.Model) qed.Agent {
					opt := narrow(t)
					opt.Store, opt.MaxRounds, opt.ApprovePlan = &store.InMemory{}, rounds, approve
					return newAgent(t, wrap(withReplies(nil)), index(t, harbour), opt)
				}, "What does the berth thing cost?")
			})
		}
	}
}
