package runtimetest_test

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// A resumed run that makes another call than the recorded one fails.
func TestNondeterministic(t *testing.T) {
	for name, call := range map[string]func(ctx context.Context, in any, f func(context.Context) (int, error)) (int, error){
		"memo": func(ctx context.Context, in any, f func(context.Context) (int, error)) (int, error) {
			return qed.Step(ctx, "call", in, f)
		},
		"once": func(ctx context.Context, in any, f func(context.Context) (int, error)) (int, error) {
			return qed.StepOnce(ctx, "call", in, f)
		},
	} {
		for _, test := range []struct {
			name string
			in   [2]any
			same bool
		}{
			{"another text", [2]any{"a", "b"}, false},
			{"another number", [2]any{1, 2}, false},
			{"nothing", [2]any{"a", nil}, false},
			{"nothing before", [2]any{nil, ""}, false},
			{"equal", [2]any{"a", "a"}, true},
			{"equal maps", [2]any{map[string]int{"a": 1, "b": 2}, map[string]int{"b": 2, "a": 1}}, true},
			{"equal structs", [2]any{trail{N: 1}, &trail{N: 1}}, true},
		} {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				n := 0
				agent := does(func(ctx context.Context, _ string) (string, error) {
					in := test.in[min(n, 1)]
					n++
					if _, err := call(ctx, in, func(context.Context) (int, error) { return 1, nil }); err != nil {
						return "", err
					}
					return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
				})
				c := converse(t, agent, new(store.InMemory), nil)
				asked := c.say("go")
				turn := qed.Turn{Replies: qedtest.Choose(t, asked, `"good"`)}
				if test.same {
					c.turn(turn)
					return
				}
				c.fails(turn, qed.ErrNondeterministic)
				c.fails(qed.Turn{}, qed.ErrNondeterministic)
				if a := c.say("once more"); len(a.Questions) != 1 {
					t.Errorf("a new turn: %+v", a)
				}
			})
		}
	}
	t.Run("no JSON", func(t *testing.T) {
		c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
			_, err := qed.Step(ctx, "call", math.NaN(), func(context.Context) (int, error) { t.Error("called"); return 1, nil })
			return "", err
		}), new(store.InMemory), nil)
		if _, err := c.try(qed.Turn{Text: "go"}); err == nil {
			t.Error("an input that no JSON holds is taken")
		}
	})
}

type measured struct {
	When  time.Time
	Ratio float64
	Big   int64
	None  []string
	Empty []string
	Some  map[string]*int
	Raw   json.RawMessage
	Bytes []byte
}

// A result is the same when the call is made and when it is found.
func TestValuesGoThroughJSON(t *testing.T) {
	var got []measured
	seven := 7
	agent := does(func(ctx context.Context, _ string) (string, error) {
		v, err := qed.Step(ctx, "call", nil, func(context.Context) (measured, error) {
			return measured{
				When: time.Now().In(time.FixedZone("x", 3600)), Ratio: 1.0 / 3, Big: math.MaxInt64, Empty: []string{},
				Some: map[string]*int{"a": &seven, "b": nil}, Raw: json.RawMessage(`{ "a": 1 }`), Bytes: []byte{0, 255},
			}, nil
		})
		if err != nil {
			return "", err
		}
		got = append(got, v)
		return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
	})
	c := converse(t, agent, new(store.InMemory), nil)
	c.reply(c.say("go"), `"good"`)
	if len(got) != 2 {
		t.Fatalf("%d values", len(got))
	}
	if diff := cmp.Diff(got[0], got[1]); diff != "" {
		t.Error(diff)
	}
	if got[0].Big != math.MaxInt64 || got[0].Ratio != 1.0/3 || *got[0].Some["a"] != 7 || got[0].Empty == nil || got[0].None != nil {
		t.Errorf("the value lost something: %+v", got[0])
	}
}

// refused is a call that returns a T, which JSON would change.
func refused[T any](ctx context.Context) []error {
	never := func(context.Context) (v T, err error) { panic("called") }
	var v T
	_, memoErr := qed.Step(ctx, "memo", nil, never)
	_, onceErr := qed.StepOnce(ctx, "once", nil, never)
	_, keepErr := qed.Save(ctx, v)
	return []error{memoErr, onceErr, keepErr, qed.Remember(ctx, "name", v)}
}

// accepted is a call that returns a T, which JSON does not change.
func accepted[T any](ctx context.Context) []error {
	var v T
	_, memoErr := qed.Step(ctx, "memo", nil, func(context.Context) (T, error) { return v, nil })
	_, keepErr := qed.Save(ctx, v)
	return []error{memoErr, keepErr, qed.Remember(ctx, "name", v)}
}

func TestTypesThatJSONWouldLose(t *testing.T) {
	type hidden struct{ n int }
	type left struct {
		N int `json:"-"`
	}
	type recursive struct{ Next *recursive }
	_ = hidden{}.n
	tests := []struct {
		name string
		try  func(context.Context) []error
		ok   bool
	}{
		{"any", refused[any], false},
		{"map of any", refused[map[string]any], false},
		{"error", refused[error], false},
		{"func", refused[func()], false},
		{"chan", refused[chan int], false},
		{"hidden field", refused[hidden], false},
		{"left out field", refused[[]left], false},
		{"complex", refused[complex128], false},
		{"pointer to a pointer", refused[**int], false},
		{"nothing", accepted[struct{}], true},
		{"nil pointer", accepted[*qed.Table], true},
		{"nil slice", accepted[[]string], true},
		{"raw", accepted[json.RawMessage], true},
		{"recursive", accepted[recursive], true},
		{"table", accepted[qed.Table], true},
		{"answer", accepted[qed.Answer], true},
		{"response", accepted[*llm.Response], true},
		{"duration", accepted[time.Duration], true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := converse(t, does(func(ctx context.Context, _ string) (string, error) {
				for i, err := range test.try(ctx) {
					if (err == nil) != test.ok {
						t.Errorf("%d: error = %v", i, err)
					}
				}
				return "done", nil
			}), new(store.InMemory), nil)
			c.say("go")
		})
	}
}
