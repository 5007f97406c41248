package command_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/command"
)

func TestVisible(t *testing.T) {
	for _, harmless := range []string{"", "ز\u200cب 👩\u200d🔧 naïve\n\t"} {
		if got := command.Visible(harmless); got != harmless {
			t.Errorf("Visible(%q) = %q", harmless, got)
		}
	}
	const attack = "\x1b[31m\u009b2J\u202egnirts\u2066\u2028\a\r"
	if got := command.Visible(attack); strings.ContainsAny(got, "\x1b\u009b\u202e\u2066\u2028\a\r") {
		t.Errorf("Visible(%q) = %q", attack, got)
	}
}
