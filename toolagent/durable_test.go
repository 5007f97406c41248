package toolagent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/finding"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
	"github.com/qedkit/qed/tools"
)

// travelTools are tools of all kinds, whose calls are counted.
func travelTools(tb testing.TB, l *qedtest.Ledger) *qed.Registry {
	read := tool("read", func(arguments json.RawMessage) (any, error) {
		l.Do("read " + string(arguments))
		return finding.Finding{Text: "read " + string(arguments)}, nil
	})
	pay := acts(tool("pay", func(arguments json.RawMessage) (any, error) {
		l.Do("pay " + string(arguments))
		return "paid", nil
	}))
	send := acts(tool("send", func(json.RawMessage) (any, error) { l.Do("send"); return "sent", nil }))
	send.NeedsApproval = true
	choose := tool("choose", func(ctx context.Context) (any, error) {
		return qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "USMIA", Text: "Port"}, {ID: "MCT", Text: "Terminal"}}})
	})
	choose.Interrupts = true
	return registry(tb, read, pay, send, choose)
}

// traveller returns a model that uses all the tools, and counts its requests. It is a
// function of the request, so a request that differs has another reply.
func traveller(l *qedtest.Ledger) *mind {
	return &mind{think: func(req *llm.Request) reply {
		seen := results(*req)
		l.Do(fmt.Sprint(req.Name, " ", len(seen)))
		switch len(seen) {
		case 0:
			return calls(`read {"n":1}`, `read {"n":2}`).saying("I look.")
		case 2:
			return calls(`pay {"n":1}`, `read {"n":1}`)
		case 4:
			return calls(`choose {}`)
		case 5:
			return calls(`send {}`, `read {"n":3}`)
		}
		return says(strings.Join(seen, " "))
	}}
}

// A process that dies after any record leaves a turn that can be resumed: every call
// and every request is made once, and the answer is the same.
func TestCrashAfterEveryRecord(t *testing.T) {
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	fresh := func(st store.Store, l *qedtest.Ledger) qed.Agent {
		return newAgent(t, traveller(l), travelTools(t, l), &toolagent.Options{Store: st})
	}
	// talk answers all questions, resolves calls of unknown outcome, and returns the
	// answer.
	talk := func(st store.Store, agent qed.Agent, turn qed.Turn) (qed.Answer, int) {
		resolved := 0
		for range 10 {
			turn.Thread = "t"
			a, err := qed.Ask(ctx, agent, turn)
			turn = qed.Turn{}
			switch {
			case errors.Is(err, qed.ErrUnresolved):
				thread, err := qed.Inspect(ctx, st, "t")
				if err != nil {
					t.Fatal(err)
				}
				resolved++
				result := map[string]string{"pay": `"paid"`, "send": `"sent"`}[thread.Unresolved[0].Name]
				if err := qed.Settle(ctx, st, "t", thread.Unresolved[0].Address, json.RawMessage(result), nil); err != nil {
					t.Fatal(err)
				}
			case errors.Is(err, qed.ErrQuestionClosed): // the turn was answered
				return a, resolved
			case err != nil:
				t.Fatal(err)
			case len(a.Questions) == 0:
				return a, resolved
			default:
				value := `"approve"`
				if len(a.Questions[0].Choices) > 0 {
					value = `"MCT"`
				}
				turn.Replies = []question.Reply{qedtest.Reply(a.Questions[0], value)}
			}
		}
		t.Fatal("the turn has no end")
		return qed.Answer{}, 0
	}
	l := &qedtest.Ledger{}
	snaps := qedtest.NewSnapshots(t, l)
	whole, _ := talk(snaps, fresh(snaps, l), qed.Turn{Text: "Send it to Miami"})
	want := map[string]int{
		`read {"n":1}`: 2, `read {"n":2}`: 1, `read {"n":3}`: 1, `pay {"n":1}`: 1, "send": 1, // read again after a payment
		"step 0": 1, "step 2": 1, "step 4": 1, "step 5": 1, "step 7": 1,
	}
	l.Want(t, want)
	if !strings.Contains(whole.Text, `"MCT"`) || !strings.Contains(whole.Text, `"sent"`) || whole.Partial || whole.Usage.Calls != 5 || len(snaps.Moments) < 10 {
		t.Fatalf("%+v after %d records", whole, len(snaps.Moments))
	}
	for _, m := range snaps.Moments[:len(snaps.Moments)-1] {
		last := m.Log[len(m.Log)-1]
		at := fmt.Sprintf("after record %d (%s %s)", last.Seq, last.Kind, last.Address)
		clock.Pass(time.Minute)
		st, again := qedtest.Restore(t, m.Log), qedtest.NewLedger(m.Made)
		a, resolved := talk(st, fresh(st, again), qed.Turn{})
		if a.Text == "" && last.Kind == store.Ended {
			continue
		}
		if a.Text != whole.Text || a.Usage.Calls != 5 {
			t.Errorf("%s: %+v", at, a)
		}
		for what, n := range again.Count() {
			if most := max(want[what], m.Made[what]+1); n > most && !strings.HasPrefix(what, "read") || strings.HasPrefix(what, "pay") && n > 1 || what == "send" && n > 1 {
				t.Errorf("%s: %s was done %d times", at, what, n)
			}
		}
		if resolved > 1 {
			t.Errorf("%s: %d calls were unresolved", at, resolved)
		}
	}
}

