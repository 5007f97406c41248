package runtimetest_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
)

// What a run did is saved before an at-most-once call is made, before the run
// reads its thread, before it asks, and before it ends. Nodes and steps do not
// wait for that.
func TestWhatIsSavedBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inner := new(store.InMemory)
		st := &qedtest.Store{Store: inner}
		var l qedtest.Ledger
		saved := func(when string, states, results int) {
			t.Helper()
			kinds := kindsOf(qedtest.Log(t, inner, "t"))
			if kinds[store.Checkpoint] != states || kinds[store.Returned] != results {
				t.Errorf("%s: %d states and %d results are saved, want %d and %d",
					when, kinds[store.Checkpoint], kinds[store.Returned], states, results)
			}
		}
		c := converse(t, walks(t, row(
			noting(func(ctx context.Context) (string, error) { return memo(ctx, &l, "first") }),
			noting(func(ctx context.Context) (string, error) {
				saved("in a node", 0, 0)
				return qed.StepOnce(ctx, "send", nil, func(context.Context) (string, error) {
					saved("in an at-most-once call", 1, 1)
					return "sent", nil
				})
			}),
			noting(func(ctx context.Context) (string, error) {
				if _, err := memo(ctx, &l, "second"); err != nil {
					return "", err
				}
				saved("before a read", 1, 2)
				_, err := qed.Remembered[string](ctx, "names", 0)
				saved("after a read", 2, 3)
				return "read", err
			}),
			noting(func(ctx context.Context) (string, error) {
				return qed.Interrupt[string](ctx, question.Question{Text: "Well?"})
			}),
			noting(func(ctx context.Context) (string, error) { return memo(ctx, &l, "third") }),
		), nil), st, nil)
		asked := c.say("go")
		saved("after a question", 3, 3)
		c.reply(asked, `"good"`)
		saved("after the end", 5, 4)
	})
}
