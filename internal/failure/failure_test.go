package failure_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/failure"
)

func TestLine(t *testing.T) {
	for in, want := range map[string]string{
		"":             "",
		" a\nb\x00c\t": "a b c",
		"a\xffb":       "a\uFFFDb",
	} {
		if got := failure.Line(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := failure.Line(strings.Repeat("é", 1000)); got != strings.Repeat("é", 300)+"…" {
		t.Errorf("a long text: %q", got)
	}
}

func TestWithoutQuoted(t *testing.T) {
	for in, want := range map[string]string{
		"nothing":                    "nothing",
		"value 'it's' of `t`.`c` in": "value … in",
		"one ' only":                 "one … only",
	} {
		if got := failure.WithoutQuoted(in, "'`"); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
