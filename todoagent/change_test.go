package todoagent_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/todoagent"
)

// An at-most-once call is repeated only for the user's own words, not for the
// model's reading of a message.
func TestModelDoesNothingTwice(t *testing.T) {
	for _, test := range []struct {
		say, action string // what the user says, and what the model makes of it
		repeat      bool   // what has run may be called again
		calls       int32
		kept        bool // the plan stays as it is
	}{
		{"did the payment go through?", "retry", false, 1, true},
		{"use the other account", "edit", false, 1, true},
		{"is it still needed?", "skip", false, 1, false},
		{"retry pay", "", false, 2, false},
		{`edit pay: {"text":"other"}`, "", false, 2, false},
		{"once more with the payment, please", "retry", true, 2, false},
	} {
		t.Run(test.say, func(t *testing.T) {
			calls := int32(0)
			pay := qed.NewTool("pay", "pays", func(_ context.Context, in struct {
				Text string `json:"text,omitempty"`
			}) (map[string]string, error) {
				calls++
				return map[string]string{"text": "paid"}, nil
			})
			pay.Idempotent = test.repeat
			replies := map[string][]llmtest.Reply{"plan_todos": {planned(task("pay", "pay", `{}`), task("f", "fail", `{}`))}}
			if test.action != "" {
				reads := intentOf("modification", map[string]any{"key": "pay", "action": test.action, "arguments": `{"text":"other"}`})
				replies["classify_intent"] = []llmtest.Reply{reads}
				if test.kept { // it goes back to the model
					replies["classify_intent"] = []llmtest.Reply{reads, reads, reads}
				}
			}
			talk := newTodoTalk(t, todoModel(t, replies), todoTools(t, pay), nil)
			talk.say("go")
			answer := talk.say(test.say)
			if calls != test.calls {
				t.Errorf("%d calls, want %d", calls, test.calls)
			}
			if n := len(talk.entries()); test.kept && (n != 2 || !answer.Partial || !strings.Contains(answer.Text, `"retry pay"`)) {
				t.Errorf("%d entries, answer = %+v", n, answer)
			}
		})
	}
}

// A task that was skipped because it needs a result comes back with that
// result, unless the user skipped it.
func TestSkippedComesBack(t *testing.T) {
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(
		task("f", "fail", `{}`), task("a", "resolve", `{"name":"Shanghai"}`), task("b", "say", `{"text":{"$result":"a/port"}}`), task("c", "say", `{"text":{"$result":"a/port"}}`))}})
	talk := newTodoTalk(t, model, todoTools(t), nil)
	for _, text := range []string{"go", "skip c", "skip a", "retry a"} {
		talk.say(text)
	}
	if answer := talk.say("skip f"); answer.Text != "Shanghai" || answer.PartialReason != "These steps were skipped: f, c." {
		t.Errorf("answer = %+v", answer)
	}
}

// The answer has the texts of all tasks whose results no other task uses, in
// any order, and no JSON next to them.
func TestAnswerText(t *testing.T) {
	draw := repeatable(qed.NewTool("draw", "draws", func(context.Context, struct{}) (finding.Finding, error) {
		return finding.Finding{Artifacts: []finding.ArtifactRef{{Name: "c.json", MediaType: "application/json", Data: []byte(`{}`)}}}, nil
	}))
	long := repeatable(qed.NewTool("long", "says much", func(context.Context, struct{}) (finding.Finding, error) {
		return finding.Finding{Text: strings.Repeat("x", 50_000)}, nil
	}))
	summary := task("summarize", "say", `{"text":"142 were late"}`)
	for name, test := range map[string]struct {
		tasks []todoTask
		want  string
	}{
		"a chart after the summary":  {[]todoTask{summary, after("summarize", task("draw", "draw", `{}`))}, "142 were late"},
		"a chart alone":              {[]todoTask{task("draw", "draw", `{}`)}, "Do draw: done"},
		"two that say something":     {[]todoTask{summary, after("summarize", task("more", "say", `{"text":"and 3 early"}`))}, "142 were late\n\nand 3 early"},
		"one that goes into another": {[]todoTask{summary, task("more", "say", `{"text":{"$result":"summarize/text"}}`)}, "142 were late"},
		"one that says much":         {[]todoTask{task("long", "long", `{}`)}, strings.Repeat("x", 50_000)},
	} {
		t.Run(name, func(t *testing.T) {
			model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(test.tasks...)}})
			if answer := newTodoTalk(t, model, todoTools(t, draw, long), nil).say("go"); answer.Text != test.want || answer.Partial {
				t.Errorf("answer = %.200q, partial: %q", answer.Text, answer.PartialReason)
			}
		})
	}
}

