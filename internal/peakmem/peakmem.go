// Package peakmem measures the memory of a process for tests.
package peakmem

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// Growth returns by how many bytes the resident memory of the process grows at
// most while do runs. What the process holds already does not delay the collection
// of garbage, as it would by default. It skips the test on systems other than Linux.
func Growth(tb testing.TB, do func()) int {
	tb.Helper()
	grown := Start(tb)
	var held runtime.MemStats
	runtime.ReadMemStats(&held)
	const garbage = 8 << 20
	percent := min(100, max(1, int(100*garbage/max(1, held.HeapAlloc))))
	defer debug.SetGCPercent(debug.SetGCPercent(percent))
	do()
	return grown()
}

// Start returns a function that returns by how many bytes the resident memory of the
// process has grown at most since Start, whatever it held before. It skips the test on
// systems other than Linux.
func Start(tb testing.TB) (grown func() int) {
	tb.Helper()
	debug.FreeOSMemory()
	return StartOf(tb, os.Getpid())
}

// StartOf is Start for the process with the number pid, such as a server.
func StartOf(tb testing.TB, pid int) (grown func() int) {
	tb.Helper()
	proc := fmt.Sprintf("/proc/%d/", pid)
	if err := os.WriteFile(proc+"clear_refs", []byte("5"), 0); err != nil { // resets the peak
		tb.Skip(err)
	}
	before := status(tb, proc, "VmRSS")
	return func() int { return (status(tb, proc, "VmHWM") - before) << 10 }
}

func status(tb testing.TB, proc, name string) (kilobytes int) {
	tb.Helper()
	text, err := os.ReadFile(proc + "status")
	if err != nil {
		tb.Skip(err)
	}
	_, rest, _ := strings.Cut(string(text), name+":")
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		tb.Fatal(err)
	}
	return kilobytes
}
