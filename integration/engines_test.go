package integration

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// outcome records how a test ended after a call of missing.
type outcome struct {
	testing.TB
	skipped, failed string
}

func (o *outcome) Helper()          {}
func (o *outcome) Skip(args ...any) { o.skipped = args[0].(string) }
func (o *outcome) Fatal(args ...any) {
	o.failed = args[0].(string)
	panic(o)
}

// run calls missing, and recovers from the panic of Fatal.
func (o *outcome) run() {
	defer func() {
		if v := recover(); v != nil && v != any(o) {
			panic(v)
		}
	}()
	missing(o, "engine", errors.New("not found"), "install it")
}

func TestMissing(t *testing.T) {
	const line = "QED-SKIP engine: not found; install with: install it"
	file := filepath.Join(t.TempDir(), "skipped")
	t.Setenv("QED_SKIPPED", file)

	t.Setenv("QED_REQUIRE_ENGINES", "")
	var o outcome
	o.run()
	if o.skipped != line || o.failed != "" {
		t.Errorf("skipped %q, failed %q", o.skipped, o.failed)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != line+"\n" {
		t.Errorf("wrote %q, %v", text, err)
	}

	t.Setenv("QED_REQUIRE_ENGINES", "1")
	o = outcome{}
	o.run()
	if o.failed != line || o.skipped != "" {
		t.Errorf("skipped %q, failed %q", o.skipped, o.failed)
	}
}
