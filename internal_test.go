package qed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/qedkit/qed/internal/usertext/usertexttest"
	"github.com/qedkit/qed/store"
)

// TestPanicInTogether panics outside the functions of a host, where it would end the host's process.
func TestPanicInTogether(t *testing.T) {
	boom := errors.New("boom")
	var both sync.WaitGroup // one of them is on a goroutine of its own
	both.Add(2)
	err := together(t.Context(), 2, 2, func(context.Context, int) error {
		both.Done()
		both.Wait()
		panic(boom)
	})
	if !isPanic(err) || !errors.Is(err, boom) {
		t.Errorf("error = %v, want a panic of %v", err, boom)
	}
}

// Each code of a failed turn has a text of its own, and any other error has one
// that does not show the error.
func TestFailedTexts(t *testing.T) {
	for _, language := range []string{"en", "de"} {
		texts := textTable.In(t.Context(), language)
		hosts := map[string]bool{"model_auth": true, "model_quota": true, "model_bad_request": true}
		for _, c := range codes {
			f := texts.failed(c.err, nil, time.Time{})
			usertexttest.Text(t, language+" "+c.code, f.Message)
			if f.Code != c.code || f.Message == texts.Failed != hosts[c.code] {
				t.Errorf("%s %s: code %q, message %q", language, c.code, f.Code, f.Message)
			}
		}
		if f := texts.failed(errors.New("pq: SQLSTATE 42P01"), nil, time.Time{}); f.Code != "" || f.Message != texts.Failed {
			t.Errorf("another error: %+v", f)
		}
	}
}

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
