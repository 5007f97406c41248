package qed

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestPanicInATeam panics outside of what a host gave us. On a goroutine of ours, that would end the host's process.
func TestPanicInATeam(t *testing.T) {
	boom := errors.New("boom")
	var both sync.WaitGroup // one of them is on a goroutine of its own
	both.Add(2)
	_, err := together(t.Context(), 2, 2, func(_ context.Context, _ int, _ *int) error {
		both.Done()
		both.Wait()
		panic(boom)
	})
	if !isPanic(err) || !errors.Is(err, boom) {
		t.Errorf("error = %v, want a panic of %v", err, boom)
	}
}
