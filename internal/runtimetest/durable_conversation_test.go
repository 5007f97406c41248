package runtimetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// history is an agent that answers with the History of its turn.
var history = qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
	var lines []string
	for _, m := range turn.History {
		lines = append(lines, string(m.Role)+": "+m.Content)
	}
	a := qed.Answer{Text: strings.Join(lines, "|")}
	if strings.HasPrefix(turn.Text, "SELECT") {
		a.Queries = []qed.Query{{Language: "sql", Written: turn.Text, Executed: "hidden"}, {Language: "sql"}}
	}
	return a, nil
})

// The next turn has the messages in its History, in whatever process it runs.
func TestConversation(t *testing.T) {
	st := new(store.InMemory)
	say := func(turn qed.Turn) string {
		t.Helper()
		return converse(t, history, st, nil).turn(turn).Text
	}
	for _, step := range []struct{ text, want string }{
		{"a", ""},
		{"SELECT 1", "user: a"}, // an empty answer is not a message
		{"b", "user: a|user: SELECT 1|assistant: user: a\n(sql: SELECT 1)"},
	} {
		if got := say(qed.Turn{Text: step.text}); got != step.want {
			t.Errorf("%s: got %q, want %q", step.text, got, step.want)
		}
	}
	own := []llm.Message{{Role: llm.RoleUser, Content: "the host's own"}}
	if got := say(qed.Turn{Text: "c", History: own}); got != "user: the host's own" {
		t.Errorf("got %q", got)
	}
	if got := say(qed.Turn{Text: "d"}); strings.Contains(got, "|user: the host's own") || !strings.Contains(got, "user: c") {
		t.Errorf("the History of a turn is part of the conversation: %q", got)
	}
}

// The newest images and files of a host's History are recorded whole up to a limit.
// A resumed run has the History of the first attempt.
func TestImagesInTheHistory(t *testing.T) {
	image := func(name string, size int) llm.Part {
		return llm.Part{Type: llm.PartImage, Name: name, MediaType: "image/png", Data: bytes.Repeat([]byte{7}, size)}
	}
	note := func(name string) llm.Part { return llm.Part{Type: llm.PartText, Text: "[image \"" + name + "\"]"} }
	linked := llm.Part{Type: llm.PartImage, URL: "https://example.com/a.png"}
	thought := llm.Part{Type: llm.PartReasoning, Provider: "p", Data: make([]byte, 2<<20)}
	said := func(parts ...llm.Part) llm.Message {
		return llm.Message{Role: llm.RoleUser, Content: "look", Parts: parts}
	}
	for name, test := range map[string]struct{ given, want []llm.Message }{
		"all fit": {
			[]llm.Message{said(image("a", 1<<19)), said(image("b", 1<<19))},
			[]llm.Message{said(image("a", 1<<19)), said(image("b", 1<<19))},
		},
		"the oldest is too much": {
			[]llm.Message{said(image("a", 1<<19+1), linked), said(image("b", 1<<19))},
			[]llm.Message{said(note("a"), linked), said(image("b", 1<<19))},
		},
		"the newest is too much": {
			[]llm.Message{said(image("a", 1)), said(linked, image("b", 1<<20+1), thought)},
			[]llm.Message{said(note("a")), said(linked, note("b"), thought)},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got [][]llm.Message
			st := new(store.InMemory)
			c := converse(t, qed.AgentFunc(func(_ context.Context, turn qed.Turn) (qed.Answer, error) {
				if got = append(got, turn.History); len(got) == 1 {
					return qed.Answer{}, errBoom
				}
				return qed.Answer{Text: "done"}, nil
			}), st, nil)
			given := test.given
			kept := slices.Clone(given[0].Parts)
			if _, err := c.try(qed.Turn{Text: "go", History: given}); !errors.Is(err, errBoom) {
				t.Fatal(err)
			}
			c.resume()
			if diff := cmp.Diff([][]llm.Message{test.want, test.want}, got, cmp.Comparer(bytes.Equal)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(kept, given[0].Parts, cmp.Comparer(bytes.Equal)); diff != "" {
				t.Errorf("the host's History changed: %s", diff)
			}
		})
	}
}