// A resumed run repeats the wrap-up, repairs and digests from the log.
func TestResumeAfterLimits(t *testing.T) {
	for name, test := range map[string]struct {
		opt   toolagent.Options
		think func(req *llm.Request) reply
	}{
		"a wrap-up": {toolagent.Options{MaxSteps: 2}, func(req *llm.Request) reply {
			if req.Name == "wrap_up" {
				return says("wrapped up")
			}
			return calls(fmt.Sprintf(`read {"n":%d}`, len(results(*req))))
		}},
		"a repair": {toolagent.Options{}, func(req *llm.Request) reply {
			switch n := len(req.Messages); n {
			case 2:
				return fails(llm.ErrInvalidOutput, "hm")
			case 4:
				return calls(`read {"n":1}`)
			}
			return says("repaired")
		}},
		"digests": {toolagent.Options{Settings: llm.Settings{ContextTokens: 1600}}, func(req *llm.Request) reply {
			if n := len(results(*req)); n < 4 {
				return calls(fmt.Sprintf(`long {"n":%d}`, n))
			}
			return says(results(*req)[0])
		}},
		"a large result": {toolagent.Options{MaxResultBytes: 2000}, func(req *llm.Request) reply {
			if len(results(*req)) == 0 {
				return calls(`ports {}`)
			}
			return says(results(*req)[0])
		}},
		"a budget": {toolagent.Options{Limits: budget.Limits{ToolCalls: 2}}, func(req *llm.Request) reply {
			if req.Name == "wrap_up" {
				return says("wrapped up")
			}
			return calls(fmt.Sprintf(`read {"n":%d}`, len(results(*req))), fmt.Sprintf(`read {"n":%d}`, 100+len(results(*req))))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			clock := qedtest.NewClock()
			ctx := qed.WithClock(t.Context(), clock.Now)
			fresh := func(st store.Store, l *qedtest.Ledger) (qed.Agent, *mind) {
				read := tool("read", func(arguments json.RawMessage) (any, error) { l.Do("read " + string(arguments)); return "text", nil })
				long := tool("long", func(arguments json.RawMessage) (any, error) {
					l.Do("long " + string(arguments))
					return strings.Repeat("words ", 300) + string(arguments), nil
				})
				opt := test.opt
				opt.Store = st
				model := &mind{think: func(req *llm.Request) reply {
					l.Do(fmt.Sprint(req.Name, len(req.Messages)))
					return test.think(req)
				}}
				return newAgent(t, model, registry(t, read, long, portTool(500)), &opt), model
			}
			l := &qedtest.Ledger{}
			snaps := qedtest.NewSnapshots(t, l)
			agent, _ := fresh(snaps, l)
			whole, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", Text: "q"})
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range snaps.Moments[:len(snaps.Moments)-1] {
				last := m.Log[len(m.Log)-1]
				clock.Pass(time.Minute)
				st, again := qedtest.Restore(t, m.Log), qedtest.NewLedger(nil)
				agent, _ := fresh(st, again)
				a, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t"})
				if err != nil || a.Text != whole.Text || a.PartialReason != whole.PartialReason || a.Usage != whole.Usage {
					t.Errorf("after record %d (%s %s): %+v, %v", last.Seq, last.Kind, last.Address, a, err)
				}
				// What is recorded is not made again.
				recorded := 0
				for _, rec := range m.Log {
					if rec.Kind == store.Returned && !strings.Contains(rec.Address, "size_") {
						recorded++
					}
				}
				made := 0
				for _, n := range again.Count() {
					made += n
				}
				all := 0
				for _, n := range l.Count() {
					all += n
				}
				if name != "a large result" && made+recorded != all { // the calls of that tool are not counted
					t.Errorf("after record %d (%s %s): %d calls were made, and %d of %d are recorded", last.Seq, last.Kind, last.Address, made, recorded, all)
				}
			}
		})
	}
}

