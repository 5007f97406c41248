package main

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/command/chat"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// opened is a conversation over a store as one process has it, with an agent of the
// test's, and what it shows.
func opened(st store.Store, agent qed.AgentFunc) (*conversation, *strings.Builder) {
	var out strings.Builder
	durable := &qed.DurableOptions{Lease: lease}
	return &conversation{
		agent: qed.Durable(agent, st, durable), store: st, show: chat.NewPrinter(&out),
	}, &out
}

// typing returns a function that returns the lines one by one.
func typing(lines ...string) func() (string, error) {
	return func() (string, error) {
		if len(lines) == 0 {
			return "", io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, nil
	}
}

func has(t *testing.T, out *strings.Builder, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(out.String(), text) {
			t.Errorf("the output lacks %q:\n%s", text, out)
		}
	}
}

// working counts how often a step ran, and can block or fail after it.
type working struct {
	done int
	held func(ctx context.Context) error
}

func (w *working) answer(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	_, err := qed.Step(ctx, "step", turn.Text, func(context.Context) (int, error) { w.done++; return w.done, nil })
	if err == nil && w.held != nil {
		err = w.held(ctx)
	}
	if err != nil {
		return qed.Answer{}, err
	}
	return qed.Answer{Text: "You asked: " + turn.Text}, nil
}

// TestInterruptedTurn cancels a turn, as Ctrl-C does, and resumes it in another process
// with an empty line.
func TestInterruptedTurn(t *testing.T) {
	st := &store.InMemory{}
	ctx, cancel := context.WithCancel(t.Context())
	w := &working{held: func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }}
	c, _ := opened(st, w.answer)
	if err := c.hold(ctx, "chat-1", nil, typing("Why?")); !errors.Is(err, errInterrupted) {
		t.Errorf("error = %v", err)
	}
	w.held = nil
	c, out := opened(st, w.answer)
	if err := c.hold(t.Context(), "chat-1", nil, typing("")); err != nil {
		t.Error(err)
	}
	has(t, out, "chat-1 continues", "? Why?\n", "interrupted", "You asked: Why?")
	if w.done != 1 {
		t.Errorf("what was recorded ran %d times", w.done)
	}
	c, out = opened(st, w.answer)
	if err := c.hold(t.Context(), "chat-1", nil, typing("")); err != nil {
		t.Error(err)
	}
	has(t, out, "said      You asked: Why?", "nothing to resume")
}

// TestInterruptedTurnThatIsGivenUp asks another question instead of resuming.
func TestInterruptedTurnThatIsGivenUp(t *testing.T) {
	st := &store.InMemory{}
	ctx, cancel := context.WithCancel(t.Context())
	w := &working{held: func(ctx context.Context) error { cancel(); <-ctx.Done(); return ctx.Err() }}
	c, _ := opened(st, w.answer)
	c.hold(ctx, "chat-1", nil, typing("Why?"))
	w.held = nil
	c, out := opened(st, w.answer)
	if err := c.hold(t.Context(), "chat-1", nil, typing("How?", "")); err != nil {
		t.Error(err)
	}
	has(t, out, "You asked: How?", "nothing to resume")
	if strings.Contains(out.String(), "You asked: Why?") {
		t.Errorf("the first question was answered all the same:\n%s", out)
	}
}

func TestFailedTurn(t *testing.T) {
	st := &store.InMemory{}
	w := &working{held: func(context.Context) error { return errors.New("the server is down") }}
	c, out := opened(st, w.answer)
	if err := c.hold(t.Context(), "chat-1", nil, typing("Why?", "")); err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "the server is down\nAn empty line tries again"); n != 2 {
		t.Errorf("it was tried %d times:\n%s", n, out)
	}
	w.held = nil
	c, out = opened(st, w.answer)
	if err := c.hold(t.Context(), "chat-1", nil, typing("")); err != nil {
		t.Error(err)
	}
	has(t, out, "This turn failed: the server is down", "You asked: Why?")
	if w.done != 1 {
		t.Errorf("what was recorded ran %d times", w.done)
	}
}

// cutOff leaves a turn in the store like a process that crashes in it.
func cutOff(t *testing.T, st store.Store, w *working) {
	t.Helper()
	dead := &dying{Store: st, lives: 4} // the beginning with the message, the step
	// The step's result is saved before the process crashes.
	w.held = func(context.Context) error { time.Sleep(time.Second); return nil }
	defer func() { w.held = nil }()
	c, _ := opened(dead, w.answer)
	if err := c.hold(t.Context(), "chat-1", nil, typing("Why?")); err != nil {
		t.Log(err)
	}
}

// dying is a store that fails after some records.
type dying struct {
	store.Store
	lives int
}

func (d *dying) Append(ctx context.Context, thread string, after int64, recs ...store.Record) error {
	if d.lives -= len(recs); d.lives <= 0 {
		return errors.New("the process is dead")
	}
	return d.Store.Append(ctx, thread, after, recs...)
}