// A failed turn, a question and its replies are part of the conversation.
func TestConversationWithQuestionsAndFailures(t *testing.T) {
	st := new(store.InMemory)
	agent := does(func(ctx context.Context, text string) (string, error) {
		switch text {
		case "fail":
			return "", errBoom
		case "ask":
			v, err := qed.Interrupt[string](ctx, question.Question{Text: "Which?", Choices: []question.Choice{{ID: "x", Text: "one"}, {Text: "two"}}})
			if err != nil {
				return "", err
			}
			form, err := qed.Interrupt[visitForm](ctx, question.Question{Text: "Where to?"})
			return v + form.City, err
		}
		return "re " + text, nil
	})
	c := converse(t, agent, st, nil)
	c.fails(qed.Turn{Text: "fail"}, errBoom)
	asked := c.reply(c.say("ask"), `2`)
	c.resume() // it adds no message
	c.turn(qed.Turn{Text: "to Rome", Replies: qedtest.Choose(t, asked, `{"city": "Rome", "days": 3}`)})
	c.say("thanks")
	messages, err := qed.Messages(t.Context(), st, "t", 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range messages {
		got = append(got, string(m.Role)+" "+m.Content)
	}
	want := []string{"user fail", "user ask", "assistant Which?\n1. one\n2. two", "user 2", "assistant Where to?", "user to Rome", "assistant twoRome", "user thanks", "assistant re thanks"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Each user has ids of their own: a conversation of another user with the same id is
// neither changed nor seen. A thread that says that it is another user's is refused.
func TestUsersHaveTheirOwnThreads(t *testing.T) {
	c := converse(t, asks[string](question.Question{Text: "Well?"}), new(store.InMemory), nil)
	ann := qed.Turn{User: "ann", Tenant: "acme", Text: "go"}
	asked := c.turn(ann)
	log := qedtest.Log(t, store.ForUser(c.store, "acme", "ann"), "t")
	for _, who := range []qed.Turn{
		{}, {User: "bob", Tenant: "acme"}, {User: "ann"}, {User: "ann", Tenant: "other"}, {Tenant: "acme"},
		{User: "Ann", Tenant: "acme"}, {User: "acmeann"}, {User: "acme", Tenant: "ann"},
	} {
		own := store.ForUser(c.store, who.Tenant, who.User)
		if thread, err := qed.Inspect(t.Context(), own, "t"); err != nil || thread.Status != "" {
			t.Errorf("%+v sees %+v, %v", who, thread, err)
		}
		mine := who
		mine.Replies = []question.Reply{qedtest.Reply(asked.Questions[0], `"mine"`)}
		c.fails(mine, qed.ErrQuestionClosed)
		c.fails(who, qed.ErrQuestionClosed)
		mine = who
		mine.Text = "hello"
		if a := c.turn(mine); len(a.Questions) != 1 || a.Questions[0].ID == asked.Questions[0].ID {
			t.Errorf("%+v is asked %+v", who, a.Questions)
		}
		if said, err := qed.Messages(t.Context(), own, "t", 0); err != nil || len(said) != 2 {
			t.Errorf("%+v has said %+v, %v", who, said, err)
		}
	}
	if now := qedtest.Log(t, store.ForUser(c.store, "acme", "ann"), "t"); len(now) != len(log) {
		t.Errorf("%d records of others", len(now)-len(log))
	}
	ann.Text, ann.Replies = "", qedtest.Choose(t, asked, `"fine"`)
	if a := c.turn(ann); a.Text != `"fine"` {
		t.Errorf("ann gets %+v", a)
	}
	c.store = qedtest.Restore(t, log) // under the id of a caller without an id
	c.agent = qed.Durable(history, c.store, nil)
	for _, turn := range []qed.Turn{{Text: "hello"}, {}, {Replies: ann.Replies}} {
		c.fails(turn, qed.ErrWrongUser)
	}
}

// counted is an agent whose state counts turns and nodes.
func counted(t testing.TB, opt *qed.CompileOptions, nodes ...string) qed.Agent {
	t.Helper()
	g := qed.NewGraph[trail]("counting")
	last := qed.Start
	for _, name := range nodes {
		g.Node(name, func(ctx context.Context, s trail) (trail, error) {
			s.Seen = append(s.Seen, name)
			if name == "ask" {
				v, err := qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
				s.Seen = append(s.Seen, v)
				return s, err
			}
			return s, nil
		}, nil)
		g.Edge(last, name)
		last = name
	}
	g.Edge(last, qed.End)
	return qed.NewAgent(compile(t, g, opt),
		func(_ context.Context, s trail, turn qed.Turn) (trail, error) {
			s.N++
			s.Seen = append(s.Seen, fmt.Sprint(turn.Text, len(turn.History)))
			return s, nil
		},
		func(_ context.Context, s trail) (qed.Answer, error) {
			return qed.Answer{Text: fmt.Sprint(s.N) + fmt.Sprint(s.Seen)}, nil
		}, nil)
}

// begin receives the state of the turn before.
func TestStateAcrossTurns(t *testing.T) {
	st := new(store.InMemory)
	for i, want := range []string{"1[x0 a b]", "2[x0 a b x2 a b]", "3[x0 a b x2 a b x4 a b]"} {
		if got := converse(t, counted(t, nil, "a", "b"), st, nil).say("x").Text; got != want {
			t.Errorf("turn %d: %s, want %s", i+1, got, want)
		}
	}
	// Another agent in between does not change it.
	converse(t, history, st, nil).say("and you?")
	if got, want := converse(t, counted(t, nil, "a", "b"), st, nil).say("x").Text, "4[x0 a b x2 a b x4 a b x8 a b]"; got != want {
		t.Errorf("after another agent: %s, want %s", got, want)
	}
}

// A run is not resumed by a graph that has changed.
func TestChangedGraph(t *testing.T) {
	old := []string{"a", "ask", "b"}
	for _, test := range []struct {
		name  string
		nodes []string
		want  string // of the empty turn; empty means ErrGraphChanged
		text  string // of a turn with a text
	}{
		{"the same", old, "1[x0 a ask good b]", "2["},
		{"a node more", []string{"a", "new", "ask", "b"}, "", "1["},
		{"a node less", []string{"a", "ask"}, "", "1["},
		{"another name", []string{"c", "ask", "b"}, "", "1["},
		{"another order", []string{"ask", "a", "b"}, "", "1["},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := new(store.InMemory)
			asked := converse(t, counted(t, nil, old...), st, nil).say("x")
			log := qedtest.Log(t, st, "t")
			c := converse(t, counted(t, nil, test.nodes...), st, nil)
			turn := qed.Turn{Replies: qedtest.Choose(t, asked, `"good"`)}
			switch test.want {
			case "":
				c.fails(turn, qed.ErrGraphChanged)
				c.fails(qed.Turn{}, qed.ErrGraphChanged)
			default:
				// Addresses have the step's number, so a reply is found only if
				// the question has the same step.
				a := c.turn(turn)
				if len(a.Questions) > 0 {
					a = c.reply(a, `"good"`)
				}
				if a.Text != test.want {
					t.Errorf("answer = %q, want %q", a.Text, test.want)
				}
			}
			// A turn with a text begins a new run, with the conversation,
			// however the graph has changed.
			anew := converse(t, counted(t, nil, test.nodes...), qedtest.Restore(t, log), nil)
			events, a, err := anew.listen(qed.Turn{Text: "y"})
			if len(a.Questions) > 0 {
				a, err = anew.try(qed.Turn{Replies: qedtest.Choose(t, a, `"good"`)})
			}
			if err != nil || !strings.HasPrefix(a.Text, test.text) || !strings.Contains(a.Text, "y2") {
				t.Errorf("a new turn: %q, %v", a.Text, err)
			}
			if fresh := warnings(events, "state_discarded") > 0; fresh != (test.text == "1[") {
				t.Errorf("emitted: %v", fresh)
			}
		})
	}
}

// The details of old runs are removed. The conversation, entries and saved
// values stay.
func TestKeepRuns(t *testing.T) {
	st := new(store.InMemory)
	var l qedtest.Ledger
	agent := qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		if _, err := once(ctx, &l, "send"); err != nil {
			return qed.Answer{}, err
		}
		if err := qed.Remember(ctx, "texts", turn.Text); err != nil {
			return qed.Answer{}, err
		}
		handle, err := qed.Save(ctx, turn.Text)
		if err != nil {
			return qed.Answer{}, err
		}
		texts, err := qed.Remembered[string](ctx, "texts", 0)
		if err != nil {
			return qed.Answer{}, err
		}
		for _, m := range turn.History {
			if kept, err := qed.Load[string](ctx, m.Content); m.Role == llm.RoleAssistant && (err != nil || !slices.Contains(texts, kept)) {
				return qed.Answer{}, fmt.Errorf("%s: %q, %w", m.Content, kept, err)
			}
		}
		return qed.Answer{Text: handle}, nil
	})
	c := converse(t, agent, st, &qed.DurableOptions{KeepRuns: 2})
	for i := range 5 {
		c.say(fmt.Sprint("turn ", i))
		n := kindsOf(qedtest.Log(t, st, "t"))
		want := map[store.Kind]int{store.Began: i + 1, store.Message: 2 * (i + 1), store.Ended: i + 1, store.Memory: i + 1, store.Saved: i + 1,
			store.Called: min(i+1, 2), store.Returned: 2 * min(i+1, 2)}
		if diff := cmp.Diff(want, n); diff != "" {
			t.Errorf("turn %d: %s", i, diff)
		}
	}
	l.Want(t, map[string]int{"send": 5})
}