// A run that failed because of its budget continues with a higher one.
func TestBudgetOfAResumedRun(t *testing.T) {
	l := &qedtest.Ledger{}
	st := new(store.InMemory)
	agent := newAgent(t, traveller(l), travelTools(t, l), &toolagent.Options{Store: st})
	turn := qed.Turn{Thread: "t", Text: "go"}
	if a, err := qed.Ask(budget.With(t.Context(), budget.Limits{ModelCalls: -1}), agent, turn); !errors.Is(err, budget.ErrExceeded) {
		t.Fatalf("%+v, %v", a, err)
	}
	ctx := budget.With(t.Context(), budget.Limits{ModelCalls: 6})
	asked, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t"})
	if err != nil || len(asked.Questions) != 1 {
		t.Fatalf("%+v, %v", asked, err)
	}
	// Three requests are spent. With three in all, the answer is made of what was found.
	ctx = budget.With(t.Context(), budget.Limits{ModelCalls: 4})
	asked, err = qed.Ask(ctx, agent, qed.Turn{Thread: "t", Replies: []question.Reply{qedtest.Reply(asked.Questions[0], `"MCT"`)}})
	if err != nil || !asked.Partial || len(asked.Questions) != 0 || l.Count()["step 5"] != 0 {
		t.Fatalf("%+v, %v", asked, err)
	}
}

// A process that died after its last request has more to spend when the run is
// resumed: the run goes on, and ends with another last request.
func TestResumeWithMore(t *testing.T) {
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	fresh := func(st store.Store, l *qedtest.Ledger) qed.Agent {
		model := &mind{think: func(req *llm.Request) reply {
			if req.Name == "wrap_up" {
				l.Do("wrap_up")
				return says(fmt.Sprint(strings.Count(req.Messages[0].Content, "read text"), " texts"))
			}
			return calls(fmt.Sprintf(`read {"n":%d}`, len(results(*req))))
		}}
		return newAgent(t, model, registry(t, tool("read", "read text")), &toolagent.Options{Store: st})
	}
	l := &qedtest.Ledger{}
	snaps := qedtest.NewSnapshots(t, l)
	a, err := qed.Ask(budget.With(ctx, budget.Limits{ModelCalls: 3}), fresh(snaps, l), qed.Turn{Thread: "t", Text: "q"})
	if err != nil || a.Text != "2 texts" {
		t.Fatalf("%+v, %v", a, err)
	}
	clock.Pass(time.Minute)
	log := snaps.Moments[len(snaps.Moments)-1].Log
	for n := 1; n <= 2; n++ { // also without its request to the model
		died := log[:len(log)-n]
		again := &qedtest.Ledger{}
		a, err = qed.Ask(budget.With(ctx, budget.Limits{ModelCalls: 6}), fresh(qedtest.Restore(t, died), again), qed.Turn{Thread: "t"})
		if err != nil || !a.Partial || a.Text == "2 texts" || again.Count()["wrap_up"] != 1 {
			t.Errorf("%d records less: %+v, %v", n, a, err)
		}
	}
}