// TestCutOffTurn checks that a turn is resumed without input after its lease.
func TestCutOffTurn(t *testing.T) {
	for name, later := range map[string]time.Duration{"a moment later": 0, "an hour later": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st, w := &store.InMemory{}, &working{}
				cutOff(t, st, w)
				time.Sleep(later)
				began := time.Now()
				c, out := opened(st, w.answer)
				if err := c.hold(t.Context(), "chat-1", nil, typing()); err != nil {
					t.Error(err)
				}
				has(t, out, "? Why?\n", "cut off and is resumed", "You asked: Why?")
				waited := time.Since(began)
				if later == 0 && waited == 0 || waited > lease+time.Second || later > 0 && waited > 0 {
					t.Errorf("it waited %v", waited)
				}
				if w.done != 1 {
					t.Errorf("what was recorded ran %d times", w.done)
				}
			})
		})
	}
}

// TestTwoPrograms opens a conversation in a second program while the first answers.
func TestTwoPrograms(t *testing.T) {
	for name, takes := range map[string]time.Duration{"for a moment": lease / 2, "for long": 10 * lease} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := &store.InMemory{}
				w := &working{held: func(context.Context) error { time.Sleep(takes); return nil }}
				first, _ := opened(st, w.answer)
				ended := make(chan error)
				go func() { ended <- first.hold(t.Context(), "chat-1", nil, typing("Why?")) }()
				synctest.Wait()

				second, out := opened(st, w.answer)
				if err := second.hold(t.Context(), "chat-1", nil, typing("/history")); err != nil {
					t.Error(err)
				}
				has(t, out, "? Why?\n", "Another process")
				if answered := takes < lease; strings.Contains(out.String(), "You asked: Why?") != answered ||
					strings.Contains(out.String(), errInUse.Error()) == answered {
					t.Errorf("the second program shows\n%s", out)
				}
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if w.done != 1 {
					t.Errorf("it ran %d times", w.done)
				}
			})
		})
	}
}

// TestQuestionAfterRestart checks that a question is printed again after a restart, and
// that the reply is used.
func TestQuestionAfterRestart(t *testing.T) {
	st := &store.InMemory{}
	asks := func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
		city, err := qed.Interrupt[string](ctx, question.Question{Text: "Which Miami?", Choices: []question.Choice{{ID: "fl", Text: "Florida"}, {ID: "oh", Text: "Ohio"}}})
		return qed.Answer{Text: "You mean " + city}, err
	}
	c, out := opened(st, asks)
	if err := c.hold(t.Context(), "chat-1", nil, typing("Miami")); err != nil {
		t.Error(err)
	}
	has(t, out, "question  Which Miami?", "2. Ohio")
	for _, tt := range []struct{ reply, want string }{{"", "question  Which Miami?"}, {"9", "none of the choices"}, {"ohio", "You mean oh"}} {
		c, out = opened(st, asks)
		if err := c.hold(t.Context(), "chat-1", nil, typing(tt.reply)); err != nil {
			t.Error(err)
		}
		has(t, out, "? Miami\n", tt.want)
	}
	said, err := qed.Messages(t.Context(), st, "chat-1", 0)
	if err != nil || len(said) != 6 {
		t.Errorf("%d messages are stored, want three of each: %v, %v", len(said), said, err)
	}
}

// TestCutOffAbort crashes between "never mind" and its answer. The resumed turn does not
// take the message for a question.
func TestCutOffAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := &store.InMemory{}
		asks := func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
			_, err := qed.Interrupt[string](ctx, question.Question{Text: "Which " + turn.Text + "?", Choices: []question.Choice{{Text: "Florida"}}})
			return qed.Answer{}, err
		}
		c, _ := opened(st, asks)
		if err := c.hold(t.Context(), "chat-1", nil, typing("Miami")); err != nil {
			t.Fatal(err)
		}
		c, _ = opened(&dying{Store: st, lives: 3}, asks) // the beginning with the message
		c.hold(t.Context(), "chat-1", nil, typing("never mind"))
		c, out := opened(st, asks)
		if err := c.hold(t.Context(), "chat-1", nil, typing()); err != nil {
			t.Error(err)
		}
		has(t, out, "All right.")
		if strings.Contains(out.String(), "Which never mind?") {
			t.Errorf("it is taken for a question:\n%s", out)
		}
	})
}

// TestStoreThatFails checks that turns are answered and the failure is reported.
func TestStoreThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &working{}
		c, out := opened(&dying{Store: &store.InMemory{}, lives: 3}, w.answer)
		if err := c.hold(t.Context(), "chat-1", nil, typing("Why?")); err != nil {
			t.Error(err)
		}
		has(t, out, "not saved", "You asked: Why?")
	})
}
