package runtimetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
)

// A value that JSON does not hold, or not for reading, makes the call one that
// failed. It is not made again, and its outcome is known.
func TestResultThatCannotBeRecorded(t *testing.T) {
	for name, value := range map[string]odd{
		"NaN": {F: math.NaN()}, "infinite": {F: math.Inf(-1)}, "deep": {In: deep(10_001)},
		"deep in its record": {In: deep(9_999)}, "panics": {P: &panics{}},
	} {
		var l qedtest.Ledger
		agent := does(func(ctx context.Context, _ string) (string, error) {
			_, err := qed.StepOnce(ctx, "send", nil, func(context.Context) (odd, error) { l.Do("send"); return value, nil })
			if _, ok := errors.AsType[*qed.CallError](err); !ok || !strings.Contains(err.Error(), "recorded") {
				t.Errorf("%s: %v, want a CallError", name, err)
			}
			return "", err
		})
		st := new(store.InMemory)
		c := converse(t, agent, st, nil)
		for _, turn := range []qed.Turn{{Text: "go"}, {}, {}} {
			if _, err := c.try(turn); err == nil {
				t.Errorf("%s: no error", name)
			}
			if thread, err := qed.Inspect(t.Context(), st, "t"); err != nil || thread.Status != store.StatusFailed || len(thread.Unresolved) > 0 {
				t.Errorf("%s: %+v, %v", name, thread, err)
			}
		}
		l.Want(t, map[string]int{"send": 1})
	}
}

// An odd value is one that JSON may not hold.
type odd struct {
	F  float64
	In *nest
	P  *panics
}

type panics struct{ N int }

func (*panics) MarshalJSON() ([]byte, error) { panic("no JSON") }

func (p *panics) UnmarshalJSON(b []byte) error { return nil }

// nest is a value of any depth.
type nest struct{ In *nest }

func deep(levels int) *nest {
	var v *nest
	for range levels {
		v = &nest{v}
	}
	return v
}

// JSON that could be written and not read again is refused when it is written:
// the thread stays readable.
func TestDeepJSONIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("reads deep JSON of many sizes")
	}
	for name, try := range map[string]func(ctx context.Context, v *nest) (qed.Answer, error){
		"remembered": func(ctx context.Context, v *nest) (qed.Answer, error) { return qed.Answer{}, qed.Remember(ctx, "a", v) },
		"saved": func(ctx context.Context, v *nest) (qed.Answer, error) {
			_, err := qed.Save(ctx, v)
			return qed.Answer{}, err
		},
		"a state": func(ctx context.Context, v *nest) (qed.Answer, error) {
			r := compile(t, oneNode(func(_ context.Context, s *nest) (*nest, error) { return v, nil }), nil)
			_, err := r.Run(ctx, nil)
			return qed.Answer{}, err
		},
		"a result": func(ctx context.Context, v *nest) (qed.Answer, error) {
			_, err := qed.Step(ctx, "deep", nil, func(context.Context) (*nest, error) { return v, nil })
			return qed.Answer{}, err
		},
	} {
		for levels, fits := range map[int]bool{9_900: true, 10_100: false} {
			st := new(store.InMemory)
			c := converse(t, qed.AgentFunc(func(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
				if turn.Text == "again" {
					_, err := qed.Remembered[nest](ctx, "a", 0)
					return qed.Answer{Text: "fine"}, err
				}
				return try(ctx, deep(levels))
			}), st, nil)
			a, err := c.try(qed.Turn{Text: "go"})
			if ok := err == nil && a.Saved; ok != fits {
				t.Errorf("%s, %d levels: answer saved %v, %v", name, levels, a.Saved, err)
			}
			for _, rec := range qedtest.Log(t, st, "t") {
				if rec.Data != nil && !json.Valid(rec.Data) {
					t.Errorf("%s, %d levels: a %s cannot be read", name, levels, rec.Kind)
				}
			}
			if a := c.say("again"); a.Text != "fine" {
				t.Errorf("%s, %d levels: answer = %+v", name, levels, a)
			}
		}
	}
}

func oneNode[S any](f func(context.Context, S) (S, error)) *qed.Graph[S] {
	g := qed.NewGraph[S]("deep")
	g.Node("a", f, nil)
	g.Edge(qed.Start, "a")
	g.Edge("a", qed.End)
	return g
}