// The last request is not made again, although a resumed run has less to spend.
func TestResumeOfTheLastRequest(t *testing.T) {
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	fresh := func(st store.Store, l *qedtest.Ledger) qed.Agent {
		model := &mind{think: func(req *llm.Request) reply {
			l.Do(req.Name)
			if req.Name == "wrap_up" {
				return reply{text: "wrapped up", usage: llm.Usage{InputTokens: 500}}
			}
			r := calls(`read {}`)
			r.usage = llm.Usage{InputTokens: 5000}
			return r
		}}
		return newAgent(t, model, registry(t, tool("read", "text")), &toolagent.Options{Store: st, MaxSteps: 1})
	}
	l := &qedtest.Ledger{}
	snaps := qedtest.NewSnapshots(t, l)
	within := func() context.Context { return budget.With(ctx, budget.Limits{Tokens: 8000}) }
	if a, err := qed.Ask(within(), fresh(snaps, l), qed.Turn{Thread: "t", Text: "q"}); err != nil || a.Text != "wrapped up" {
		t.Fatalf("%+v, %v", a, err)
	}
	clock.Pass(time.Minute)
	log := snaps.Moments[len(snaps.Moments)-1].Log
	again := &qedtest.Ledger{}
	a, err := qed.Ask(within(), fresh(qedtest.Restore(t, log[:len(log)-1]), again), qed.Turn{Thread: "t"})
	if err != nil || a.Text != "wrapped up" {
		t.Errorf("%+v, %v", a, err)
	}
	again.Want(t, nil)
}

// The agent is a part of other agents' runs: a router's, and an agent's whose tool it
// is. Its drafts and its text are not the answer of the turn there.
func TestAsATool(t *testing.T) {
	l := &qedtest.Ledger{}
	asked := traveller(l)
	inner := newAgent(t, asked, travelTools(t, l), nil)
	outer := &mind{think: func(req *llm.Request) reply {
		if got := results(*req); len(got) > 0 {
			return says("The traveller says: " + data(t, got[0])["text"].(string))
		}
		return calls(`travel {"question":"go"}`)
	}}
	st := new(store.InMemory)
	agent := newAgent(t, outer, registry(t, tools.FromAgent("travel", "travels", inner)), &toolagent.Options{Store: st})
	turn := qed.Turn{Thread: "t", Text: "q"}
	channels := map[string]bool{}
	var answer qed.Answer
	for range 3 {
		for event, err := range agent.Run(t.Context(), turn) {
			if err != nil {
				t.Fatal(err)
			}
			switch d := event.Data.(type) {
			case qed.Token:
				depth := "outer"
				if strings.Contains(event.Path, "travel") {
					depth = "inner"
				}
				channels[depth+" "+string(d.Channel)] = true
			case qed.Completed:
				answer = d.Answer
			}
		}
		if len(answer.Questions) > 0 {
			value := map[bool]string{true: `"MCT"`, false: `"approve"`}[len(answer.Questions[0].Choices) > 0]
			turn = qed.Turn{Thread: "t", Replies: []question.Reply{qedtest.Reply(answer.Questions[0], value)}}
		}
	}
	if !strings.HasPrefix(answer.Text, "The traveller says: ") || !strings.Contains(answer.Text, "MCT") {
		t.Errorf("%+v", answer)
	}
	if diff := cmp.Diff(map[string]bool{"outer final": true, "inner tool": true}, channels); diff != "" {
		t.Error(diff)
	}
	if want := len(outer.requests) + len(asked.requests); answer.Usage.Calls != want {
		t.Errorf("usage %+v, want %d calls", answer.Usage, want)
	}
	for what, n := range l.Count() {
		if n > 1 && what != `read {"n":1}` {
			t.Errorf("%s was done %d times", what, n)
		}
	}
}

// Later turns have the conversation.
func TestConversation(t *testing.T) {
	model := &mind{think: func(req *llm.Request) reply {
		var said []string
		for _, m := range req.Messages[1:] {
			said = append(said, m.Content)
		}
		return says(strings.Join(said, "|"))
	}}
	agent := newAgent(t, model, registry(t, temperature()), &toolagent.Options{Store: new(store.InMemory)})
	for _, turn := range [][2]string{{"a", "a"}, {"b", "a|a|b"}} {
		if a, err := qed.Ask(t.Context(), agent, qed.Turn{Thread: "t", Text: turn[0]}); err != nil || a.Text != turn[1] || !a.Saved {
			t.Errorf("%+v, %v", a, err)
		}
	}
}