// Saved values are found by later turns, and by no other thread.
func TestSave(t *testing.T) {
	st := new(store.InMemory)
	var handles []string
	keep := does(func(ctx context.Context, text string) (string, error) {
		for range 2 {
			h, err := qed.Save(ctx, []string{text})
			if err != nil {
				return "", err
			}
			handles = append(handles, h)
		}
		if text == "ask" {
			return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
		}
		return "kept", nil
	})
	c := converse(t, keep, st, nil)
	c.say("one")
	c.reply(c.say("ask"), `"good"`)
	if n := len(slices.Compact(slices.Sorted(slices.Values(handles)))); n != 4 || len(handles) != 6 {
		t.Errorf("handles = %v", handles)
	}
	if n := kindsOf(qedtest.Log(t, st, "t"))[store.Saved]; n != 4 {
		t.Errorf("%d are saved", n)
	}
	read := does(func(ctx context.Context, handle string) (string, error) {
		v, err := qed.Load[[]string](ctx, handle)
		if err != nil {
			return "", err
		}
		if _, err := qed.Load[int](ctx, handle); err == nil {
			t.Error("a list is an int")
		}
		return fmt.Sprint(v), nil
	})
	later := converse(t, read, st, nil)
	if a := later.say(handles[0]); a.Text != "[one]" {
		t.Errorf("answer = %+v", a)
	}
	if a := later.say(handles[5]); a.Text != "[ask]" {
		t.Errorf("answer = %+v", a)
	}
	for _, none := range []string{"saved/s0123456789abcdef", "x", "memory/texts", "saved", handles[0] + "/", handles[0][:len(handles[0])-1], strings.Repeat("x", 10<<10), "saved/\x00"} {
		if err := later.fails(qed.Turn{Text: none}, qed.ErrNotFound); len(err.Error()) > 1000 {
			t.Errorf("the error has %d bytes", len(err.Error()))
		}
	}
	later.thread = "another"
	later.fails(qed.Turn{Text: handles[0]}, qed.ErrNotFound)

	for size, want := range map[int]error{1 << 19: nil, 1 << 20: qed.ErrTooLarge} {
		c := converse(t, does(func(ctx context.Context, text string) (string, error) {
			return qed.Save(ctx, strings.Repeat("x", size))
		}),
			new(store.InMemory), nil)
		if _, err := c.try(qed.Turn{Text: "go"}); !errors.Is(err, want) {
			t.Errorf("%d bytes: %v, want %v", size, err, want)
		}
	}
}

