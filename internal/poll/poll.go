// Package poll is for tests that wait for something that gives no signal: what a
// server, a driver or the runtime of Go does. Other tests use channels or
// testing/synctest.
package poll

import (
	"runtime"
	"testing"
	"time"
)

// Until returns when ok reports true. It fails the test if that takes longer than a
// minute. what is the condition, for the message.
func Until(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	const most = time.Minute
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(most); !ok(); <-tick.C {
		if time.Now().After(end) {
			stacks := make([]byte, 1<<16)
			tb.Fatalf("not within %v: %s\n%s", most, what, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// Goroutines waits until there are no more goroutines than before. Those of drivers
// and HTTP clients end later than the call that ends them.
func Goroutines(tb testing.TB, before int) {
	tb.Helper()
	Until(tb, "the goroutines of the test have ended", func() bool { return runtime.NumGoroutine() <= before })
}
