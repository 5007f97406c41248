package research_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/store"
)

// journey is a conversation with a question, an approval, three tasks of which one
// needs another, a search that fails and a second draft.
func journey(t testing.TB, st store.Store, with *research.Options) (qed.Agent, *reader) {
	x := index(t, harbour)
	s := searcherFunc(func(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
		if strings.Contains(q.Text, "lamps") {
			return nil, errors.New("the index is gone")
		}
		return x.Search(ctx, q)
	})
	m := withReplies(map[string]func(prompt) any{
		"plan_tasks": func(p prompt) any {
			return object{"tasks": []object{
				{"description": "the berth fee", "query": p.one("Question:")},
				{"description": "the lamps", "query": "lamps"},
				{"description": "waste", "query": "waste"},
				{"description": "the berth reduction", "query": "berth reduction", "after": []int{1}},
			}}
		},
		"check_quality": func(p prompt) any {
			n := 30
			if strings.Contains(p.inner("report")[0], "# Better") {
				n = 80
			}
			return object{"factual_accuracy": n, "semantic_validity": n, "structural_integrity": n, "query_relevance": n, "focus": "better"}
		},
		"write_report": func(p prompt) any {
			text := replies["write_report"](p).(string)
			if p.one("What to improve:") == "better" {
				text = strings.Replace(text, "# Report", "# Better", 1)
			}
			return text
		},
	})
	opt := *with
	opt.Registry, opt.TopK, opt.MinPassages = registry(t), 1, 1
	opt.Store, opt.ApprovePlan = st, true
	return newAgent(t, m, s, &opt), m
}

var journeyTexts = []string{"What does the berth thing cost a ship?", "the fee for a night", "yes"}

// A process dies after any record, and another one resumes the research: the report
// is the same, and no call is made again that is in the log.
func TestKilledAnywhere(t *testing.T) {
	few := &research.Options{TaskTokens: 3000}
	few.MaxOutputTokens = 300
	for name, tt := range map[string]struct {
		opt   *research.Options
		texts []string
		ended research.TaskEnd
	}{
		"one question": {&research.Options{}, journeyTexts, research.TaskDone},
		"rounds":       {&research.Options{MaxRounds: 2}, []string{feeQuestion, "the fee for a night", "/end", "yes"}, research.TaskDone},
		"few tokens":   {few, journeyTexts, research.TaskTokens},
	} {
		t.Run(name, func(t *testing.T) { killedAnywhere(t, tt.opt, tt.texts, tt.ended) })
	}
}

func killedAnywhere(t *testing.T, opt *research.Options, texts []string, ended research.TaskEnd) {
	st := &store.InMemory{}
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	a, m := journey(t, st, opt)
	var want qed.Answer
	next := map[int64]string{}   // what the user says next, by the length of the log
	reply := map[string]string{} // and to a question
	for i, text := range texts {
		var err error
		if want, err = qed.Ask(ctx, a, qed.Turn{Thread: "t", Text: text}); err != nil {
			t.Fatal(err)
		}
		log := qedtest.Log(t, st, "t")
		if i < len(texts)-1 {
			reply[want.Questions[0].Text] = texts[i+1]
			next[log[len(log)-1].Seq] = texts[i+1]
		}
	}
	report := reportOf(t, want)
	if len(report.Tasks) != 4 || !report.Remediated || !want.Partial || len(report.Sources) < 2 || report.Tasks[0].Ended != ended {
		t.Fatalf("%+v", report)
	}
	whole := qedtest.Log(t, st, "t")
	for i, last := range whole[:len(whole)-1] {
		if testing.Short() && i%5 > 0 {
			continue
		}
		log := whole[:i+1]
		t.Run(fmt.Sprint(i, " ", last.Kind, " ", last.Address), func(t *testing.T) {
			clock.Pass(time.Minute)
			a, rest := journey(t, qedtest.Restore(t, log), opt)
			var answer qed.Answer
			for text := next[last.Seq]; ; text = reply[answer.Questions[0].Text] {
				var err error
				if answer, err = qed.Ask(ctx, a, qed.Turn{Thread: "t", Text: text}); err != nil {
					t.Fatal(err)
				}
				if len(answer.Questions) == 0 {
					break
				}
			}
			wanted := want
			if last.Kind == store.Resumed { // the reply is not saved, so it is read again
				wanted.Usage = answer.Usage
			}
			if diff := cmp.Diff(wanted, answer); diff != "" {
				t.Error(diff)
			}
			recorded := map[string]int{}
			for _, rec := range log {
				if rec.Kind == store.Returned {
					for name := range m.calls {
						if strings.Contains(rec.Address, "/"+name) {
							recorded[name]++
						}
					}
				}
			}
			for name, n := range m.calls {
				if name == "read_reply" {
					continue // it is called before the run is resumed, and recorded with the message
				}
				if got := rest.calls[name]; got != n-recorded[name] {
					t.Errorf("%s was called %d times, and %d of %d calls are recorded", name, got, recorded[name], n)
				}
			}
		})
	}
}

