package runtimetest_test

import (
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
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// asks is an agent that asks one question, and answers with the reply in JSON.
func asks[T any](q question.Question) qed.Agent {
	return does(func(ctx context.Context, _ string) (string, error) {
		v, err := qed.Interrupt[T](ctx, q)
		if err != nil {
			return "", err
		}
		text, err := json.Marshal(v)
		return string(text), err
	})
}

type visitForm struct {
	City  string `json:"city"`
	Days  int    `json:"days"`
	Notes string `json:"notes,omitempty"`
}

type colour string

// The package question has the tests of what is a reply.
func TestReplies(t *testing.T) {
	choice := question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "m1", Text: "Miami, Florida"}, {ID: "m2", Text: "Miami Beach"}, {ID: "3", Text: "Miami, Ohio"}}}
	draft := question.Question{Text: "Send it?", Draft: json.RawMessage(`{"city":"Rome","days":3}`)}
	for _, test := range []struct {
		name  string
		agent qed.Agent
		reply string
		want  string // the answer; empty if the question is asked again
	}{
		{"text", asks[string](question.Question{Text: "Who?"}), `" Ann "`, `" Ann "`},
		{"text of a named type", asks[colour](question.Question{Text: "Which colour?"}), `"red"`, `"red"`},
		{"text: empty", asks[string](question.Question{Text: "Who?"}), `" "`, ""},
		{"choice: number", asks[string](choice), `1`, `"m1"`},
		{"choice: id", asks[string](choice), `"m1"`, `"m1"`},
		{"choice of a named type", asks[colour](choice), `"m1"`, `"m1"`},
		{"choice: none of them", asks[string](choice), `"Rome"`, ""},
		{"approve", asks[question.Approval[visitForm]](draft), `{"decision":"approve"}`, `{"decision":"approve","value":{"city":"Rome","days":3}}`},
		{"edit", asks[question.Approval[visitForm]](draft), `{"decision":"edit","value":{"city":"Oslo","days":1},"reason":"cold"}`,
			`{"decision":"edit","value":{"city":"Oslo","days":1},"reason":"cold"}`},
		{"reject", asks[question.Approval[visitForm]](draft), `{"decision":"reject","reason":"too far"}`, `{"decision":"reject","value":{"city":"","days":0},"reason":"too far"}`},
		{"edit: an unknown field", asks[question.Approval[visitForm]](draft), `{"decision":"edit","value":{"city":"Oslo","days":1,"when":"now"}}`, ""},
		{"form", asks[visitForm](question.Question{Text: "Where to?"}), `{"city":"Rome","days":3}`, `{"city":"Rome","days":3}`},
		{"form: a missing field", asks[visitForm](question.Question{Text: "Where to?"}), `{"city":"Rome"}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := converse(t, test.agent, new(store.InMemory), nil)
			asked := c.say("go")
			if len(asked.Questions) != 1 || !asked.Questions[0].Resumable || asked.Questions[0].Problem != "" || !asked.Saved {
				t.Fatalf("asked %+v", asked)
			}
			a := c.reply(asked, test.reply)
			if test.want != "" {
				if a.Text != test.want || len(a.Questions) > 0 {
					t.Errorf("answer = %+v, want %s", a, test.want)
				}
				return
			}
			if len(a.Questions) != 1 || a.Questions[0].Problem == "" || a.Questions[0].ID != asked.Questions[0].ID || a.Questions[0].Text != asked.Questions[0].Text {
				t.Fatalf("answer = %+v, want the question again, with the problem", a)
			}
			if !strings.Contains(a.Text, a.Questions[0].Problem) {
				t.Errorf("the text %q does not tell the problem %q", a.Text, a.Questions[0].Problem)
			}
		})
	}
}

// A valid reply is accepted, however many invalid ones came before.
func TestWrongRepliesThenARightOne(t *testing.T) {
	c := converse(t, asks[visitForm](question.Question{Text: "Where to?"}), new(store.InMemory), nil)
	asked := c.say("go")
	for range 3 {
		asked = c.reply(asked, `{"city":7}`)
	}
	if a := c.reply(asked, `{"city":"Rome","days":3}`); a.Text != `{"city":"Rome","days":3}` {
		t.Errorf("answer = %+v", a)
	}
}

// Invalid replies are refused, and the question stays open.
func TestRepliesThatAreRefused(t *testing.T) {
	c := converse(t, asks[string](question.Question{Text: "Who?"}), new(store.InMemory), nil)
	asked := c.say("go")
	q := asked.Questions[0]
	for _, test := range []struct {
		name    string
		replies []question.Reply
		want    error
	}{
		{"to another question", []question.Reply{{Question: "q0000000000000000", Value: json.RawMessage(`"x"`)}}, qed.ErrQuestionClosed},
		{"to no question", []question.Reply{{Value: json.RawMessage(`"x"`)}}, qed.ErrQuestionClosed},
		{"one to it and one to another", []question.Reply{qedtest.Reply(q, `"x"`), {Question: "q0000000000000000", Value: json.RawMessage(`"x"`)}}, qed.ErrQuestionClosed},
		{"two to it", []question.Reply{qedtest.Reply(q, `"x"`), qedtest.Reply(q, `"y"`)}, qed.ErrInvalidReply},
		{"no JSON", []question.Reply{qedtest.Reply(q, `x`)}, qed.ErrInvalidReply},
		{"nothing", []question.Reply{qedtest.Reply(q, ``)}, qed.ErrInvalidReply},
		{"two values", []question.Reply{qedtest.Reply(q, `"x" "y"`)}, qed.ErrInvalidReply},
		{"10 MB", []question.Reply{qedtest.Reply(q, `"`+strings.Repeat("x", 10<<20)+`"`)}, qed.ErrMessageTooLong},
	} {
		t.Run(test.name, func(t *testing.T) {
			c.t = t
			if err := c.fails(qed.Turn{Replies: test.replies}, test.want); len(err.Error()) > 1000 {
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
	c.t = t
	if a := c.reply(asked, `"Ann"`); a.Text != `"Ann"` {
		t.Errorf("answer = %+v", a)
	}
	c.fails(qed.Turn{Replies: qedtest.Choose(t, asked, `"Bob"`)}, qed.ErrQuestionClosed)
}

// Invalid questions are an error at once, and do not interrupt the run.
func TestQuestionsThatCannotBeAsked(t *testing.T) {
	for name, agent := range map[string]qed.Agent{
		"no text":       asks[string](question.Question{Text: " "}),
		"invalid draft": asks[question.Approval[visitForm]](question.Question{Text: "?", Draft: json.RawMessage(`{"city":7}`)}),
		"number":        asks[int](question.Question{Text: "?"}),
	} {
		t.Run(name, func(t *testing.T) {
			st := new(store.InMemory)
			a, err := converse(t, agent, st, nil).try(qed.Turn{Text: "go"})
			if err == nil || errors.Is(err, qed.ErrInterrupted) || hasKind(qedtest.Log(t, st, "t"), store.Question) {
				t.Errorf("answer = %+v, %v", a, err)
			}
		})
	}
}

func TestMaxQuestions(t *testing.T) {
	for name, agent := range map[string]qed.Agent{
		"another one each time": does(func(ctx context.Context, _ string) (string, error) {
			for i := range 100 {
				if _, err := qed.Interrupt[string](ctx, question.Question{Text: fmt.Sprint(i)}); err != nil {
					return "", err
				}
			}
			return "done", nil
		}),
		"the same again": asks[visitForm](question.Question{Text: "Where to?"}),
	} {
		t.Run(name, func(t *testing.T) {
			c := converse(t, agent, new(store.InMemory), nil)
			asked := c.say("go")
			for range 9 {
				asked = c.reply(asked, `"no form"`)
			}
			c.fails(qed.Turn{Replies: qedtest.Choose(t, asked, `"no form"`)}, qed.ErrTooManyQuestions)
			if a := c.say("another"); len(a.Questions) != 1 {
				t.Errorf("a new run: %+v", a)
			}
		})
	}
}

// If the question has changed when the run is resumed, its reply is not used.
func TestQuestionChanged(t *testing.T) {
	old := question.Question{Text: "Delete the copy?", Choices: []question.Choice{{ID: "y", Text: "yes"}, {ID: "n", Text: "no"}}}
	for name, now := range map[string]question.Question{
		"text":    {Text: "Delete everything?", Choices: old.Choices},
		"options": {Text: old.Text, Choices: []question.Choice{{ID: "y", Text: "no"}, {ID: "n", Text: "yes"}}},
	} {
		t.Run(name, func(t *testing.T) {
			st := new(store.InMemory)
			asked := converse(t, asks[string](old), st, nil).say("go")
			c := converse(t, asks[string](now), st, nil)
			again := c.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"y"`)})
			if len(again.Questions) != 1 || again.Questions[0].Problem == "" || again.Questions[0].Text != now.Text {
				t.Fatalf("answer = %+v, want the new question", again)
			}
			if a := c.reply(again, `"n"`); a.Text != `"n"` {
				t.Errorf("answer = %+v", a)
			}
		})
	}
	t.Run("draft", func(t *testing.T) {
		st := new(store.InMemory)
		asked := converse(t, asks[question.Approval[visitForm]](question.Question{Text: "Send?", Draft: json.RawMessage(`{"city":"Rome","days":1}`)}), st, nil).say("go")
		same := converse(t, asks[question.Approval[visitForm]](question.Question{Text: "Send?", Draft: json.RawMessage(`{ "city": "Rome", "days": 1 }`)}), qedtest.Restore(t, qedtest.Log(t, st, "t")), nil)
		if a := same.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"approve"`)}); len(a.Questions) > 0 {
			t.Errorf("the same draft, with spaces: %+v", a)
		}
		other := converse(t, asks[question.Approval[visitForm]](question.Question{Text: "Send?", Draft: json.RawMessage(`{"city":"Oslo","days":1}`)}), st, nil)
		if a := other.turn(qed.Turn{Replies: qedtest.Choose(t, asked, `"approve"`)}); len(a.Questions) != 1 || string(a.Questions[0].Draft) != `{"city":"Oslo","days":1}` {
			t.Errorf("another draft was approved: %+v", a)
		}
	})
}

// A text while a question is open is what DurableOptions.ParseReplies returns
// for it.
func TestTextWhileAQuestionIsOpen(t *testing.T) {
	reading := func(r question.Parsed, err error) *qed.DurableOptions {
		return &qed.DurableOptions{ParseReplies: func(_ context.Context, open []question.Question, text string) (question.Parsed, error) {
			if len(open) != 1 || open[0].Text != "Who?" || text != "Ann" {
				t.Errorf("asked of %q: %+v", text, open)
			}
			for i := range r.Replies {
				r.Replies[i].Question = open[0].ID
			}
			return r, err
		}}
	}
	var said []string
	agent := does(func(ctx context.Context, text string) (string, error) {
		said = append(said, text)
		if text == "Ann" {
			return "a new run", nil
		}
		return qed.Interrupt[string](ctx, question.Question{Text: "Who?"})
	})
	ann := []question.Reply{{Value: json.RawMessage(`"Ann!"`)}}
	for _, test := range []struct {
		name    string
		opt     *qed.DurableOptions
		want    string
		closed  question.Intent
		wantErr error
	}{
		{"answer", reading(question.Parsed{Intent: question.IntentAnswer, Replies: ann}, nil), "Ann!", "", nil},
		{"modification", reading(question.Parsed{Intent: question.IntentModification, Replies: ann, Reason: "because"}, nil), "a new run", question.IntentModification, nil},
		{"new request", reading(question.Parsed{Intent: question.IntentNewRequest, Reason: "because"}, nil), "a new run", question.IntentNewRequest, nil},
		{"abort", reading(question.Parsed{Intent: question.IntentAbort, Reason: "because"}, nil), "All right.", question.IntentAbort, nil},
		{"hook fails", reading(question.Parsed{}, errBoom), "", "", errBoom},
		{"answer to nothing", &qed.DurableOptions{ParseReplies: func(context.Context, []question.Question, string) (question.Parsed, error) {
			return question.Parsed{Intent: question.IntentAnswer, Replies: []question.Reply{{Question: "q0", Value: json.RawMessage(`1`)}}}, nil
		}}, "", "", qed.ErrQuestionClosed},
		{"default", nil, "a new run", question.IntentNewRequest, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			st := new(store.InMemory)
			c := converse(t, agent, st, test.opt)
			asked := c.say("go")
			said = nil
			events, a, err := c.listen(qed.Turn{Text: "Ann"})
			closed := ofKind[qed.QuestionClosed](events)
			if test.wantErr != nil {
				if !errors.Is(err, test.wantErr) || len(closed) > 0 || len(said) > 0 {
					t.Fatalf("error = %v, got %v", err, closed)
				}
				if a := c.reply(asked, `"Bob"`); a.Text != "Bob" {
					t.Errorf("the question did not stay open: %+v", a)
				}
				return
			}
			if err != nil || a.Text != test.want || !a.Saved {
				t.Errorf("answer = %+v, %v", a, err)
			}
			if test.closed == "" {
				if len(closed) > 0 {
					t.Errorf("got %v", closed)
				}
			} else if len(closed) != 1 || closed[0].Intent != test.closed || closed[0].Question != asked.Questions[0].ID || test.opt != nil && closed[0].Reason != "because" {
				t.Errorf("got %v", closed)
			}
			if test.closed == question.IntentAbort && len(said) > 0 {
				t.Errorf("the agent got %q", said)
			}
			c.fails(qed.Turn{Replies: qedtest.Choose(t, asked, `"Bob"`)}, qed.ErrQuestionClosed)
			messages, err := qed.Messages(t.Context(), st, "t", 0)
			if err != nil {
				t.Fatal(err)
			}
			var texts []string
			for _, m := range messages {
				texts = append(texts, string(m.Role)+" "+m.Content)
			}
			if diff := cmp.Diff([]string{"user go", "assistant Who?", "user Ann", "assistant " + test.want}, texts); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("answer without replies", func(t *testing.T) {
		st := new(store.InMemory)
		c := converse(t, agent, st, &qed.DurableOptions{ParseReplies: func(context.Context, []question.Question, string) (question.Parsed, error) {
			return question.Parsed{Intent: question.IntentAnswer}, nil
		}})
		c.say("go")
		_, err := c.try(qed.Turn{Text: "Ann"})
		messages, _ := qed.Messages(t.Context(), st, "t", 0)
		kept := slices.ContainsFunc(messages, func(m llm.Message) bool { return m.Content == "Ann" })
		if err == nil && !kept {
			t.Error("the user's message is lost, and no error says so")
		}
	})
	t.Run("with replies", func(t *testing.T) {
		c := converse(t, agent, new(store.InMemory), reading(question.Parsed{}, errBoom)) // the hook is not needed
		asked := c.say("go")
		if a := c.turn(qed.Turn{Text: "it is Ann", Replies: qedtest.Choose(t, asked, `"Ann"`)}); a.Text != "Ann" {
			t.Errorf("answer = %+v", a)
		}
	})
}

// A ParseReplies function that panics fails the turn, and the question stays
// open.
func TestParseRepliesPanics(t *testing.T) {
	c := converse(t, asks[string](question.Question{Text: "Well?"}), new(store.InMemory), &qed.DurableOptions{
		ParseReplies: func(context.Context, []question.Question, string) (question.Parsed, error) { panic(errBoom) },
	})
	asked := c.say("go")
	err := c.fails(qed.Turn{Text: "well"}, errBoom)
	if _, ok := errors.AsType[*qed.PanicError](err); !ok {
		t.Errorf("error = %v, want a panic", err)
	}
	if a := c.reply(asked, `"good"`); a.Text != `"good"` {
		t.Errorf("answer = %+v", a)
	}
}

// An abort is answered without the agent, wherever the process dies meanwhile.
func TestCrashInAnAbort(t *testing.T) {
	var l qedtest.Ledger
	agent := does(func(ctx context.Context, text string) (string, error) {
		l.Do(text)
		v, err := qed.Interrupt[visitForm](ctx, question.Question{Text: "Where to?"})
		return v.City, err
	})
	clock := qedtest.NewClock()
	st := qedtest.NewSnapshots(t, &l)
	c := converse(t, agent, st, nil)
	c.ctx = qed.WithClock(t.Context(), clock.Now)
	c.say("go")
	before := len(st.Moments)
	want := c.say("never mind")
	for _, m := range st.Moments[before:] {
		clock.Pass(time.Hour)
		after := converse(t, agent, qedtest.Restore(t, m.Log), nil)
		after.ctx = c.ctx
		a, err := after.try(qed.Turn{})
		if isOver(m.Log) != errors.Is(err, qed.ErrQuestionClosed) || err == nil && a.Text != want.Text {
			t.Errorf("after %v: answer %+v, %v", kindsOf(m.Log), a, err)
		}
	}
	l.Want(t, map[string]int{"go": 1})
}

// The model that reads a message is paid from the budget, and the question stays
// open if the budget does not allow the call.
func TestReplyModelWithinABudget(t *testing.T) {
	model := llmtest.New(llmtest.Rule{Name: "read_reply", Replies: []llmtest.Reply{
		{JSON: map[string]any{"intent": "exact_answer", "answers": []any{}}},
	}})
	var none *qed.DurableOptions
	c := converse(t, asks[string](question.Question{Text: "Who?"}), new(store.InMemory), none.WithReplyModel(model, llm.Settings{}))
	c.say("go")
	c.ctx = budget.With(t.Context(), budget.Limits{Tokens: 10})
	c.fails(qed.Turn{Text: "Ann"}, budget.ErrExceeded)
	c.ctx = budget.With(t.Context(), budget.Limits{ModelCalls: 1})
	if a := c.say("Ann"); a.Text != `"Ann"` {
		t.Errorf("answer = %+v", a)
	}
	if err := budget.Spend(c.ctx, budget.Limits{ModelCalls: 1}); !errors.Is(err, budget.ErrExceeded) {
		t.Errorf("the call was not spent: %v", err)
	}
}