// Inspect returns the state of a thread.
func TestInspect(t *testing.T) {
	st := new(store.InMemory)
	clock := qedtest.NewClock()
	ctx := qed.WithClock(t.Context(), clock.Now)
	own := store.ForUser(st, "acme", "ann")
	look := func(st store.Store) qed.Thread {
		t.Helper()
		thread, err := qed.Inspect(ctx, st, "t")
		if err != nil {
			t.Fatal(err)
		}
		return thread
	}
	if got := look(own); !cmp.Equal(got, qed.Thread{}) {
		t.Errorf("nothing: %+v", got)
	}
	agent := does(func(ctx context.Context, text string) (string, error) {
		switch text {
		case "fail":
			return "", errBoom
		case "ask":
			a, err := qed.Each(ctx, []string{"a", "b"}, func(s string) string { return s }, func(ctx context.Context, name string) (string, error) {
				return qed.Interrupt[string](ctx, question.Question{Text: name + "?"})
			})
			return fmt.Sprint(a), err
		}
		return "answer", nil
	})
	c := converse(t, agent, st, nil)
	c.ctx = ctx
	c.turn(qed.Turn{Text: "go", User: "ann", Tenant: "acme"})
	got := look(own)
	if got.Status != store.StatusAnswered || got.Turn.User != "ann" || got.Turn.Tenant != "acme" || got.Turn.Text != "go" || len(got.Questions) > 0 || clock.Now().Sub(got.Updated) > time.Second {
		t.Errorf("answered: %+v", got)
	}
	c.try(qed.Turn{Text: "fail", User: "ann", Tenant: "acme"})
	if got := look(own); got.Status != store.StatusFailed || !strings.Contains(got.Error, "boom") {
		t.Errorf("failed: %+v", got)
	}
	asked := c.turn(qed.Turn{Text: "ask", User: "ann", Tenant: "acme"})
	if got := look(own); got.Status != store.StatusInterrupted || !cmp.Equal(got.Questions, asked.Questions) || got.Turn.Text != "ask" {
		t.Errorf("asked: %+v", got)
	}
	half := c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"A"`, ""), User: "ann", Tenant: "acme"})
	if got := look(own); got.Status != store.StatusInterrupted || !cmp.Equal(got.Questions, half.Questions) {
		t.Errorf("half answered: %+v", got)
	}
	log := qedtest.Log(t, own, "t")
	running := qedtest.Restore(t, log[:len(log)-1])
	if got := look(running); got.Status != store.StatusRunning {
		t.Errorf("running: %+v", got)
	}
	clock.Pass(time.Hour)
	if got := look(running); got.Status != store.StatusCrashed {
		t.Errorf("crashed: %+v", got)
	}
	stopped := converse(t, does(func(ctx context.Context, _ string) (string, error) { return "", ctx.Err() }), st, nil)
	ctx2, cancel := context.WithCancel(ctx)
	stopped.ctx = ctx2
	stopped.agent = qed.Durable(does(func(ctx context.Context, _ string) (string, error) { cancel(); return "", ctx.Err() }), st, nil)
	stopped.try(qed.Turn{Text: "go", User: "ann", Tenant: "acme"})
	if got := look(own); got.Status != store.StatusStopped {
		t.Errorf("stopped: %+v", got)
	}
	if now := qedtest.Log(t, own, "t"); len(look(own).Questions) > 0 || len(now) == 0 {
		t.Error("a question of an earlier run is open")
	}
	if _, err := qed.Inspect(ctx, st, ""); !errors.Is(err, store.ErrInvalidThread) {
		t.Errorf("no id: %v", err)
	}
	log = qedtest.Log(t, own, "t")
	log[len(log)-1].Data = json.RawMessage("torn")
	if _, err := qed.Inspect(ctx, qedtest.Restore(t, log), "t"); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("torn: %v", err)
	}
}

// A durable agent within another one is part of its run: nothing goes to its
// own store, and its questions are those of the outer agent.
func TestDurableWithinDurable(t *testing.T) {
	var l qedtest.Ledger
	own, st := new(store.InMemory), new(store.InMemory)
	inner := qed.Durable(thinker(t, &l, "inner"), own, nil)
	c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
		a, err := qed.Ask(ctx, inner, qed.Turn{Thread: "own", Text: "you"})
		return a.Text, err
	}), st, nil)
	asked := c.say("go")
	if a := c.reply(asked, `"good"`); !a.Saved || !strings.Contains(a.Text, "good") {
		t.Errorf("answer = %+v", a)
	}
	if n := len(qedtest.Log(t, own, "own")); n > 0 {
		t.Errorf("%d records are in the inner store", n)
	}
	l.Want(t, map[string]int{"model inner": 1, "inner sends": 1, "inner looks": 1})
}