// A run whose user lost their rights meanwhile is not resumed.
func TestRevokedRights(t *testing.T) {
	st := &store.InMemory{}
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	a, _ := journey(t, st, &research.Options{})
	for _, text := range journeyTexts {
		if _, err := qed.Ask(ctx, a, qed.Turn{Thread: "t", Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	revoked := func(context.Context) (rag.Filter, error) { return rag.Filter{Documents: []string{"waste.md"}}, nil }
	refused := 0
	whole := qedtest.Log(t, st, "t")
	for i, last := range whole {
		var found bool
		log := whole[:i+1]
		for _, rec := range log {
			found = found || rec.Kind == store.Returned && strings.Contains(string(rec.Data), "order.md")
		}
		if !found || last.Kind == store.Ended {
			continue
		}
		clock.Pass(time.Minute)
		a, m := journey(t, qedtest.Restore(t, log), &research.Options{Filter: revoked})
		_, err := qed.Ask(ctx, a, qed.Turn{Thread: "t"})
		if errors.Is(err, research.ErrForbidden) {
			refused++
		} else {
			t.Errorf("after record %d: %v", i, err)
		}
		if m.calls["write_report"] > 0 {
			t.Error("the report was written")
		}
	}
	if refused == 0 {
		t.Error("no run was refused")
	}
}

// A model that is not available ends the turn, and the next one resumes it.
func TestModelUnavailable(t *testing.T) {
	for _, name := range []string{"analyze_question", "plan_tasks", "condense_passage", "gate_references", "assess_task", "write_report", "check_quality"} {
		down := true
		m := &reader{fail: func(req *llm.Request) error {
			if req.Name == name && down {
				return &llm.Error{Kind: llm.ErrUnavailable}
			}
			return nil
		}}
		opt := narrow(t)
		opt.Store = &store.InMemory{}
		a := newAgent(t, m, index(t, harbour), opt)
		if _, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "t", Text: feeQuestion}); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		down = false
		answer, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "t"})
		if err != nil || answer.Partial || len(answer.Citations) != 3 || m.calls["condense_passage"] != 3 {
			t.Errorf("%s: %+v, %v, %v", name, answer, err, m.calls)
		}
	}
}

// A passage that could not be read is not read by a resumed run either: what came after
// it was made without it.
func TestNotReadStaysNotRead(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	broken := true
	m := &reader{}
	m.fail = func(req *llm.Request) error {
		switch {
		case broken && req.Name == "condense_passage" && strings.Contains(req.Messages[0].Content, "fees.md"):
			return &llm.Error{Kind: llm.ErrTruncated}
		case broken && req.Name == "assess_task":
			stop()
			return ctx.Err()
		}
		return nil
	}
	opt := narrow(t)
	opt.Store = &store.InMemory{}
	a := newAgent(t, m, index(t, harbour), opt)
	if _, err := qed.Ask(ctx, a, qed.Turn{Thread: "t", Text: feeQuestion}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	broken = false
	answer, err := qed.Ask(t.Context(), a, qed.Turn{Thread: "t"})
	if err != nil || len(answer.Citations) != 1 || !strings.Contains(answer.Text, "could not be read") {
		t.Errorf("%+v, %v", answer, err)
	}
}
