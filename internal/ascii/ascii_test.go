package ascii_test

import (
	"testing"

	"github.com/qedkit/qed/internal/ascii"
)

func TestCase(t *testing.T) {
	tests := []struct {
		a, lower, upper string
		same, other     string // equal if case is ignored, and not equal
	}{
		{"", "", "", "", "a"},
		{"workOrder", "workorder", "WORKORDER", "WORKorder", "workOrders"},
		{"Ärger_1", "Ärger_1", "ÄRGER_1", "ÄRGER_1", "ärger_1"},
		{"users", "users", "USERS", "USERS", "u\u017fers"}, // a long s
		{"kelvin", "kelvin", "KELVIN", "Kelvin", "\u212aelvin"},
	}
	for _, tt := range tests {
		if got := ascii.Lower(tt.a); got != tt.lower {
			t.Errorf("Lower(%q) = %q, want %q", tt.a, got, tt.lower)
		}
		if got := ascii.Upper(tt.a); got != tt.upper {
			t.Errorf("Upper(%q) = %q, want %q", tt.a, got, tt.upper)
		}
		if !ascii.EqualFold(tt.a, tt.same) || ascii.EqualFold(tt.a, tt.other) {
			t.Errorf("EqualFold(%q, ..): want %q to be the same, %q to be another", tt.a, tt.same, tt.other)
		}
	}
}
