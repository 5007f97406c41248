package refusal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestNearest(t *testing.T) {
	names := []string{"employee", "employeeCrew", "workTime", "workOrder", "customer", "id"}
	tests := []struct {
		name string
		want []string
	}{
		{"employe", []string{"employee", "employeeCrew"}},
		{"EMPLOYEE", []string{"employee", "employeeCrew"}},
		{"work_time", []string{"workTime"}},
		{"wrokOrder", []string{"workOrder"}},
		{"crew", []string{"employeeCrew"}},
		{"x", nil},
		{"", nil},
		{strings.Repeat("a", 1000), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Nearest(tt.name, names, 3)
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("Names(%q) (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}
