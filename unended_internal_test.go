package qed

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/qedkit/qed/store"
)

// What is remembered of runs whose end is not recorded is limited: by their
// lease, and in number.
func TestUnendedRunsAreForgotten(t *testing.T) {
	now := time.Now()
	ctx := WithClock(context.Background(), func() time.Time { return now })
	rs := newRunState(ctx, new(store.InMemory), "t", &DurableOptions{Lease: time.Minute}, nil)
	var u unendedRuns
	name := func(thread string) threadName { return threadName{"", "ann", thread} }
	for i := range maxUnended + 10 {
		rs.run = int64(i + 1)
		u.add(name(fmt.Sprint(i)), rs)
	}
	if len(u.runs) != maxUnended || len(u.added) != maxUnended || u.of(name("9")).run != 0 || u.of(name("10")).run != 11 {
		t.Errorf("%d runs, %d added", len(u.runs), len(u.added))
	}
	now = now.Add(30 * time.Second)
	u.add(name("10"), rs) // again
	now = now.Add(30 * time.Second)
	u.add(name("x"), rs)
	if len(u.runs) != 2 || len(u.added) != 2 || u.of(name("10")).run == 0 {
		t.Errorf("after the lease: %d runs, %d added", len(u.runs), len(u.added))
	}
}