// The figures of an answer are those of the texts in it, and their offsets and
// queries are those of the answer.
func TestAnswerFigures(t *testing.T) {
	count := func(name, text string, offset int) qed.Tool {
		return repeatable(qed.NewTool(name, "counts", func(context.Context, struct{}) (finding.Finding, error) {
			return finding.Finding{
				Text:     text,
				Queries:  []qed.Query{{Language: "sql", Written: name, Executed: name}},
				Figures:  []qed.Figure{{Text: "142", Offset: offset, Reference: "count", Sources: []qed.FigureSource{{Query: 0}, {Query: -1}}}},
				Unproved: []string{name},
			}, nil
		}))
	}
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(task("a", "one", `{}`), task("b", "two", `{}`))}})
	answer := newTodoTalk(t, model, todoTools(t, count("one", "142 were late", 0), count("two", "and 142 early", 4)), nil).say("go")
	if len(answer.Figures) != 2 || len(answer.Unproved) != 2 {
		t.Fatalf("%+v", answer)
	}
	for i, f := range answer.Figures {
		if !strings.HasPrefix(answer.Text[f.Offset:], "142") || f.Sources[0].Query != i || f.Sources[1].Query != -1 {
			t.Errorf("figure %d is %+v in %q", i, f, answer.Text)
		}
	}
}

// recordSizes is a store that measures its largest record.
type recordSizes struct {
	store.Store
	largest int
}

func (s *recordSizes) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	for _, r := range recs {
		if r.Kind == store.Checkpoint {
			s.largest = max(s.largest, len(r.Data))
		}
	}
	return s.Store.Append(ctx, thread, after, recs...)
}

// Large results are saved separately from the state, and the state does not grow from turn to turn.
func TestStateStaysSmall(t *testing.T) {
	finds := repeatable(qed.NewTool("finds", "finds much", func(_ context.Context, in struct {
		K int `json:"k"`
	}) (finding.Finding, error) {
		f := finding.Finding{Text: "found", Citations: []qed.Citation{{Title: "t", Excerpt: strings.Repeat("x", 50_000)}}}
		for i := range 20 {
			f.Entities = append(f.Entities, finding.Entity{Kind: "port", Name: fmt.Sprint("Port ", in.K, "-", i)})
		}
		return f, nil
	}))
	var tasks []todoTask
	for i := range 10 {
		tasks = append(tasks, task(fmt.Sprint("t", i), "finds", fmt.Sprintf(`{"k":%d}`, i)))
	}
	st := &recordSizes{Store: &store.InMemory{}}
	model := todoModel(t, map[string][]llmtest.Reply{"plan_todos": {planned(tasks...), planned(tasks...), planned(tasks...)}})
	talk := newTodoTalk(t, model, todoTools(t, finds), &todoagent.Options{Store: st})
	if answer := talk.say("go"); len(answer.Citations) != 10 || len(answer.Citations[9].Excerpt) != 50_000 {
		t.Errorf("%d sources", len(answer.Citations))
	}
	once := st.largest
	talk.say("go")
	talk.say("go")
	if once == 0 || once > 50_000 || st.largest > once+5000 { // the memory's last entries are in it
		t.Errorf("the largest state has %d bytes after a turn, and %d after three", once, st.largest)
	}
}

// The same holds if the process died in the tool, or before it recorded the call.
func TestModelDoesNothingTwiceAfterCrash(t *testing.T) {
	plan := []todoTask{task("pay", "pay", `{"k":"pay"}`), task("f", "fail", `{}`)}
	replies := map[string][]llmtest.Reply{"plan_todos": {planned(plan...)}}
	l := &qedtest.Ledger{}
	snaps := qedtest.NewSnapshots(t, l)
	newTodoTalk(t, todoModel(t, replies), todoTools(t, payTool(l)), &todoagent.Options{Store: snaps}).say("go")
	for _, action := range []string{"retry", "edit"} {
		reads := intentOf("modification", map[string]any{"key": "pay", "action": action, "arguments": `{"k":"pay"}`})
		for _, m := range snaps.Moments {
			last := m.Log[len(m.Log)-1]
			again := qedtest.NewLedger(m.Made)
			model := llmtest.New(llmtest.Rule{Name: "classify_intent", Repeat: true, Replies: []llmtest.Reply{reads}},
				llmtest.Rule{Name: "reiterate_intention", Repeat: true, Replies: []llmtest.Reply{{JSON: map[string]any{"question": "q"}}}},
				llmtest.Rule{Name: "plan_todos", Repeat: true, Replies: []llmtest.Reply{planned(plan...)}})
			talk := newTodoTalk(t, model, todoTools(t, payTool(again)), &todoagent.Options{Store: qedtest.Restore(t, m.Log)})
			clock := qedtest.NewClock()
			clock.Pass(time.Hour)
			talk.ctx = qed.WithClock(t.Context(), clock.Now)
			talk.say("did the payment go through?")
			if n := again.Count()["pay"]; n > 1 {
				t.Errorf("%s after record %d (%s %s): %d calls", action, last.Seq, last.Kind, last.Address, n)
			}
		}
	}
}
