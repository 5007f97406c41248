package postgres

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestStoppedGrammar: after a text that makes the grammar panic, no statement is
// read any more, as it could be misread. The test runs in a process of its own.
func TestStoppedGrammar(t *testing.T) {
	const inside = "QED_TEST_STOP_GRAMMAR"
	if os.Getenv(inside) == "" {
		command := exec.Command(os.Args[0], "-test.run=^TestStoppedGrammar$")
		command.Env = append(os.Environ(), inside+"=1")
		if out, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	const plain = "SELECT a FROM t"
	if _, err := (Dialect{}).Read(plain); err != nil {
		t.Fatal(err)
	}
	if _, err := parse("SELECT a" + strings.Repeat("::int", 12_000)); !errors.Is(err, errGrammarFails) {
		t.Fatalf("the text does not stop the grammar: %v", err)
	}
	if _, err := (Dialect{}).Read(plain); !errors.Is(err, errGrammarStopped) {
		t.Errorf("after it was stopped: %v", err)
	}
}
