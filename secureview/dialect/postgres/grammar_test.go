package postgres

import (
	"errors"
	"strings"
	"testing"
)

// TestNewInstance: a text that makes the grammar panic does not stop it. The
// statements after it are read as before, by another instance.
func TestNewInstance(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles PostgreSQL's grammar a second time")
	}
	const plain = "SELECT a + b FROM t"
	before, err := parse(plain)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parse("SELECT a" + strings.Repeat("::int", 12_000)); !errors.Is(err, errGrammarFails) {
		t.Fatalf("the text does not make the grammar panic: %v", err)
	}
	if n := abiPool.Len(); n != 0 {
		t.Fatalf("%d instances are left", n)
	}
	after, err := parse(plain)
	if err != nil {
		t.Fatal(err)
	}
	if string(after) != string(before) {
		t.Errorf("the statement is read as %q, before as %q", after, before)
	}
}
