package runtimetest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/qedtest"
	"github.com/qedkit/qed/store"
)

// What an operator measures is reported for each operation on the store.
func TestOnStore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		counts := map[string]int{}
		type key struct{}
		opt := &qed.DurableOptions{KeepRuns: 1, OnStore: func(ctx context.Context, op qed.StoreOperation) {
			if ctx.Value(key{}) != "trace" {
				t.Error("another context")
			}
			counts[op.Name]++
			counts[op.Name+" records"] += op.Records
			counts["retries"] += op.Attempts - 1
			if errors.Is(op.Err, store.ErrConflict) {
				counts["conflicts"]++
			}
			if errors.Is(op.Err, context.DeadlineExceeded) {
				counts["timeouts"]++
			}
		}}
		inner := new(store.InMemory)
		c := converse(t, ordinary(t, new(qedtest.Ledger)), failsAt(inner, 3, 1, notMade), opt)
		c.ctx = context.WithValue(t.Context(), key{}, "trace")
		c.say("go")
		if counts["append"] < 3 || counts["append records"] != len(qedtest.Log(t, inner, "t")) || counts["retries"] != 1 || counts["trim"] != 1 || counts["read"] == 0 {
			t.Errorf("counted %v", counts)
		}
		c.agent = qed.Durable(ordinary(t, new(qedtest.Ledger)), failsAt(inner, 3, 1, hanging), opt)
		c.say("go")
		if counts["timeouts"] != 1 || counts["conflicts"] != 0 {
			t.Errorf("counted %v", counts)
		}
	})
}
