package qed

import (
	"context"
	"errors"
	"sync"
	"testing"
)

// TestPanicInTogether panics outside the functions of a host, where it would end the host's process.
func TestPanicInTogether(t *testing.T) {
	boom := errors.New("boom")
	var both sync.WaitGroup // one of them is on a goroutine of its own
	both.Add(2)
	_, err := together(t.Context(), 2, 2, func(context.Context, int) (int, error) {
		both.Done()
		both.Wait()
		panic(boom)
	})
	if !isPanic(err) || !errors.Is(err, boom) {
		t.Errorf("error = %v, want a panic of %v", err, boom)
	}
}
